/** Finds the contradictions among the statements shown. Computed only for the few that are in conflict. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type MemoryDetail, type MemoryRow, call, rpcKey } from '../../api';
import { type MemoriesRequest, useMemoryRows } from '../shared/memoryRows';
import { partners, shownConflicts } from './pairs';

/** Pending memories are included, even snoozed ones: a statement in Review may be the newer one. */
const CONFLICTING: MemoriesRequest = { status: ['active', 'pending'], subject: ['owner'], only_conflicting: true, include_snoozed: true, sort: 'newest', limit: 0, without_facets: true };

/** Maximum number of memory details loaded at first. With more conflicts, each answer by the person lets the next one load. */
const DETAILS_MAX = 20;

const NO_DETAILS: ReadonlyMap<string, MemoryDetail> = new Map();
const NONE: ReadonlyMap<string, MemoryRow | null> = new Map();

const detailsOf = (queries: readonly { data: MemoryDetail | undefined }[]): ReadonlyMap<string, MemoryDetail> => new Map(queries.flatMap(({ data }) => (data ? [[data.row.id, data] as const] : [])));

/** For each statement in conflict, by id: the statement that contradicts it, or null if it could not be determined. */
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
    // While its details are loading, a statement is not reported as unknown.
    return shownConflicts(shown, new Map([...found].filter(([id, other]) => other !== null || details.has(id))));
  }, [rows, details, shown, isWanted]);
  return { conflicts, error };
}
