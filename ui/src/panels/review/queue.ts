/** The queue as a list shows it: candidates under the heading of their conversation. Pure. */
import type { MemoryRow } from '../../api';

export type QueueEntry =
  | { readonly kind: 'group'; readonly key: string; readonly conversation: string; readonly title: string; readonly channel: string; readonly ids: readonly string[]; readonly isPrivate: boolean }
  | { readonly kind: 'row'; readonly key: string; readonly row: MemoryRow };

export type Queue = readonly QueueEntry[];

/** Where a candidate stands among the entries, or -1. A walk: an index over ten thousand costs more to build than it saves. */
export function indexIn(queue: Queue, id: string | null): number {
  return id === null ? -1 : queue.findIndex((entry) => entry.key === id);
}

/** The candidate of that id, if it is in the queue. */
export function rowIn(queue: Queue, id: string | null): MemoryRow | undefined {
  const entry = queue[indexIn(queue, id)];
  return entry?.kind === 'row' ? entry.row : undefined;
}

/** Rows keep their entry as long as they are the same, so that a decision makes one list and not ten thousand objects. */
const entryOf = new WeakMap<MemoryRow, QueueEntry>();

/** Puts neighbours of the same conversation under one heading; the order is the backend's. */
export function queueOf(rows: readonly MemoryRow[]): Queue {
  const entries: QueueEntry[] = [];
  let ids: string[] = [];
  let conversation: string | null = null;
  for (const row of rows) {
    if (row.conversation_id !== conversation) {
      conversation = row.conversation_id;
      ids = [];
      entries.push({ kind: 'group', key: `group ${row.conversation_id} ${row.id}`, conversation, title: row.conversation_title, channel: row.channel_type, ids, isPrivate: row.is_private_source });
    }
    ids.push(row.id);
    let entry = entryOf.get(row);
    if (!entry) {
      entry = { kind: 'row', key: row.id, row };
      entryOf.set(row, entry);
    }
    entries.push(entry);
  }
  return entries;
}

const HOUR_MS = 3_600_000;
/** "Later today" is this much later, but never past the end of the day. */
const LATER_MS = 3 * HOUR_MS;
const MORNING_HOUR = 9;

/** When a snoozed candidate comes back, by the local calendar. */
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
