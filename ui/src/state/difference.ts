/**
 * Long lists that follow one another: what was made of a row is taken over as long as the row is the same object.
 *
 * A decision takes one row out of ten thousand. To find where two lists differ compares pointers only, and to copy what lies
 * beside it is a move of memory; to make everything anew would keep the next key waiting.
 */

/** `before[start..endBefore]` was replaced by `after[start..endAfter]`; all else is the same. */
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

/** A copy of the list in which `start..end` is replaced. */
export const replaced = <T>(list: readonly T[], start: number, end: number, by: readonly T[]): T[] => list.slice(0, start).concat(by, list.slice(end));

/** As `list.map(of)`, for lists that follow one another. `of` must depend on its row alone. */
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

/** A list that holds the same rows as the one before is the one before. */
export function createStable<T>(): (list: readonly T[]) => readonly T[] {
  let before: readonly T[] = [];
  return (list) => {
    if (list !== before && (list.length !== before.length || difference(before, list).start < list.length)) before = list;
    return before;
  };
}

/** Puts the row that is known in place of one that says the same, field by field. */
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
