/**
 * What the person has done and the answers at hand do not show yet.
 *
 * Every decision is an entry in a log. Answers of the list commands are stamped with how much of the log was settled when
 * they were asked for; an entry changes an answer only as long as that answer cannot contain it. So nothing is patched in the
 * cache, nothing has to be rolled back, and an undo is one flag. Pure but for the two counters.
 */
import type { MemoriesListRequest, MemoryRow } from './schema';
import { replaced } from '../state/difference';
import { createStore } from '../state/store';

export interface Entry {
  readonly ids: ReadonlySet<string>;
  /** The rows as they were, which an undo brings back. */
  readonly rows: readonly MemoryRow[];
  /** What becomes of a row; null if it leaves every list. */
  readonly patch: (row: MemoryRow) => MemoryRow | null;
  /** By how much the number of waiting candidates changes. */
  readonly pendingDelta: number;
  /** The tick at which the backend had done it; null while it is under way. */
  readonly settled: number | null;
  readonly undone: boolean;
  readonly undoSettled: number | null;
}

export type Log = readonly Entry[];

/**
 * Settled entries older than this many are in every answer by now: a held key makes thirty a second, and the longest that a
 * list goes without being asked again is half a minute (`tags.ts`).
 */
const LOG_MAX = 2_000;

export const log = createStore<Log>([]);

let tick = 0;
export const nextTick = (): number => (tick += 1);

const stamps = new WeakMap<object, number>();

/** Runs a question to the backend and stamps its answer. */
export async function stamped<T extends object>(ask: () => Promise<T>): Promise<T> {
  const asked = tick;
  const answer = await ask();
  stamps.set(answer, asked);
  return answer;
}

/** When the answer was asked for; an unknown answer is older than everything. */
export const stampOf = (answer: object): number => stamps.get(answer) ?? 0;

export function append(entry: Entry): Entry {
  log.update((entries) => [...(entries.length > LOG_MAX ? entries.filter((each, index) => each.settled === null || index > LOG_MAX / 2) : entries), entry]);
  return entry;
}

/** Replaces an entry by a changed one and returns that. */
export function amend(entry: Entry, change: Partial<Entry>): Entry {
  const next = { ...entry, ...change };
  log.update((entries) => entries.map((each) => (each === entry ? next : each)));
  return next;
}

export function remove(entry: Entry): void {
  log.update((entries) => entries.filter((each) => each !== entry));
}

const isIn = (settled: number | null, stamp: number) => settled !== null && settled <= stamp;
/** An answer may lack what was undone even if it was asked for before the decision had settled: the backend was ahead of its word. */
const isMissing = (entry: Entry, stamp: number) => entry.undone && !isIn(entry.undoSettled, stamp);
const isOpen = (entry: Entry, stamp: number) => !entry.undone && !isIn(entry.settled, stamp);

/** By how much the number of waiting candidates differs from what the stamped answer says. */
export function pendingDelta(entries: Log, stamp: number): number {
  return entries.reduce((sum, entry) => {
    const shown = isIn(entry.settled, stamp) && !isIn(entry.undoSettled, stamp) ? entry.pendingDelta : 0;
    const meant = entry.undone ? 0 : entry.pendingDelta;
    return sum + meant - shown;
  }, 0);
}

/** Whether a row that was changed still belongs to the list that was asked for. */
function belongs(row: MemoryRow, request: Partial<MemoriesListRequest>): boolean {
  const fits = (wanted: readonly string[] | undefined, value: string) => !wanted || wanted.length === 0 || wanted.includes(value);
  return fits(request.status, row.status) && fits(request.category, row.category) && (request.conversation == null || request.conversation === row.conversation_id);
}

/** Puts a row back beside its neighbours; its exact place comes with the next answer. */
function insert(rows: MemoryRow[], row: MemoryRow): void {
  let at = rows.findIndex((each) => each.conversation_id === row.conversation_id);
  while (at >= 0 && at < rows.length && rows[at]?.conversation_id === row.conversation_id && (rows[at]?.said_at ?? 0) <= row.said_at) at += 1;
  rows.splice(Math.max(0, at), 0, row);
}

/** The rows with those that came back and are not there yet. */
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

/** What was last shown of an answer, and by what. */
interface Shown {
  readonly stamp: number;
  readonly request: Partial<MemoriesListRequest>;
  readonly entries: Log;
  readonly rows: readonly MemoryRow[];
}

const lastShown = new WeakMap<readonly MemoryRow[], Shown>();

/** The entries say the same of an answer: that one has arrived meanwhile changes nothing. */
const isSame = (a: Entry, b: Entry | undefined, stamp: number) =>
  a === b || (b !== undefined && a.ids === b.ids && a.rows === b.rows && a.patch === b.patch && effectOn(a, stamp) === effectOn(b, stamp));

/**
 * The list as it was shown, with the entries that have come since: one decision concerns one row, wherever it stands among ten
 * thousand. Undefined if that is not all that has happened.
 */
function continued(shown: Shown | undefined, stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] | undefined {
  if (!shown || shown.stamp !== stamp || shown.request !== request) return undefined;
  if (!shown.entries.every((entry, index) => isSame(entry, entries[index], stamp))) return undefined;
  let rows = shown.rows;
  for (const entry of entries.slice(shown.entries.length)) {
    const effect = effectOn(entry, stamp);
    if (effect === 'none') continue;
    // A series of single decisions is the hurried case; of many rows at once one walk over all takes as long.
    if (effect === 'missing' || entry.ids.size > ONE_BY_ONE_MAX) return undefined;
    for (const id of entry.ids) {
      const at = rows.findIndex((row) => row.id === id);
      const row = rows[at];
      // It may have left by an earlier decision and come back by this one.
      if (!row) return undefined;
      const next = entry.patch(row);
      rows = replaced(rows, at, at + 1, next && belongs(next, request) ? [next] : []);
    }
  }
  return rows;
}

/** More decisions at once than this are laid over the whole list. */
const ONE_BY_ONE_MAX = 8;

function laidOver(rows: readonly MemoryRow[], stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] {
  const open = entries.filter((entry) => isOpen(entry, stamp));
  const missing = entries.filter((entry) => isMissing(entry, stamp));
  if (open.length === 0 && missing.length === 0) return rows;
  const base = missing.length === 0 ? rows : withRows(rows, missing.flatMap((entry) => entry.rows), request);
  // By id first, so that ten thousand rows are looked up once each, whatever was decided.
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

/** The rows of an answer as the person has left them. Rows that nothing concerns keep their identity, and so does the list. */
export function withDecisions(rows: readonly MemoryRow[], stamp: number, request: Partial<MemoriesListRequest>, entries: Log): readonly MemoryRow[] {
  const shown = continued(lastShown.get(rows), stamp, request, entries) ?? laidOver(rows, stamp, request, entries);
  lastShown.set(rows, { stamp, request, entries, rows: shown });
  return shown;
}
