/** The queue in display order: pending memories under headings of their conversations. Pure. */
import type { MemoryRow } from '../../api';
import { difference, replaced } from '../../state';

export type QueueEntry =
  | { readonly kind: 'group'; readonly key: string; readonly conversation: string; readonly title: string; readonly channel: string; readonly ids: readonly string[]; readonly isPrivate: boolean }
  | { readonly kind: 'row'; readonly key: string; readonly row: MemoryRow };

export type Queue = readonly QueueEntry[];

/**
 * Index of a memory among the entries, or -1. Searches linearly, because for ten thousand entries an index costs more to build
 * than it saves.
 */
export function indexIn(queue: Queue, id: string | null): number {
  return id === null ? -1 : queue.findIndex((entry) => entry.key === id);
}

/** The memory with this id, if it is in the queue. */
export function rowIn(queue: Queue, id: string | null): MemoryRow | undefined {
  const entry = queue[indexIn(queue, id)];
  return entry?.kind === 'row' ? entry.row : undefined;
}

/** Index of the heading at or above an entry; 0 if there is none. */
function headingUpFrom(queue: Queue, at: number): number {
  let index = Math.max(0, at);
  while (index > 0 && queue[index]?.kind !== 'group') index -= 1;
  return index;
}

/** Index of the heading at or below an entry, or the end. */
function headingDownFrom(queue: Queue, at: number): number {
  let index = at;
  while (index < queue.length && queue[index]?.kind !== 'group') index += 1;
  return Math.min(index, queue.length);
}

/** The band of a memory in the queue; without a probability it is `check`. */
const bandOf = (row: MemoryRow) => row.band ?? 'check';

/** Whether a memory is collapsed until the person expands the doubtful ones. */
export const isDoubtful = (row: MemoryRow): boolean => row.band === 'doubtful';

/** Groups rows into entries with headings. `keyFor` returns the key of a heading from its first row. */
function grouped(rows: readonly MemoryRow[], keyFor: (first: MemoryRow) => string, entryFor: (row: MemoryRow) => QueueEntry): QueueEntry[] {
  const entries: QueueEntry[] = [];
  let ids: string[] = [];
  let conversation: string | null = null;
  let band: string | null = null;
  for (const row of rows) {
    // A conversation may occur in each band.
    if (row.conversation_id !== conversation || bandOf(row) !== band) {
      conversation = row.conversation_id;
      band = bandOf(row);
      ids = [];
      entries.push({ kind: 'group', key: keyFor(row), conversation, title: row.conversation_title, channel: row.channel_type, ids, isPrivate: row.is_private_source });
    }
    ids.push(row.id);
    entries.push(entryFor(row));
  }
  return entries;
}

const groupKey = (first: MemoryRow) => `group ${first.conversation_id} ${first.id}`;
const rowEntry = (row: MemoryRow): QueueEntry => ({ kind: 'row', key: row.id, row });

/** Groups adjacent rows of the same conversation and band under one heading. The order is the backend's. */
export const queueOf = (rows: readonly MemoryRow[]): Queue => grouped(rows, groupKey, rowEntry);

/** Like `queueOf`, for successive queues: when rows leave, only their headings are recomputed, and those keep their identity. */
export function createQueue(): (rows: readonly MemoryRow[]) => Queue {
  let before: readonly MemoryRow[] = [];
  let queue: Queue = [];
  const next = (rows: readonly MemoryRow[]): Queue => {
    const { start, endBefore, endAfter } = difference(before, rows);
    // New rows may split a group.
    if (endAfter > start) return queueOf(rows);
    const gone = before.slice(start, endBefore);
    // Recomputes from the heading above to the one below, because the remaining groups may now be adjacent.
    let first = headingUpFrom(queue, indexIn(queue, gone[0]?.id ?? null));
    first = headingUpFrom(queue, first - 1);
    let last = indexIn(queue, gone[gone.length - 1]?.id ?? null) + 1;
    last = headingDownFrom(queue, headingDownFrom(queue, last) + 1);
    const leaving = new Set(gone);
    const keys = new Map<MemoryRow, string>();
    const entries = new Map<MemoryRow, QueueEntry>();
    let key = '';
    for (const entry of queue.slice(first, last)) {
      if (entry.kind === 'group') key = entry.key;
      else if (!leaving.has(entry.row)) {
        keys.set(entry.row, key);
        entries.set(entry.row, entry);
      }
    }
    return replaced(queue, first, last, grouped([...entries.keys()], (row) => keys.get(row) ?? groupKey(row), (row) => entries.get(row) ?? rowEntry(row)));
  };
  return (rows) => {
    if (rows === before) return queue;
    queue = next(rows);
    before = rows;
    return queue;
  };
}

const HOUR_MS = 3_600_000;
/** Delay of "Later today", limited to the end of the day. */
const LATER_MS = 3 * HOUR_MS;
const MORNING_HOUR = 9;

/** The times at which a snoozed memory can come back, in local time. */
export function snoozeTimes(now: number): { later: number | null; tomorrow: number; nextWeek: number } {
  const morning = (days: number) => {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    date.setHours(MORNING_HOUR, 0, 0, 0);
    return date.getTime();
  };
  const weekday = new Date(now).getDay();
  const later = now + LATER_MS;
  return {
    later: new Date(later).getDate() === new Date(now).getDate() ? later : null,
    tomorrow: morning(1),
    // Monday of next week.
    nextWeek: morning(weekday === 0 ? 1 : 8 - weekday),
  };
}
