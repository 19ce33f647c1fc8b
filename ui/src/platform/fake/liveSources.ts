/**
 * The fake host's connected accounts: a mailbox that is up to date, a Matrix account that reads older messages, SimpleX whose
 * program does not run, and a webhook. Connecting succeeds unless the password is “wrong”.
 */
import type { LiveChannelView, LiveSourceView } from '../../api/schema';
import data from './data/liveSources.json';
import type { Handlers, Host } from './index';
import { DAY, HOUR, MINUTE, found, refused } from './world';

type View = Omit<LiveSourceView, 'messages' | 'channels' | 'remembered' | 'undecided' | 'unreadable'>;
type Channel = Partial<Omit<LiveChannelView, 'since'>> & { readonly since_days?: number };

interface Account {
  view: View;
  channels: LiveChannelView[];
}

/** An account as it is invented: with the times relative to now. */
interface Given {
  readonly view: Partial<View> & Pick<View, 'id' | 'kind' | 'name' | 'settings'>;
  readonly last_minutes_ago?: number;
  readonly next_in_minutes?: number;
  readonly channels: readonly Channel[];
}

/** What a comparison becomes by each action. The other device answers at once. */
const STAGES: Readonly<Record<string, string>> = { begin: 'shown', accept: 'shown', match: 'done', mismatch: 'mismatch', cancel: 'cancelled' };
const FOUND: Readonly<Record<string, readonly Channel[]>> = { mail: data.folders, matrix: data.rooms, simplex: data.chats };

function accountOf({ view, last_minutes_ago, next_in_minutes, channels }: Given, now: number): Account {
  return {
    view: { state: 'live', detail: null, done: null, total: null, daily_hour: null, device: null, left_out: [], last_message_at: last_minutes_ago === undefined ? null : now - last_minutes_ago * MINUTE, next_at: next_in_minutes === undefined ? null : now + next_in_minutes * MINUTE, ...view },
    channels: channels.map(({ since_days, ...given }) => ({ channel: '', title: '', member_count: null, is_encrypted: false, is_public: false, choice: 'ask', since: since_days === undefined ? null : now - since_days * DAY, unreadable: 0, messages: 0, ...given })),
  };
}

/** A mailbox of someone who keeps a folder for everything. */
const large = (folders: number): Given => ({
  view: { id: 'src_large', kind: 'mail', name: 'archive@mail.example', settings: { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'archive@mail.example', sign_in: { with: 'password' }, leave_out_automatic: true } },
  channels: Array.from({ length: folders }, (_, nth) => ({ channel: `Projects/${nth}`, title: `Project ${nth + 1}` })),
});

export function liveSourceCommands(host: Host, options: { firstRun: boolean; folders: number }): Handlers {
  const given = [...(options.firstRun ? [] : (data.accounts as readonly Given[])), ...(options.folders > 0 ? [large(options.folders)] : [])];
  let sources = given.map((each) => accountOf(each, host.now()));
  let last = 0;

  const find = (id: string) => found(sources.find((each) => each.view.id === id), 'account');
  const sum = (rows: readonly LiveChannelView[], of: (row: LiveChannelView) => number) => rows.reduce((total, row) => total + of(row), 0);
  const viewOf = ({ view, channels }: Account): LiveSourceView => ({
    ...view,
    messages: sum(channels, (row) => row.messages),
    channels: channels.length,
    remembered: sum(channels, (row) => Number(row.choice === 'remember')),
    undecided: sum(channels, (row) => Number(row.choice === 'ask')),
    unreadable: sum(channels, (row) => row.unreadable),
  });
  const list = () => ({ items: sources.map(viewOf), is_secret_lost_at_end: false });
  const changed = () => {
    host.changed('sources');
    return list();
  };
  const change = (id: string, patch: Partial<View>) => {
    const source = find(id);
    source.view = { ...source.view, ...patch };
    return changed();
  };
  const check = (secret: string | undefined) => {
    if (secret === 'wrong') throw refused('The server refused the user name or the password. Check both, and create an app password if your provider asks for one.');
  };

  return {
    live_sources_list: list,
    live_source_add({ settings, secret, name }) {
      check(secret);
      last += 1;
      const [kind, id] = [String(settings['kind']), `src_new_${last}`];
      const channels = FOUND[kind] ?? [];
      const account = typeof settings['user'] === 'string' ? settings['user'] : kind === 'simplex' ? 'SimpleX' : 'Webhook';
      sources = [...sources, accountOf({ view: { id, kind, name: name ?? account, settings }, channels }, host.now())];
      host.changed('sources');
      return { id, token: kind === 'webhook' ? 'ksin_5f0c7b1e94d24a8fb3c6d7e8f9a0b1c2' : null, channels: channels.length };
    },
    live_source_reconnect({ id, settings, secret }) {
      check(secret);
      return change(id, { state: 'live', detail: null, next_at: null, ...(settings ? { settings } : {}) });
    },
    live_source_sign_in: ({ settings }) =>
      settings['kind'] === 'mail'
        ? { attempt: 'attempt_1', address: 'https://provider.example/device', code: 'ABCD-EFGH', is_opened: true }
        : { attempt: 'attempt_1', address: `https://${String(settings['homeserver'])}/_matrix/client/v3/login/sso/redirect`, code: null, is_opened: true },
    live_source_recover({ id, recovery_key }) {
      if (recovery_key === 'wrong') throw refused('This is not the recovery key or passphrase of this Matrix account. Check it and enter it again.');
      const source = find(id);
      source.channels = source.channels.map((row) => ({ ...row, messages: row.messages + row.unreadable, unreadable: 0 }));
      return change(id, { device: { is_verified: true, can_be_verified: true, backup: 'open', keys_done: 3, keys_total: 3, comparison: null } });
    },
    live_source_compare({ id, action }) {
      const stage = STAGES[action] ?? 'cancelled';
      const { device } = find(id).view;
      if (!device) throw refused('This account has no encryption.');
      return change(id, { device: { ...device, is_verified: stage === 'done', comparison: { stage, other: 'Element on Linux', emoji: stage === 'shown' ? data.emoji.map(([symbol = '', word = '']) => ({ symbol, name: word })) : [] } } });
    },
    live_source_pause({ id, is_paused }) {
      for (const each of sources) {
        if (id !== undefined && id !== null && each.view.id !== id) continue;
        each.view = { ...each.view, state: is_paused ? 'paused' : 'live', detail: null, next_at: null, done: null, total: null };
      }
      return changed();
    },
    live_source_rename({ id, name }) {
      if (name.trim() === '') throw refused('a source needs a name of 1 to 100 characters without line breaks');
      return change(id, { name: name.trim() });
    },
    live_source_token({ id }) {
      host.changed('sources');
      return { id, token: 'ksin_8f14e45fceea167a5a36dedd4bea2543', channels: find(id).channels.length };
    },
    live_source_schedule: ({ id, daily_hour }) => change(id, { daily_hour: daily_hour ?? null, ...(daily_hour == null ? { state: 'live', next_at: null } : { state: 'scheduled', next_at: host.now() + 8 * HOUR }) }),
    live_source_remove_preview({ id }) {
      const { messages } = viewOf(find(id));
      return { messages, conversations: find(id).channels.filter((row) => row.messages > 0).length, shortened: 0, memories: Math.round(messages / 100) };
    },
    live_source_remove({ id, forget }) {
      const { messages } = viewOf(find(id));
      sources = sources.filter((each) => each.view.id !== id);
      host.changed('sources', ...(forget ? ['imports', 'messages', 'conversations', 'memories'] : []));
      return { messages: forget ? messages : 0, memories: forget ? Math.round(messages / 100) : 0, is_pending: false };
    },
    live_channels_list: ({ id }) => ({ items: find(id).channels }),
    live_channels_choose({ id, channels, choice, since }) {
      const source = find(id);
      const chosen = new Set(channels);
      source.channels = source.channels.map((row) => (chosen.has(row.channel) ? { ...row, choice, since: since ?? null } : row));
      host.changed('sources');
      return { items: source.channels };
    },
  };
}
