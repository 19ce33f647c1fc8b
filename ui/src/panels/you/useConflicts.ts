/** The contradictions among what is shown, found only for the few statements that are in conflict. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type MemoryDetail, type MemoryRow, call, rpcKey } from '../../api';
import { type MemoriesRequest, useMemoryRows } from '../shared/memoryRows';
import { partners, shownConflicts } from './pairs';

/** Candidates too, even put off: what waits in Review may be the newer statement. */
const CONFLICTING: MemoriesRequest = { status: ['active', 'pending'], subject: ['owner'], only_conflicting: true, include_snoozed: true, sort: 'newest', limit: 0, without_facets: true };

/** So many are looked up one by one. Whoever has more conflicts than that answers some first; each answer brings the next. */
const DETAILS_MAX = 20;

const NO_DETAILS: ReadonlyMap<string, MemoryDetail> = new Map();
const NONE: ReadonlyMap<string, MemoryRow | null> = new Map();

const detailsOf = (queries: readonly { data: MemoryDetail | undefined }[]): ReadonlyMap<string, MemoryDetail> => new Map(queries.flatMap(({ data }) => (data ? [[data.row.id, data] as const] : [])));

/** The other statement of each that is shown as in conflict, by id; null where which one it is could not be found. */
export function useConflicts(shown: readonly MemoryRow[], isWanted: boolean) {
  const { rows, error } = useMemoryRows(CONFLICTING);
  const unclear = useMemo(() => {
    const known = partners(rows, NO_DETAILS);
    return rows.filter((row) => row.status === 'active' && known.get(row.id) === null).map((row) => row.id);
  }, [rows]);
  const details = useQueries({
    queries: (isWanted ? unclear.slice(0, DETAILS_MAX) : []).map((id) => ({ queryKey: rpcKey('memory_get', { id }), queryFn: () => call('memory_get', { id }) })),
    combine: detailsOf,
  });
  const conflicts = useMemo(() => {
    if (!isWanted) return NONE;
    const found = partners(rows, details);
    // One whose detail is still on its way is not said to be unknown.
    return shownConflicts(shown, new Map([...found].filter(([id, other]) => other !== null || details.has(id))));
  }, [rows, details, shown, isWanted]);
  return { conflicts, error };
}
