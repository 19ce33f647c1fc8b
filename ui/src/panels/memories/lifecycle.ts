/** Which steps the memory's lifecycle allows here. Pure; the backend has the last word. */
import type { MemoryRow } from '../../api';

/** What can be put in the trash, reworded and filed anew. */
export const canArchive = (row: MemoryRow): boolean => row.status === 'active' || row.status === 'pending';

/** What can be erased for good: what was put away before. */
export const canErase = (row: MemoryRow): boolean => canRestore(row);

/** What can come back. */
export const canRestore = (row: MemoryRow): boolean => row.status === 'archived' || row.status === 'rejected';
