import { describe, expect, test } from 'vitest';
import type { LiveChannelView, LiveSourceView } from '../../../api';
import { type AccountForm, type AccountKind, EMPTY_FORM, changedSettings, formOf, isThisComputer, problemsOf, secretOf, serverOf, settingsOf } from './accountSettings';
import { PROVIDERS, providerOf } from './mailProviders';
import { countByChoice, matching, sinceOf, undecidedFirst } from './channelChoices';
import { stateOf } from './sourceState';
import { curlExample, webhookAddress } from './Webhook';

const NOW = new Date(2026, 10, 20, 13, 30).getTime();
const MINUTE = 60_000;

const source = (change: Partial<LiveSourceView>): LiveSourceView => ({
  id: 'src_1', kind: 'mail', name: 'robin@mail.example', state: 'live', detail: null, done: null, total: null, next_at: null, daily_hour: null,
  last_message_at: null, messages: 0, channels: 5, remembered: 2, undecided: 0, unreadable: 0, device: null, left_out: [], settings: { kind: 'mail' }, ...change,
});

describe('what an account is doing, in words', () => {
  test.each<[string, Partial<LiveSourceView>, string]>([
    ['up to date', { last_message_at: NOW - 2 * MINUTE }, 'Up to date · last message 2 minutes ago'],
    ['nothing came yet', {}, 'Up to date · no new messages yet'],
    ['nothing is chosen', { remembered: 0 }, 'Connected. Nothing is stored until you choose folders.'],
    ['rooms are called rooms', { kind: 'matrix', remembered: 0 }, 'Connected. Nothing is stored until you choose rooms.'],
    ['a webhook needs no choice', { kind: 'webhook', remembered: 0 }, 'Ready · waiting for the first message'],
    ['a webhook with messages', { kind: 'webhook', last_message_at: NOW - 60 * MINUTE }, 'Ready · last message 1 hour ago'],
    ['older messages of a known number', { state: 'catching_up', done: 1_200, total: 20_000 }, 'Reading older messages: 1,200 of 20,000'],
    ['of an unknown number', { state: 'catching_up', done: 1_200 }, 'Reading older messages: 1,200 so far'],
    ['connecting', { state: 'connecting' }, 'Connecting'],
    ['paused', { state: 'paused' }, 'Paused'],
    ['once a day', { state: 'scheduled', next_at: new Date(2026, 10, 20, 22, 0).getTime() }, 'Next reading: 10:00 PM'],
    ['tomorrow', { state: 'scheduled', next_at: new Date(2026, 10, 21, 7, 0).getTime() }, 'Next reading: tomorrow, 7:00 AM'],
    ['tried again', { state: 'retrying', detail: 'The server does not answer.', next_at: new Date(2026, 10, 20, 14, 5).getTime() }, 'Not connected; trying again at 2:05 PM'],
    ['the server says what to do', { state: 'needs_attention', detail: 'Wrong password. Enter it again.' }, 'Wrong password. Enter it again.'],
    ['no words of the server', { state: 'needs_attention' }, 'Needs your attention'],
    ['the password is gone', { state: 'needs_secret' }, 'Sign in again'],
    ['no process reads it', { state: 'stopped' }, 'Not being read at the moment'],
    ['a state of a later version', { state: 'dreaming' }, 'Not being read at the moment'],
  ])('%s', (_, change, text) => expect(stateOf(source(change), NOW, { locale: 'en' }).text.replaceAll('\u202f', ' ')).toBe(text));

  test.each<[string, Partial<LiveSourceView>, string | null]>([
    ['nothing to do', {}, null],
    ['a password', { state: 'needs_secret' }, 'Enter password…'],
    ['a token', { kind: 'matrix', state: 'needs_attention', settings: { kind: 'matrix', sign_in: 'access_token' } }, 'Enter token…'],
    ['a code', { state: 'needs_secret', settings: { kind: 'mail', sign_in: { with: 'oauth2' } } }, 'Sign in again…'],
    ['no secret at all', { kind: 'simplex', state: 'needs_attention', settings: { kind: 'simplex', port: 5_225 } }, 'Connect again…'],
    ['the server may have moved', { state: 'retrying' }, 'Change settings…'],
  ])('the button for: %s', (_, change, label) => expect(stateOf(source(change), NOW).reconnect).toBe(label));

  test('a webhook is not ready while nothing can arrive', () => expect(stateOf(source({ kind: 'webhook' }), NOW, { isReceiving: false })).toMatchObject({ text: 'Not receiving messages', tone: 'warn' }));

  test('a count that grows and a time that passes are not announced', () => {
    const announced = (change: Partial<LiveSourceView>) => stateOf(source(change), NOW).announced;
    expect(announced({ state: 'catching_up', done: 1, total: 9 })).toBe(announced({ state: 'catching_up', done: 2, total: 9 }));
    expect(announced({ last_message_at: NOW - MINUTE })).toBe(announced({ last_message_at: NOW }));
    expect(announced({ state: 'needs_attention', detail: 'Wrong password.' })).toContain('Wrong password.');
  });
});

describe('the settings of an account', () => {
  const form = (change: Partial<AccountForm>): AccountForm => ({ ...EMPTY_FORM, ...change });
  const mail = form({ host: ' imap.mail.example ', user: 'robin@mail.example', secret: 'hunter2' });
  const code = form({ ...mail, signIn: 'code', clientId: ' app-1 ', deviceUrl: 'https://p.example/device ', tokenUrl: 'https://p.example/token', scope: 'mail' });
  const signIn = { with: 'oauth2', client_id: 'app-1', device_url: 'https://p.example/device', token_url: 'https://p.example/token', scope: 'mail' };

  test.each<[AccountKind, AccountForm, Record<string, unknown>]>([
    ['mail', mail, { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'robin@mail.example', sign_in: { with: 'password' }, leave_out_automatic: true }],
    ['mail', { ...mail, user: 'robin', address: 'robin@mail.example', leavesOutAutomatic: false }, { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'robin', sign_in: { with: 'password' }, addresses: ['robin@mail.example'], leave_out_automatic: false }],
    ['mail', code, { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'robin@mail.example', sign_in: signIn, leave_out_automatic: true }],
    ['matrix', form({ homeserver: 'matrix.example', user: '@robin:matrix.example' }), { kind: 'matrix', homeserver: 'matrix.example', user: '@robin:matrix.example', sign_in: 'password' }],
    ['matrix', form({ homeserver: 'matrix.example', signIn: 'token' }), { kind: 'matrix', homeserver: 'matrix.example', user: '', sign_in: 'access_token' }],
    ['simplex', form({ simplexPort: ' 5226 ' }), { kind: 'simplex', port: 5_226 }],
    ['webhook', form({ name: 'Signal bridge' }), { kind: 'webhook' }],
  ])('of %s', (kind, entered, settings) => expect(settingsOf(kind, entered)).toEqual(settings));

  test('never contain the secret', () => {
    expect(JSON.stringify(settingsOf('mail', code))).not.toContain('hunter2');
    for (const kind of ['mail', 'matrix', 'simplex', 'webhook'] as const) expect(JSON.stringify(settingsOf(kind, mail))).not.toContain('hunter2');
  });

  test.each<[AccountKind, Partial<AccountForm>, string | undefined]>([
    ['mail', { secret: ' with spaces ' }, ' with spaces '],
    ['mail', { secret: 'left over from the password', signIn: 'code' }, undefined],
    ['matrix', { secret: 'hunter2' }, 'hunter2'],
    ['simplex', { secret: 'left over from mail' }, undefined],
    ['webhook', { secret: 'left over from mail' }, undefined],
  ])('the secret of %s %j', (kind, change, secret) => expect(secretOf(kind, form(change))).toBe(secret));

  test.each<[AccountKind, Partial<AccountForm>, Record<string, string>]>([
    ['mail', {}, { host: 'needed', user: 'needed', secret: 'needed' }],
    ['mail', { ...mail, port: '99999' }, { port: 'badPort' }],
    ['mail', mail, {}],
    ['mail', { ...code, clientId: ' ', deviceUrl: '', tokenUrl: '', scope: '', secret: '' }, { clientId: 'needed', deviceUrl: 'needed', tokenUrl: 'needed' }],
    ['mail', { ...code, scope: '', secret: '' }, {}],
    ['matrix', { secret: 'x' }, { homeserver: 'needed', user: 'needed' }],
    ['matrix', { secret: 'x', user: '@robin:matrix.example' }, {}],
    ['matrix', { secret: 'x', homeserver: 'matrix.example', signIn: 'token' }, {}],
    ['simplex', { simplexPort: 'five' }, { simplexPort: 'badPort' }],
    ['webhook', { name: '  ' }, { name: 'needed' }],
  ])('what is missing for %s %j', (kind, change, problems) => expect(problemsOf(kind, form(change))).toEqual(problems));

  test('connecting again sends only what changed, and keeps what the form does not show', () => {
    const stored = source({ settings: { kind: 'matrix', homeserver: 'https://matrix.example/', user: '@robin:matrix.example', device: 'KEEPSAKE', sign_in: 'password' } });
    const again = { ...formOf(stored), secret: 'new' };
    expect(changedSettings('matrix', stored, again)).toBeUndefined();
    expect(changedSettings('matrix', stored, { ...again, homeserver: 'other.example' })).toEqual({ ...stored.settings, homeserver: 'other.example' });
  });

  test('a code is asked for at the same provider again', () => {
    const stored = source({ settings: { ...settingsOf('mail', code), check_s: 240 } });
    const again = formOf(stored);
    expect(again).toMatchObject({ signIn: 'code', clientId: 'app-1', deviceUrl: 'https://p.example/device', scope: 'mail' });
    expect(changedSettings('mail', stored, again)).toBeUndefined();
    expect(changedSettings('mail', stored, { ...again, signIn: 'password' })).toEqual({ ...stored.settings, sign_in: { with: 'password' } });
  });

  test('a provider is known by its addresses', () => {
    expect(providerOf(EMPTY_FORM)).toBe('microsoft');
    expect(providerOf(form(PROVIDERS.other))).toBe('other');
    expect(providerOf(form({ scope: 'mail' }))).toBe('other');
    expect(providerOf(formOf({ name: '', settings: { kind: 'mail', sign_in: { ...signIn, device_url: PROVIDERS.microsoft.deviceUrl, token_url: PROVIDERS.microsoft.tokenUrl, scope: PROVIDERS.microsoft.scope } } }))).toBe('microsoft');
  });

  test.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['127.evil.example', false],
    ['imap.mail.example', false],
  ])('%s is this computer: %s', (host, expected) => expect(isThisComputer(host)).toBe(expected));

  test('a user ID names its server while connecting', () => expect(serverOf('matrix', form({ user: '@robin:matrix.example' }))).toBe('matrix.example'));
});

describe('channels', () => {
  const row = (channel: string, choice = 'ask'): LiveChannelView => ({ channel, title: `Room ${channel}`, member_count: null, is_encrypted: false, is_public: false, choice, since: null, unreadable: 0, messages: 0 });
  const rows = [row('a', 'remember'), row('b'), row('c', 'ignore'), row('d')];
  const ids = (some: readonly LiveChannelView[]) => some.map((each) => each.channel).join('');

  test('undecided ones come first, and one that is decided now stays where it is', () => {
    const decided = new Set(['a', 'c']);
    expect(ids(undecidedFirst(rows, decided))).toBe('bdac');
    expect(ids(undecidedFirst([row('a', 'remember'), row('b', 'ignore'), row('c', 'ignore'), row('d')], decided))).toBe('bdac');
  });
  test.each([
    ['', 'all', 'abcd'],
    ['', 'ask', 'bd'],
    [' ROOM A ', 'all', 'a'],
    ['room', 'ignore', 'c'],
    ['other', 'all', ''],
  ] as const)('“%s” among %s', (query, view, expected) => expect(ids(matching(rows, query, view))).toBe(expected));
  test('are counted', () => expect(countByChoice(rows)).toEqual({ all: 4, ask: 2, remember: 1, ignore: 1 }));
  test.each([
    ['everything', undefined],
    ['year', new Date(2025, 10, 20, 13, 30).getTime()],
    ['month', new Date(2026, 9, 20, 13, 30).getTime()],
    ['now', NOW],
  ] as const)('from %s on', (period, since) => expect(sinceOf(period, NOW)).toBe(since));
  test('a month before the 31st is the last day of a shorter month', () => expect(new Date(sinceOf('month', new Date(2026, 2, 31, 12).getTime()) ?? 0).getDate()).toBe(28));
});

test('the example for a webhook can be run as it is', () => {
  const address = webhookAddress(7_331, 'src_1');
  expect(address).toBe('http://127.0.0.1:7331/v1/in/src_1');
  const call = curlExample(address, 'ksin_abc');
  expect(call).toContain("-H 'Authorization: Bearer ksin_abc'");
  expect(JSON.parse(/-d '(.*)'$/.exec(call)?.[1] ?? '')).toMatchObject({ conversation: 'kitchen', role: 'person' });
});
