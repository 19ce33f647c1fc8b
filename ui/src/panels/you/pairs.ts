/**
 * Pairs contradicting statements. The backend reports which statements are in conflict, but not with which other statement.
 *
 * All but `useConflicts` is pure. It is computed only for the few statements that are in conflict.
 */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type MemoryDetail, type MemoryRow, call, rpcKey } from '../../api';
import { type MemoriesRequest, useMemoryRows } from '../shared/memoryRows';

/**
 * Possible contradictions in a memory's details: memories that it replaced or that replaced it, and the most similar one.
 */
function namedBy(detail: MemoryDetail | undefined): readonly string[] {
  return detail ? [...detail.changes.map((change) => change.id), ...(detail.near ? [detail.near.id] : [])] : [];
}

/**
 * The contradicting statement of each, by id; null if unknown. Statements of different kinds or with different attributes never
 * contradict each other, so most have only one possible partner, and details are needed only for the others.
 */
export function partners(conflicting: readonly MemoryRow[], details: ReadonlyMap<string, MemoryDetail>): ReadonlyMap<string, MemoryRow | null> {
  return new Map(
    conflicting.map((row) => {
      const others = conflicting.filter((other) => other.id !== row.id && other.kind === row.kind && (other.attribute === null || row.attribute === null || other.attribute === row.attribute));
      const named = namedBy(details.get(row.id));
      const alike = others.filter((other) => row.attribute !== null && other.attribute === row.attribute);
      const only = alike.length === 1 ? alike[0] : others.length === 1 ? others[0] : undefined;
      return [row.id, others.find((other) => named.includes(other.id)) ?? only ?? null];
    }),
  );
}

/**
 * The contradictions to show. Each is shown only at the first of its statements on the page, so that the person is asked only
 * once.
 */
export function shownConflicts(shown: readonly MemoryRow[], of: ReadonlyMap<string, MemoryRow | null>): ReadonlyMap<string, MemoryRow | null> {
  const told = new Set<string>();
  const conflicts = new Map<string, MemoryRow | null>();
  for (const row of shown) {
    const other = of.get(row.id);
    if (other === undefined || told.has(row.id)) continue;
    // Of three statements, two are asked about at a time.
    if (other !== null && told.has(other.id)) continue;
    told.add(row.id);
    if (other !== null) told.add(other.id);
    conflicts.set(row.id, other);
  }
  return conflicts;
}

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
