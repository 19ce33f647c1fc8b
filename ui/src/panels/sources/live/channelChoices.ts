/** The rooms, folders and chats of an account: their order, filters and choices. Pure, except for what is sent. */
import { type Change, type LiveChannelView, call } from '../../../api';
import { EMPTY_LIST, createListState, createStore, perform } from '../../../state';
import { t } from '../../../strings';

/** Id of the source whose channels are shown instead of the page; null for the page. */
export const choosing = createStore<string | null>(null);

export const channelList = createListState();

/** The button that opens the channels of a source, and that gets the focus back. */
export const chooseButtonId = (source: string): string => `choose-${source}`;

export function openChannels(source: string): void {
  if (choosing.get() !== source) channelList.set(EMPTY_LIST);
  choosing.set(source);
}

export function closeChannels(): void {
  const source = choosing.get();
  choosing.set(null);
  // Delayed until the page is shown again.
  if (source !== null) requestAnimationFrame(() => document.getElementById(chooseButtonId(source))?.focus());
}

export type Choice = 'ask' | 'remember' | 'ignore';
export const CHOICES: readonly Choice[] = ['ask', 'remember', 'ignore'];

export type View = 'all' | Choice;

export type Period = 'everything' | 'year' | 'month' | 'now';
export const PERIODS: readonly Period[] = ['everything', 'year', 'month', 'now'];
export const isPeriod = (name: string): name is Period => (PERIODS as readonly string[]).includes(name);

/** The time before which messages are not wanted; undefined if all are. */
export function sinceOf(period: Period, now: number): number | undefined {
  if (period === 'everything') return undefined;
  if (period === 'now') return now;
  const date = new Date(now);
  const months = period === 'year' ? 12 : 1;
  const day = date.getDate();
  date.setMonth(date.getMonth() - months);
  // A month ago from 31 March is the last day of February, not the 3rd of March.
  if (date.getDate() !== day) date.setDate(0);
  return date.getTime();
}

/**
 * The channels with the undecided ones first. `decided` are the ids that were decided when the list was opened, so that a row
 * stays where it is while the person decides.
 */
export function undecidedFirst(rows: readonly LiveChannelView[], decided: ReadonlySet<string>): readonly LiveChannelView[] {
  const [first, rest] = [[] as LiveChannelView[], [] as LiveChannelView[]];
  for (const row of rows) (decided.has(row.channel) ? rest : first).push(row);
  return [...first, ...rest];
}

export function matching(rows: readonly LiveChannelView[], query: string, view: View): readonly LiveChannelView[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '' && view === 'all') return rows;
  return rows.filter((row) => (view === 'all' || row.choice === view) && (wanted === '' || row.title.toLowerCase().includes(wanted)));
}

export function countByChoice(rows: readonly LiveChannelView[]): Record<View, number> {
  const counts: Record<View, number> = { all: rows.length, ask: 0, remember: 0, ignore: 0 };
  for (const row of rows) counts[row.choice === 'remember' || row.choice === 'ignore' ? row.choice : 'ask'] += 1;
  return counts;
}

/** Identity across accounts, because every mailbox has an inbox. */
export const channelKey = (source: string, channel: string): string => `${source}\n${channel}`;

/** Rows that had the same choice before, to be restored with one request. */
function byFormerChoice(rows: readonly LiveChannelView[]): { choice: string; since: number | null; channels: string[] }[] {
  const groups = new Map<string, { choice: string; since: number | null; channels: string[] }>();
  for (const { channel, choice, since } of rows) {
    const key = `${choice} ${since ?? ''}`;
    const group = groups.get(key) ?? { choice, since, channels: [] };
    group.channels.push(channel);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const withSince = (since: number | null | undefined) => (since === null || since === undefined ? {} : { since });

/** Makes a choice for channels of a source, shown immediately and with one undo. Rows that already have it are left alone. */
export function choose(source: { readonly id: string; readonly kind: string }, rows: readonly LiveChannelView[], choice: Choice, since: number | undefined): boolean {
  const { id, kind } = source;
  const to = { choice, since: choice === 'remember' ? (since ?? null) : null };
  const changed = rows.filter((row) => row.choice !== choice || (choice === 'remember' && row.since !== to.since));
  const [only] = changed;
  if (only === undefined) return false;
  const changes: Change<LiveChannelView>[] = changed.map(({ channel, choice: before, since: from }) => ({ id: channelKey(id, channel), to, from: { choice: before, since: from } }));
  const what = changed.length === 1 ? only.title : t.liveSources.channels.amount(kind, changed.length);
  void perform({
    text: t.liveSources.channels.did[choice]?.(what) ?? what,
    changes,
    ids: changed.map((row) => row.channel),
    send: () => call('live_channels_choose', { id, channels: changed.map((row) => row.channel), choice, ...withSince(to.since) }),
    undo: async () => {
      for (const { choice: former, since: from, channels } of byFormerChoice(changed)) await call('live_channels_choose', { id, channels, choice: former, ...withSince(from) });
    },
  });
  return true;
}
