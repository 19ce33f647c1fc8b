/**
 * Successive versions of long lists: whatever was computed for a row is reused as long as the row is the same object.
 *
 * A decision removes one row out of ten thousand. Finding where two lists differ only compares pointers, and copying the rest
 * only moves memory. Recomputing everything would delay the next key press.
 */

/** `before[start..endBefore]` was replaced by `after[start..endAfter]`; everything else is the same. */
export interface Difference {
  readonly start: number;
  readonly endBefore: number;
  readonly endAfter: number;
}

export function difference(before: readonly unknown[], after: readonly unknown[]): Difference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let endBefore = before.length;
  let endAfter = after.length;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1;
    endAfter -= 1;
  }
  return { start, endBefore, endAfter };
}

/** A copy of the list with `start..end` replaced. */
export const replaced = <T>(list: readonly T[], start: number, end: number, by: readonly T[]): T[] => list.slice(0, start).concat(by, list.slice(end));

/** Like `list.map(of)`, for successive lists. `of` must depend only on its row. */
export function createMapped<T, R>(of: (row: T) => R): (list: readonly T[]) => readonly R[] {
  let before: readonly T[] = [];
  let made: readonly R[] = [];
  return (list) => {
    if (list === before) return made;
    const { start, endBefore, endAfter } = difference(before, list);
    made = replaced(made, start, endBefore, list.slice(start, endAfter).map(of));
    before = list;
    return made;
  };
}

/** Returns the previous list if the new one contains the same rows. */
export function createStable<T>(): (list: readonly T[]) => readonly T[] {
  let before: readonly T[] = [];
  return (list) => {
    if (list !== before && (list.length !== before.length || difference(before, list).start < list.length)) before = list;
    return before;
  };
}

/** Replaces a row by the known one if all fields are equal. */
export function createKnown<T extends { readonly id: string }>(before: readonly T[]): (row: T) => T {
  const rows = new Map(before.map((row) => [row.id, row]));
  return (row) => {
    const old = rows.get(row.id);
    return old && isSame(old, row) ? old : row;
  };
}

function isSame<T extends object>(a: T, b: T): boolean {
  for (const name in b) if (!Object.is(a[name], b[name])) return false;
  for (const name in a) if (!(name in b)) return false;
  return true;
}
