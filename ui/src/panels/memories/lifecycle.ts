/** The actions that a memory's status allows. Pure; the backend has the final say. */
import type { MemoryRow } from '../../api';

/** Whether it can be moved to the trash, edited and recategorized. */
export const canArchive = (row: MemoryRow): boolean => row.status === 'active' || row.status === 'pending';

/** Whether it can be erased for good. It must have been dismissed or moved to the trash first. */
export const canErase = (row: MemoryRow): boolean => canRestore(row);

/** Whether it can be restored. */
export const canRestore = (row: MemoryRow): boolean => row.status === 'archived' || row.status === 'rejected';
