import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import type { AgentRow, AgentsOverview } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { settled } from '../../state/decisions';
import { press, renderApp, violations } from '../../test/render';
import { type NewAgent, CHANNELS_MAX, NAME_CHARS_MAX, channelsOf, problemsOf } from './access';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const card = (name: string) => screen.getAllByTestId('agent-card').find((each) => each.dataset['agent'] === name) as HTMLElement;
const open = async () => {
  const host = await renderApp('sessions');
  // The window remembers the last tab.
  fireEvent.click(await screen.findByTestId('sessions-tab-agents'));
  await screen.findAllByTestId('agent-card');
  return host;
};
const type = (id: string, value: string) => fireEvent.change(screen.getByTestId(id), { target: { value } });
const save = () => fireEvent.click(screen.getByTestId('btn-agent-save'));
const token = () => (screen.getByTestId('agent-token') as HTMLInputElement).value;
const setClipboard = (writeText: (text: string) => Promise<void>) => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });

describe('adding an agent', () => {
  test('a key opens the form, and the token is shown once, with how to use it', async () => {
    const copied = vi.fn(async () => undefined);
    setClipboard(copied);
    const host = await open();
    await press('n');
    await screen.findByTestId('agent-dialog');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('agent-new-name')));
    expect(await violations()).toEqual([]);
    type('agent-new-name', ' Porter ');
    fireEvent.keyDown(screen.getByTestId('agent-new-name'), { key: 'Enter' });
    const dialog = await screen.findByTestId('agent-token-dialog');
    expect(asked(host, 'agent_add')).toEqual([{ name: 'Porter', visibility: 'private', channels: [], talks_with_others: false }]);
    const made = token();
    expect(made).toMatch(/^ksk_[0-9a-f]{64}$/);
    for (const words of ['only once', 'only a hash', 'keepsake serve', 'Authorization: Bearer …']) expect(dialog.textContent).toContain(words);
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId('btn-agent-token-copy'));
    await within(dialog).findByRole('button', { name: 'Copied' });
    expect(copied).toHaveBeenCalledWith(made);
    fireEvent.click(screen.getByTestId('btn-agent-token-done'));
    await waitFor(() => expect(screen.queryByTestId('agent-token-dialog')).toBeNull());
    await waitFor(() => expect(card('Porter').textContent).toContain('Talks with you, in all channels'));
    expect(card('Porter').textContent).toContain('Token never used');
    expect(document.body.innerHTML).not.toContain(made);
    await press('u');
    await screen.findByText('Adding Porter cannot be undone here. You can remove it in the list of agents.');
  });

  test('an agent that talks with others needs channels, unless it is told public things only', async () => {
    const host = await open();
    fireEvent.click(screen.getByTestId('btn-agent-new'));
    await screen.findByTestId('agent-dialog');
    type('agent-new-name', 'Porter');
    fireEvent.click(screen.getByTestId('agent-users-others'));
    save();
    const channels = screen.getByRole('textbox', { name: 'Channels', description: /enter the channels where it does so/ });
    expect(channels.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(channels);
    expect(asked(host, 'agent_add')).toEqual([]);
    fireEvent.click(screen.getByTestId('agent-level-public'));
    expect(channels.getAttribute('aria-invalid')).toBe('false');
    fireEvent.click(screen.getByTestId('agent-level-private'));
    type('agent-new-channels', 'Telegram, matrix:!lobby , telegram,');
    save();
    await screen.findByTestId('agent-token-dialog');
    expect(asked(host, 'agent_add')).toEqual([{ name: 'Porter', visibility: 'private', channels: ['matrix:!lobby', 'telegram'], talks_with_others: true }]);
    await waitFor(() => expect(card('Porter').textContent).toContain('Talks with other people, only in matrix:!lobby and telegram'));
  });

  test('what the backend refuses is said, and nothing is lost', async () => {
    const host = await open();
    host.failNext('agent_add', new RpcError('refused', 'there are already 200 agents; remove one that you no longer use'));
    await press('n');
    await screen.findByTestId('agent-dialog');
    type('agent-new-name', 'Porter');
    save();
    await screen.findByText('The agent was not added. there are already 200 agents; remove one that you no longer use');
    expect((screen.getByTestId('agent-new-name') as HTMLInputElement).value).toBe('Porter');
    await press('^Enter');
    await screen.findByTestId('agent-token-dialog');
  });

  test('a token that was not copied takes two attempts to close', async () => {
    setClipboard(() => Promise.reject(new Error('denied')));
    await open();
    await press('n');
    await screen.findByTestId('agent-dialog');
    type('agent-new-name', 'Porter');
    save();
    await screen.findByTestId('agent-token-dialog');
    fireEvent.click(screen.getByTestId('btn-agent-token-copy'));
    await screen.findByText('The token could not be copied. Select it and copy it by hand.');
    fireEvent.click(screen.getByTestId('btn-agent-token-done'));
    fireEvent.click(screen.getByRole('button', { name: 'Close without copying' }));
    await waitFor(() => expect(screen.queryByTestId('agent-token-dialog')).toBeNull());
  });

  const agent = (change: Partial<NewAgent>): NewAgent => ({ name: 'Porter', level: 'private', users: 'me', channels: '', ...change });
  const known = [
    { name: 'Night Desk', access: {} },
    { name: 'Claude', access: null },
  ] as AgentRow[];
  const many = (count: number) => Array.from({ length: count }, (_, at) => `chat:${at}`).join(',');
  test.each<[string, Partial<NewAgent>, RegExp | null, RegExp | null]>([
    ['a name', {}, null, null],
    ['no name', { name: '  ' }, /at most 60/, null],
    ['the longest name', { name: 'é'.repeat(NAME_CHARS_MAX) }, null, null],
    ['a longer name', { name: 'é'.repeat(NAME_CHARS_MAX + 1) }, /at most 60/, null],
    ['a name with a control character', { name: 'a\tb' }, /at most 60/, null],
    ['a name that is taken, written differently', { name: ' night  desk' }, /agent named Night Desk already exists/, null],
    ['the name of a program without a token', { name: 'claude' }, null, null],
    ['others, in private, anywhere', { users: 'others' }, null, /enter the channels/],
    ['others, in private, only commas', { users: 'others', channels: ' , ' }, null, /enter the channels/],
    ['others, in public', { users: 'others', level: 'public' }, null, null],
    ['others, in a channel', { users: 'others', channels: 'telegram' }, null, null],
    ['as many channels as possible', { channels: many(CHANNELS_MAX) }, null, null],
    ['one channel more', { channels: many(CHANNELS_MAX + 1) }, null, /at most 100 channels/],
  ])('the form is checked as the backend checks it: %s', (_, change, name, channels) => {
    const found = problemsOf(agent(change), known);
    // An empty text is no problem.
    expect(found.name ?? '').toMatch(name ?? /^$/);
    expect(found.channels ?? '').toMatch(channels ?? /^$/);
  });

  test('channels are listed once, in lower case', () => expect(channelsOf(' Telegram:12, matrix ,,telegram:12')).toEqual(['matrix', 'telegram:12']));
});

describe('an agent with a token', () => {
  test('it says where it is let in and when its token was last used', async () => {
    await open();
    const access = within(card('helpdesk')).getByTestId('agent-access');
    expect(access.textContent).toMatch(/^Talks with other people, only in matrix and telegram:4711Token last used .* ago/);
    expect(within(card('Claude')).queryByTestId('agent-access')).toBeNull();
    expect(within(card('Claude')).queryByTestId('agent-pause')).toBeNull();
  });

  test('it is paused at once, visibly, and resumed by the same switch or by undo', async () => {
    const host = await open();
    const pause = () => within(card('helpdesk')).getByRole('switch', { name: 'Paused: helpdesk' });
    fireEvent.click(pause());
    expect(pause().getAttribute('aria-checked')).toBe('true');
    expect(card('helpdesk').dataset['paused']).toBe('true');
    expect(card('helpdesk').textContent).toContain('It receives nothing');
    await waitFor(() => expect(asked(host, 'agent_pause')).toEqual([{ name: 'helpdesk', is_paused: true }]));
    expect(await violations()).toEqual([]);
    fireEvent.click(pause());
    await waitFor(() => expect(asked(host, 'agent_pause').at(-1)).toEqual({ name: 'helpdesk', is_paused: false }));
    expect(pause().getAttribute('aria-checked')).toBe('false');
    await press('u');
    await waitFor(() => expect(asked(host, 'agent_pause').at(-1)).toEqual({ name: 'helpdesk', is_paused: true }));
    await settled();
    await waitFor(() => expect(pause().getAttribute('aria-checked')).toBe('true'));
  });

  test('a pause that is refused is not shown', async () => {
    const host = await open();
    host.failNext('agent_pause', new RpcError('failed', 'The disk is full.'));
    fireEvent.click(within(card('helpdesk')).getByTestId('agent-pause'));
    await screen.findByText('The disk is full.');
    expect(card('helpdesk').dataset['paused']).toBeUndefined();
  });

  test('a new token is made only after a question, because the old one stops working', async () => {
    const host = await open();
    fireEvent.click(within(card('helpdesk')).getByRole('button', { name: 'New token for helpdesk' }));
    const ask = await screen.findByTestId('agent-ask');
    expect(ask.textContent).toContain('stops working at once');
    expect(await violations()).toEqual([]);
    fireEvent.click(within(ask).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByTestId('agent-ask')).toBeNull());
    expect(asked(host, 'agent_renew')).toEqual([]);
    fireEvent.click(within(card('helpdesk')).getByTestId('btn-agent-renew'));
    host.failNext('agent_renew', new RpcError('failed', 'The disk is full.'));
    fireEvent.click(await screen.findByTestId('btn-agent-ask'));
    await screen.findByText('There is no new token. The old one still works. The disk is full.');
    fireEvent.click(screen.getByTestId('btn-agent-ask'));
    const dialog = await screen.findByTestId('agent-token-dialog');
    within(dialog).getByRole('heading', { name: 'New token for helpdesk' });
    expect(token()).toMatch(/^ksk_/);
  });

  test('it is removed after a question, and keeps its name in the list', async () => {
    const host = await open();
    fireEvent.click(within(card('helpdesk')).getByRole('button', { name: 'Remove helpdesk' }));
    await screen.findByTestId('agent-ask');
    expect(asked(host, 'agent_remove')).toEqual([]);
    fireEvent.click(screen.getByTestId('btn-agent-ask'));
    await screen.findByText('helpdesk was removed. Its token no longer works.');
    expect(asked(host, 'agent_remove')).toEqual([{ name: 'helpdesk' }]);
    await waitFor(() => expect(within(card('helpdesk')).queryByTestId('agent-access')).toBeNull());
    await press('u');
    await screen.findByText('Removing helpdesk cannot be undone. To use it again, you must add it with a new token.');
  });

  test.each(['settings', 'people'])('a change elsewhere (%s) is shown', async (tag) => {
    const host = await open();
    const before = (await host.rpc('agents_overview', {})) as AgentsOverview;
    host.answer('agents_overview', () => ({ ...before, agents: before.agents.map((each) => (each.access ? { ...each, access: { ...each.access, is_paused: true } } : each)) }));
    host.emit({ type: 'changed', tags: [tag] });
    await waitFor(() => expect(card('helpdesk').dataset['paused']).toBe('true'));
  });
});

describe('the access log', () => {
  test('it names what agents sent, and shows one agent when asked', async () => {
    await open();
    const entries = () => screen.getAllByTestId('agent-read').map((each) => each.textContent);
    expect(entries()).toHaveLength(5);
    expect(entries().join()).toContain('Suggested a memory');
    fireEvent.click(screen.getByTestId('agent-reads-of'));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: /helpdesk/ }));
    await waitFor(() => expect(entries()).toHaveLength(2));
    expect(entries().every((each) => each?.startsWith('helpdesk'))).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Clear: Agent' }));
    expect(entries()).toHaveLength(5);
  });

  test('without agents it says how to add one', async () => {
    const host = await renderApp('review');
    host.answer('agents_overview', () => ({ agents: [], reads: [], people: [] }));
    await press('g', 'e');
    fireEvent.click(await screen.findByTestId('sessions-tab-agents'));
    await screen.findByText('No agents yet. Add one to let it ask Keepsake for memories.');
    await screen.findByText('Nothing yet. Entries appear here when an agent asks for something or sends something.');
    expect(screen.queryByTestId('agent-reads-of')).toBeNull();
  });
});
