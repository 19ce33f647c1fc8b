/**
 * Decisions about memories that cached answers do not contain yet.
 *
 * Every decision is an entry in a log. Answers of list commands are stamped with the part of the log that was settled when they
 * were requested. An entry is applied only to answers that cannot contain it yet. So the cache is never patched, nothing has to
 * be rolled back, and an undo is a single flag. Pure, except for the two counters.
 */
import type { MemoriesListRequest, MemoryRow } from './schema';
import { replaced } from '../state/difference';
import { createStore } from '../state/store';

export interface Entry {
  readonly ids: ReadonlySet<string>;
  /** The rows before the decision, which an undo restores. */
  readonly rows: readonly MemoryRow[];
  /** The new state of a row; null if it leaves every list. */
  readonly patch: (row: MemoryRow) => MemoryRow | null;
  /** Change in the number of pending memories. */
  readonly pendingDelta: number;
  /** The tick at which the backend had carried out the decision; null while it is pending. */
  readonly settled: number | null;
  readonly undone: boolean;
  readonly undoSettled: number | null;
}

export type Log = readonly Entry[];

/**
 * Older settled entries can be dropped. A held key creates thirty entries per second, and every list is requested again after
 * half a minute at most (`tags.ts`), so every answer already contains them.
 */
const LOG_MAX = 2_000;

export const log = createStore<Log>([]);

let tick = 0;
export const nextTick = (): number => (tick += 1);

const stamps = new WeakMap<object, number>();

/** Sends a request to the backend and stamps its answer. */
export async function stamped<T extends object>(ask: () => Promise<T>): Promise<T> {
  const asked = tick;
  const answer = await ask();
  stamps.set(answer, asked);
  return answer;
}

/** The tick at which the answer was requested. An unknown answer counts as the oldest. */
export const stampOf = (answer: object): number => stamps.get(answer) ?? 0;

export function append(entry: Entry): Entry {
  log.update((entries) => [...(entries.length > LOG_MAX ? entries.filter((each, index) => each.settled === null || index > LOG_MAX / 2) : entries), entry]);
  return entry;
}

/** Replaces an entry by a changed copy and returns the copy. */
export function amend(entry: Entry, change: Partial<Entry>): Entry {
  const next = { ...entry, ...change };
  log.update((entries) => entries.map((each) => (each === entry ? next : each)));
  return next;
}

export function remove(entry: Entry): void {
  log.update((entries) => entries.filter((each) => each !== entry));
}

const isIn = (settled: number | null, stamp: number) => settled !== null && settled <= stamp;
/**
 * An answer may lack an undone row even if it was requested before the decision had settled: the backend may have carried out the
 * decision before it responded.
 */
const isMissing = (entry: Entry, stamp: number) => entry.undone && !isIn(entry.undoSettled, stamp);
const isOpen = (entry: Entry, stamp: number) => !entry.undone && !isIn(entry.settled, stamp);

/** Difference between the current number of pending memories and the one in the stamped answer. */
export function pendingDelta(entries: Log, stamp: number): number {
  return entries.reduce((sum, entry) => {
    const shown = isIn(entry.settled, stamp) && !isIn(entry.undoSettled, stamp) ? entry.pendingDelta : 0;
    const meant = entry.undone ? 0 : entry.pendingDelta;
    return sum + meant - shown;
  }, 0);
}

/** Whether a changed row still belongs to the requested list. */
function belongs(row: MemoryRow, request: Partial<MemoriesListRequest>): boolean {
  const fits = (wanted: readonly string[] | undefined, value: string) => !wanted || wanted.length === 0 || wanted.includes(value);
  return fits(request.status, row.status) && fits(request.category, row.category) && (request.conversation == null || request.conversation === row.conversation_id);
}

/** Inserts a row next to the others of its conversation. The next answer gives its exact position. */
function insert(rows: MemoryRow[], row: MemoryRow): void {
  let at = rows.findIndex((each) => each.conversation_id === row.conversation_id);
  while (at >= 0 && at < rows.length && rows[at]?.conversation_id === row.conversation_id && (rows[at]?.said_at ?? 0) <= row.said_at) at += 1;
  rows.splice(Math.max(0, at), 0, row);
}

/** The rows, plus restored rows that are not among them yet. */
function withRows(rows: readonly MemoryRow[], back: readonly MemoryRow[], request: Partial<MemoriesListRequest>): MemoryRow[] {
  const out = [...rows];
  const shown = new Set(rows.map((row) => row.id));
  for (const row of back) {
    if (shown.has(row.id) || !belongs(row, request)) continue;
    shown.add(row.id);
    insert(out, row);
  }
  return out;
}

type Effect = 'none' | 'open' | 'missing';
const effectOn = (entry: Entry, stamp: number): Effect => (isOpen(entry, stamp) ? 'open' : isMissing(entry, stamp) ? 'missing' : 'none');

/** The rows last shown for an answer, and the inputs they were computed from. */
interface Shown {
  readonly stamp: number;
  readonly request: Partial<MemoriesListRequest>;
  readonly entries: Log;
  readonly rows: readonly MemoryRow[];
}

const lastShown = new WeakMap<readonly MemoryRow[], Shown>();

/** Whether two entries have the same effect on an answer. A response that arrived in the meantime does not change the effect. */
const isSame = (a: Entry, b: Entry | undefined, stamp: number) =>
  a === b || (b !== undefined && a.ids === b.ids && a.rows === b.rows && a.patch === b.patch && effectOn(a, stamp) === effectOn(b, stamp));

/**
 * The list as last shown, with newer entries applied. This is fast, because one decision affects only one of ten thousand rows.
 * Returns undefined if anything else has changed.
 */
function continued(shown: Shown | undefined, stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] | undefined {
  if (!shown || shown.stamp !== stamp || shown.request !== request) return undefined;
  if (!shown.entries.every((entry, index) => isSame(entry, entries[index], stamp))) return undefined;
  let rows = shown.rows;
  for (const entry of entries.slice(shown.entries.length)) {
    const effect = effectOn(entry, stamp);
    if (effect === 'none') continue;
    // This is for single decisions in quick succession. For many rows at once, processing the whole list is just as fast.
    if (effect === 'missing' || entry.ids.size > ONE_BY_ONE_MAX) return undefined;
    for (const id of entry.ids) {
      const at = rows.findIndex((row) => row.id === id);
      const row = rows[at];
      // An earlier decision may have removed the row, and this one brings it back.
      if (!row) return undefined;
      const next = entry.patch(row);
      rows = replaced(rows, at, at + 1, next && belongs(next, request) ? [next] : []);
    }
  }
  return rows;
}

/** With more decisions at once, the whole list is processed. */
const ONE_BY_ONE_MAX = 8;

function replayed(rows: readonly MemoryRow[], stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] {
  const open = entries.filter((entry) => isOpen(entry, stamp));
  const missing = entries.filter((entry) => isMissing(entry, stamp));
  if (open.length === 0 && missing.length === 0) return rows;
  const base = missing.length === 0 ? rows : withRows(rows, missing.flatMap((entry) => entry.rows), request);
  // Grouped by id first, so that each of ten thousand rows needs only one lookup, regardless of the number of decisions.
  const concerning = new Map<string, Entry[]>();
  for (const entry of open) for (const id of entry.ids) concerning.set(id, [...(concerning.get(id) ?? []), entry]);
  const out: MemoryRow[] = [];
  for (const row of base) {
    let next: MemoryRow | null = row;
    for (const entry of concerning.get(row.id) ?? []) if (next) next = entry.patch(next);
    if (next && (next === row || belongs(next, request))) out.push(next);
  }
  return out;
}

/**
 * The rows of an answer with the person's decisions applied. Unaffected rows keep their identity, and so does an unaffected list.
 */
export function withDecisions(rows: readonly MemoryRow[], stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] {
  const shown = continued(lastShown.get(rows), stamp, request, entries) ?? replayed(rows, stamp, request, entries);
  lastShown.set(rows, { stamp, request, entries, rows: shown });
  return shown;
}
