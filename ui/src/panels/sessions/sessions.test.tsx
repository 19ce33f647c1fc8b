import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import type { SessionsResponse } from '../../api';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.queryAllByTestId('session-row');
const open = async (tab: 'sessions' | 'tiers' | 'agents' = 'sessions') => {
  const host = await renderApp('sessions');
  // The window remembers the last tab.
  fireEvent.click(await screen.findByTestId(`sessions-tab-${tab}`));
  if (tab === 'sessions') await screen.findAllByTestId('session-row');
  return host;
};

describe('sessions', () => {
  test('a row says what it was about, with whom, how it ended and how much it matters', async () => {
    await open();
    const kitchen = rows()[0] as HTMLElement;
    for (const words of ['I need to plan a kitchen renovation', 'ChatGPT', 'Resolved']) expect(kitchen.textContent).toContain(words);
    within(kitchen).getByRole('img', { name: 'Significance 4 of 5' });
    await screen.findAllByTestId('session-item');
    expect(await violations()).toEqual([]);
  });

  test('each field stands with its line, and the line opens where it was said', async () => {
    await open();
    const lines = await screen.findAllByTestId('session-item');
    expect(screen.getByTestId('session-detail').textContent).toContain('Preferences noted');
    const preference = lines.find((line) => line.textContent?.includes('She is left-handed')) as HTMLElement;
    fireEvent.click(preference);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen' } });
    expect(nav.get().target?.message).toBeTruthy();
  });

  test('how the user felt and how deep it went are told where a line shows it', async () => {
    await open();
    await screen.findAllByTestId('session-item');
    const terms = () => [...screen.getByTestId('session-detail').querySelectorAll('dt')].map((each) => each.textContent);
    expect(terms()).toEqual(['Outcome', 'Significance 4 of 5', 'Mood']);
    await press('j');
    await waitFor(() => expect(terms()).toEqual(['Outcome', 'Significance 3 of 5']));
  });

  test('an earlier version is told of and says that it stays', async () => {
    await open();
    expect((await screen.findAllByTestId('session-version'))[0]?.textContent).toContain('7 messages');
    await press('j');
    await waitFor(() => expect(screen.getByTestId('session-title').textContent).toContain('training week'));
    await waitFor(() => expect(screen.queryAllByTestId('session-version')).toHaveLength(0));
  });

  test('it says who summed up each record, the standing one and those before it', async () => {
    const host = await open();
    await waitFor(() => expect(screen.getByTestId('session-made-by').textContent).toContain('Summarized by the built-in engine'));
    expect((await screen.findAllByTestId('session-version'))[0]?.textContent).toContain('by the built-in engine');
    const list = (await host.rpc('sessions_list', {})) as SessionsResponse;
    const model = list.items.map((row) => ({ ...row, proposer: 'llama3.2:3b session/1' }));
    host.answer('sessions_list', () => ({ ...list, items: model }));
    await host.rpc('sessions_rebuild', {});
    await waitFor(() => expect(screen.getByTestId('session-made-by').textContent).toContain('Summarized by llama3.2:3b'));
  });

  test('words narrow the list and there is a way back', async () => {
    await open();
    fireEvent.change(screen.getByTestId('sessions-search'), { target: { value: 'claude' } });
    await waitFor(() => expect(rows()).toHaveLength(1));
    fireEvent.change(screen.getByTestId('sessions-search'), { target: { value: 'no such session' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Clear search' }));
    await waitFor(() => expect(rows()).toHaveLength(2));
  });

  test('with nothing there it says why, and a list that cannot be loaded tries again', async () => {
    const host = await renderApp('review');
    host.failNext('sessions_list', new RpcError('internal', 'The disk is busy.'));
    await press('g', 'e');
    fireEvent.click(await screen.findByTestId('sessions-tab-sessions'));
    await screen.findByText('The disk is busy.');
    host.answer('sessions_list', () => ({ items: [], agents: [] }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });
});

describe('memory tiers', () => {
  test('each tier stands as it is given, with its budget, what did not fit and where each line comes from', async () => {
    await open('tiers');
    const tiers = await screen.findAllByTestId('tier');
    expect(tiers.map((tier) => tier.dataset['tier'])).toEqual(['shared', 'agent', 'agent', 'user', 'user']);
    const shared = tiers[0] as HTMLElement;
    expect(within(shared).getByTestId('tier-budget').textContent).toMatch(/^\d+ of 4,000 characters$/);
    expect(screen.getAllByTestId('tier-left-out')[0]?.textContent).toContain('1 line did not fit');
    expect(await violations()).toEqual([]);
    fireEvent.click(within(shared).getAllByTestId('tier-line')[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen' } });
  });

  test('a guest is given nothing of what agents share, and it says so', async () => {
    const host = await open('tiers');
    await screen.findAllByTestId('tier');
    fireEvent.click(screen.getByTestId('tiers-role-guest'));
    await waitFor(() => expect(screen.getAllByText('Not shown to guests.')).toHaveLength(3));
    expect(asked(host, 'tiers_preview').at(-1)).toEqual({ agent: null, person: null, role: 'guest' });
  });
});

describe('agents', () => {
  test('what an agent may do is chosen at once and can be taken back', async () => {
    const host = await open('agents');
    const card = (await screen.findAllByTestId('agent-card')).find((each) => each.dataset['agent'] === 'Claude') as HTMLElement;
    expect(card.textContent).toContain('Served once');
    fireEvent.click(within(card).getByTestId('agent-goals'));
    await waitFor(() => expect(asked(host, 'agent_choose')).toEqual([{ name: 'Claude', skips_memory: null, holds_goals: true }]));
    fireEvent.click(within(card).getByTestId('agent-memory'));
    await waitFor(() => expect(asked(host, 'agent_choose').at(-1)).toEqual({ name: 'Claude', skips_memory: true, holds_goals: null }));
    await press('u');
    await waitFor(() => expect(asked(host, 'agent_choose').at(-1)).toEqual({ name: 'Claude', skips_memory: false, holds_goals: null }));
    expect(await violations()).toEqual([]);
  });

  test('a person becomes a friend, and what agents were given stands below without its words', async () => {
    const host = await open('agents');
    const person = (await screen.findAllByTestId('person-role'))[0] as HTMLElement;
    fireEvent.click(within(person).getByRole('radio', { name: 'Friend' }));
    await waitFor(() => expect(asked(host, 'person_role_set')).toEqual([{ id: person.dataset['person'], role: 'friend' }]));
    expect(screen.getAllByTestId('agent-read')[0]?.textContent).toContain('2,140 characters, 18 items');
  });
});
