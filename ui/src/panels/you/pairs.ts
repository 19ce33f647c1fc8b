/**
 * Pairs contradicting statements. The backend reports which statements are in conflict, but not with which other statement. Pure.
 */
import type { MemoryDetail, MemoryRow } from '../../api';

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
