/**
 * The fake host's connected accounts: a mailbox that is up to date, a Matrix account that reads older messages, SimpleX whose
 * program does not run, and a webhook. Connecting succeeds unless the password is “wrong”.
 */
import type { LiveChannelView, LiveDeviceView, LiveSourceView } from '../../api/schema';
import type { Handlers, Host } from './index';
import { DAY, HOUR, MINUTE, found, refused } from './world';

interface Invented {
  view: Omit<LiveSourceView, 'messages' | 'channels' | 'remembered' | 'undecided' | 'unreadable'>;
  channels: LiveChannelView[];
}

const channel = (id: string, title: string, rest: Partial<LiveChannelView> = {}): LiveChannelView => ({ channel: id, title, member_count: null, is_encrypted: false, is_public: false, choice: 'ask', since: null, unreadable: 0, messages: 0, ...rest });

const FOLDERS = [channel('INBOX', 'Inbox'), channel('Sent', 'Sent'), channel('Archive', 'Archive'), channel('Allotment', 'Allotment')];

const ROOMS = [
  channel('!kitchen:matrix.example', 'Kitchen garden', { member_count: 4, is_encrypted: true }),
  channel('!lobby:matrix.example', 'Beekeeping lobby', { member_count: 1_204, is_public: true }),
];

/** A device that nobody has verified yet. */
const LOCKED: LiveDeviceView = { is_verified: false, can_be_verified: true, backup: 'locked', keys_done: 0, keys_total: 0, comparison: null };

const EMOJI = [
  ['🐶', 'Dog'], ['🎩', 'Hat'], ['🌵', 'Cactus'], ['🔧', 'Spanner'], ['🐝', 'Bee'], ['📌', 'Pin'], ['🐶', 'Dog'],
].map(([symbol = '', name = '']) => ({ symbol, name }));

/** What a comparison becomes by each action. The other device answers at once. */
const STAGES: Readonly<Record<string, string>> = { begin: 'shown', accept: 'shown', match: 'done', mismatch: 'mismatch', cancel: 'cancelled' };

const plain = (kind: string, name: string, settings: Record<string, unknown>): Invented['view'] => ({
  id: '',
  kind,
  name,
  state: 'live',
  detail: null,
  done: null,
  total: null,
  next_at: null,
  daily_hour: null,
  last_message_at: null,
  device: null,
  left_out: [],
  settings,
});

function invent(now: number): Invented[] {
  return [
    {
      view: {
        ...plain('mail', 'robin@mail.example', { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'robin@mail.example', sign_in: { with: 'password' }, leave_out_automatic: true }),
        id: 'src_mail',
        last_message_at: now - 2 * MINUTE,
        left_out: [
          { reason: 'mailing lists', count: 611 },
          { reason: 'sent by a program', count: 201 },
        ],
      },
      channels: [
        channel('INBOX', 'Inbox', { choice: 'remember', since: now - 365 * DAY, messages: 1_204 }),
        channel('Sent', 'Sent', { choice: 'remember', messages: 388 }),
        channel('Archive', 'Archive'),
        channel('Allotment', 'Allotment'),
        channel('Spam', 'Spam', { choice: 'ignore' }),
      ],
    },
    {
      view: {
        ...plain('matrix', '@robin:matrix.example', { kind: 'matrix', homeserver: 'matrix.example', user: '@robin:matrix.example', device: 'KEEPSAKE', sign_in: 'password' }),
        id: 'src_matrix',
        state: 'catching_up',
        done: 1_200,
        total: 20_000,
        device: LOCKED,
        last_message_at: now - 26 * HOUR,
      },
      channels: [
        channel('!allotment:matrix.example', 'Allotment society', { choice: 'remember', member_count: 38, is_encrypted: true, messages: 1_200, unreadable: 12 }),
        ...ROOMS,
      ],
    },
    {
      view: {
        ...plain('simplex', 'SimpleX', { kind: 'simplex', port: 5_225 }),
        id: 'src_simplex',
        state: 'retrying',
        detail: 'SimpleX does not answer on port 5225 of this computer. Start simplex-chat there.',
        next_at: now + 5 * MINUTE,
      },
      channels: [channel('@noor', 'Noor', { choice: 'remember', member_count: 2, is_encrypted: true, messages: 84 })],
    },
    {
      view: { ...plain('webhook', 'Signal bridge', { kind: 'webhook' }), id: 'src_webhook', last_message_at: now - HOUR },
      channels: [channel('chat:family', 'Family', { choice: 'remember', messages: 52 })],
    },
  ];
}

/** A mailbox of someone who keeps a folder for everything. */
const large = (folders: number): Invented => ({
  view: { ...plain('mail', 'archive@mail.example', { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'archive@mail.example', sign_in: { with: 'password' }, leave_out_automatic: true }), id: 'src_large' },
  channels: Array.from({ length: folders }, (_, nth) => channel(`Projects/${nth}`, `Project ${nth + 1}`)),
});

export function liveSourceCommands(host: Host, options: { firstRun: boolean; folders: number }): Handlers {
  let sources = options.firstRun ? [] : invent(host.now());
  if (options.folders > 0) sources = [...sources, large(options.folders)];
  let last = 0;

  const find = (id: string) => found(sources.find((each) => each.view.id === id), 'account');
  const sum = (rows: readonly LiveChannelView[], of: (row: LiveChannelView) => number) => rows.reduce((total, row) => total + of(row), 0);
  const viewOf = ({ view, channels }: Invented): LiveSourceView => ({
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
  const change = (id: string, patch: Partial<Invented['view']>) => {
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
      const channels = kind === 'mail' ? FOLDERS : kind === 'matrix' ? ROOMS : kind === 'simplex' ? [channel('@noor', 'Noor', { member_count: 2, is_encrypted: true })] : [];
      const account = typeof settings['user'] === 'string' ? settings['user'] : kind === 'simplex' ? 'SimpleX' : 'Webhook';
      sources = [...sources, { view: { ...plain(kind, name ?? account, settings), id }, channels: channels.map((row) => ({ ...row })) }];
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
      return change(id, { device: { ...LOCKED, is_verified: true, backup: 'open', keys_done: 3, keys_total: 3 } });
    },
    live_source_compare({ id, action }) {
      const stage = STAGES[action] ?? 'cancelled';
      const { device } = find(id).view;
      return change(id, { device: { ...LOCKED, ...device, is_verified: stage === 'done', comparison: { stage, other: 'Element on Linux', emoji: stage === 'shown' ? EMOJI : [] } } });
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
