import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { endOfDay } from '../../design';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
import { charsOf, linesOf, partsOf } from './contextText';
import { budgetProblem, requestOf } from './ViewAs';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const row = (title: string) => screen.getAllByTestId('channel-row').find((each) => each.textContent?.includes(title));
const open = async (tab = 'channels', options = {}) => {
  setUiState('privacy.tab', tab);
  return renderApp('privacy', options);
};
const openChannel = async (title: string) => {
  const host = await open();
  await screen.findAllByTestId('channel-row');
  fireEvent.click(row(title) as HTMLElement);
  await screen.findByRole('heading', { name: title });
  return host;
};

beforeEach(() => {
  for (const [key, value] of [['privacy.tab', 'channels'], ['privacy.view', {}], ['conversations.open', '']] as const) setUiState(key, value);
});

describe('channels', () => {
  test('a row says what it is and who may see it', async () => {
    await open();
    await screen.findAllByTestId('channel-row');
    for (const words of ['ChatGPT', '1 conversation, 9 messages', 'Public']) expect(row('Planning the kitchen move')?.textContent).toContain(words);
  });

  test('what a choice would change is counted before it is made', async () => {
    const host = await openChannel('Planning the kitchen move');
    fireEvent.click(screen.getByTestId('visibility-private'));
    await screen.findByText('1 conversation with 9 messages becomes private.');
    expect(screen.getByTestId('visibility-effect').textContent).toContain('only in private places with the same people');
    expect(asked(host, 'visibility_set'), 'counted only').toEqual([]);
    expect(await violations()).toEqual([]);
    await press('^Enter');
    await waitFor(() => expect(asked(host, 'visibility_set')).toEqual([{ channel_type: 'chatgpt', channel_id: 'conv_kitchen', visibility: 'private' }]));
    await waitFor(() => expect(row('Planning the kitchen move')?.textContent).toContain('Chosen by you'));
    await press('u');
    await waitFor(() => expect(asked(host, 'visibility_set').at(-1)).toEqual({ channel_type: 'chatgpt', channel_id: 'conv_kitchen', visibility: null }));
    await waitFor(() => expect(row('Planning the kitchen move')?.textContent).not.toContain('Chosen by you'));
  });

  test('opening something is said as such', async () => {
    const host = await openChannel('Mum');
    host.answer('visibility_preview', () => ({ conversations: 1, messages: 4, opened_memories: 2, closed_memories: 0 }));
    fireEvent.click(screen.getByTestId('visibility-public'));
    await screen.findByText('Agents could then use 2 approved memories anywhere.');
    expect(screen.getByTestId('visibility-effect').dataset.opens).toBe('true');
  });

  test('the present choice changes nothing and cannot be applied', async () => {
    const host = await openChannel('Mum');
    expect(screen.getByTestId('visibility-effect').textContent).toContain('Nothing changes');
    expect((screen.getByTestId('btn-visibility-apply') as HTMLButtonElement).disabled).toBe(true);
    await press('^Enter');
    expect(asked(host, 'visibility_set')).toEqual([]);
  });

  test('by keyboard: c to the choices, arrows between them', async () => {
    await openChannel('Mum');
    await press('c');
    expect(document.activeElement?.getAttribute('data-testid')).toBe('visibility-source');
    await press('ArrowDown');
    expect(document.activeElement?.getAttribute('data-testid')).toBe('visibility-public');
    expect(document.activeElement?.getAttribute('aria-checked')).toBe('true');
  });

  test('if counting fails it says so', async () => {
    const host = await openChannel('Mum');
    host.failNext('visibility_preview', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('visibility-public'));
    expect(await screen.findByText('The disk is busy.')).toBeDefined();
  });

  test('words narrow the list; with nothing imported there is one thing to do', async () => {
    await open();
    await screen.findAllByTestId('channel-row');
    fireEvent.change(screen.getByTestId('channels-search'), { target: { value: 'mum' } });
    await waitFor(() => expect(screen.getAllByTestId('channel-row')).toHaveLength(1));
    fireEvent.change(screen.getByTestId('channels-search'), { target: { value: 'no such channel' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(screen.getAllByTestId('channel-row').length).toBeGreaterThan(1));
  });
});

describe('one conversation', () => {
  const openDialog = async () => {
    const host = await renderApp('conversations', {}, { conversation: 'conv_kitchen' });
    await screen.findAllByTestId('message');
    await press('v');
    return { host, dialog: await screen.findByTestId('visibility-dialog') };
  };

  test('who may see it is another question than whether it is kept out of memory', async () => {
    const { dialog } = await openDialog();
    expect(dialog.textContent).toContain('Don’t use for memory');
    expect(screen.getByTestId('btn-private').textContent).toContain('Don’t use for memory');
    expect(screen.getByTestId('btn-private').textContent, 'never called private').not.toMatch(/private/i);
    expect(await violations()).toEqual([]);
  });

  test('its own choice is counted, made and undone', async () => {
    const { host, dialog } = await openDialog();
    fireEvent.click(within(dialog).getByTestId('visibility-private'));
    await within(dialog).findByText(/becomes private/);
    fireEvent.click(within(dialog).getByTestId('btn-visibility-apply'));
    await waitFor(() => expect(asked(host, 'visibility_set')).toEqual([{ conversation_id: 'conv_kitchen', visibility: 'private' }]));
    await waitFor(() => expect(screen.getByTestId('btn-visibility').textContent).toContain('Private'));
    await press('u');
    await waitFor(() => expect(screen.getByTestId('btn-visibility').textContent).toContain('Public'));
  });
});

describe('agents', () => {
  test('each has its level, changed in place and undone', async () => {
    const host = await open('agents');
    const agent = await screen.findByTestId('agent-row');
    expect(agent.textContent).toContain('Sees only what is public');
    fireEvent.click(within(agent).getByRole('radio', { name: 'What the place allows' }));
    await waitFor(() => expect(asked(host, 'agent_set')).toEqual([{ name: 'helpdesk', visibility: 'private' }]));
    await press('u');
    await waitFor(() => expect(asked(host, 'agent_set').at(-1)).toEqual({ name: 'helpdesk', visibility: 'public' }));
    expect(await violations()).toEqual([]);
  });

  test('one is added by its name, at the lower level', async () => {
    const host = await open('agents');
    const field = await screen.findByTestId('agent-name');
    expect((screen.getByTestId('btn-agent-add') as HTMLButtonElement).disabled).toBe(true);
    fireEvent.change(field, { target: { value: ' scout ' } });
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    await waitFor(() => expect(asked(host, 'agent_set')).toEqual([{ name: 'scout', visibility: 'public' }]));
    await waitFor(() => expect(screen.getAllByTestId('agent-row')).toHaveLength(2));
  });
});

describe('view as', () => {
  const shown = () => screen.getByTestId('view-text').textContent ?? '';

  test('the text is shown exactly, and its ids lead to what they name', async () => {
    const host = await open('view');
    await screen.findByTestId('view-text');
    const { text, items } = (await host.rpc('context_preview', {})) as { text: string; items: { id: string }[] };
    expect(shown()).toBe(text);
    const ids = screen.getAllByTestId('view-item');
    expect(ids.map((each) => each.textContent)).toEqual(items.map((each) => each.id));
    fireEvent.click(ids[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'memories', target: { memory: items[0]?.id } });
  });

  test('an agent for public matters is told less, and only the owner sees how much', async () => {
    const host = await open('view');
    const before = (await screen.findByTestId('view-text')).textContent ?? '';
    expect(before, 'there is something private to withhold').toContain('allergic to walnuts');
    expect(screen.getByTestId('view-withheld').textContent).toContain('Nothing was withheld');
    fireEvent.change(screen.getByTestId('view-agent'), { target: { value: 'helpdesk' } });
    await waitFor(() => expect(asked(host, 'context_preview').at(-1)).toMatchObject({ agent: 'helpdesk' }));
    await waitFor(() => expect(shown()).not.toContain('walnuts'));
    const aside = screen.getByTestId('view-withheld');
    for (const words of ['Only you see this', '2 memories', 'private, but this place is public']) expect(aside.textContent).toContain(words);
    expect(shown(), 'nothing of it stands in the text').not.toMatch(/withheld/i);
    expect(await violations()).toEqual([]);
  });

  test('a text that was kept short says why, outside of what is given', async () => {
    const host = await open('view');
    await screen.findByTestId('view-text');
    expect(screen.queryByTestId('view-detail'), 'of usual length nothing is said').toBeNull();
    const user = userEvent.setup();
    await user.click(screen.getByTestId('view-person'));
    await user.keyboard('{ArrowDown}{Enter}');
    await waitFor(() => expect((asked(host, 'context_preview').at(-1) as { person: string | null }).person).not.toBeNull());
    expect((await screen.findByTestId('view-detail')).textContent).toBe('Brief. Because of this entry: Prefers short answers.');
    expect(shown(), 'it is no part of the text').not.toContain('Brief. Because');
  });

  test('person and place are chosen from lists; a message opens in its conversation', async () => {
    const host = await open('view');
    await screen.findByTestId('view-text');
    const user = userEvent.setup();
    await user.click(screen.getByTestId('view-channel'));
    await user.keyboard('kitchen');
    await user.click(await screen.findByRole('option', { name: /Planning the kitchen move/ }));
    await waitFor(() => expect(asked(host, 'context_preview').at(-1)).toMatchObject({ channel: 'chatgpt:conv_kitchen' }));
    await waitFor(() => expect(shown()).toContain('## This conversation'));
    fireEvent.click(screen.getAllByTestId('view-item')[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen' } });
  });

  test('typing is not asked about letter by letter; a length that is none is said and not sent', async () => {
    const host = await open('view');
    await screen.findByTestId('view-text');
    for (const value of ['k', 'ki', 'kitchen']) fireEvent.change(screen.getByTestId('view-query'), { target: { value } });
    await waitFor(() => expect(asked(host, 'context_preview').at(-1)).toMatchObject({ query: 'kitchen' }));
    fireEvent.change(screen.getByTestId('view-budget'), { target: { value: '12' } });
    await screen.findByText('Enter a whole number of characters, 200 to 200,000.');
    expect(asked(host, 'context_preview').map((each) => (each as { query: string | null }).query)).not.toContain('ki');
    expect(asked(host, 'context_preview').map((each) => (each as { budget: number }).budget)).not.toContain(12);
  });

  test('an error of the backend says what happened', async () => {
    const host = await renderApp('review');
    setUiState('privacy.tab', 'view');
    host.failNext('context_preview', new RpcError('invalid', 'There is no handle of that name.'));
    await press('g', 'v');
    expect(await screen.findByText('There is no handle of that name.')).toBeDefined();
  });
});

describe('the text is cut where ids stand and nowhere else', () => {
  const item = (id: string) => ({ id, kind: 'memory', conversation_id: null, sources: [] });
  test.each([
    ['a line of its own', '## X\n- [m1] said\n', ['m1'], ['m1']],
    ['an id further on is text', '- [m1] look at - [m2] there\n', ['m1', 'm2'], ['m1']],
    ['an unknown id is text', '- [zz] said\n', ['m1'], []],
    ['nothing', '', ['m1'], []],
  ])('%s', (_, text, ids, expected) => {
    const parts = partsOf(text, ids.map(item));
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.flatMap((part) => part.item?.id ?? [])).toEqual(expected);
  });
  test('each item has its line', () => expect([...linesOf('## X\n- [m1] said (2026)\n\n## Y\n- [m2] more\n', [item('m1'), item('m2')])]).toEqual([['m1', 'said (2026)'], ['m2', 'more']]));
  test('characters are counted as the backend does', () => expect(charsOf('a🍳b')).toBe(3));
});

test.each([
  ['', null],
  ['6000', null],
  ['200', null],
  ['199', 'Enter a whole number of characters, 200 to 200,000.'],
  ['2.5e2.', 'Enter a whole number of characters, 200 to 200,000.'],
])('the length %j', (budget, expected) => expect(budgetProblem(budget)).toBe(expected));

test('a day ends at its last moment, here', () => {
  expect(endOfDay('2026-03-02')).toBe(new Date(2026, 2, 3).getTime() - 1);
  expect([endOfDay(''), endOfDay('soon')]).toEqual([null, null]);
});

test('an empty form asks for nothing in particular', () =>
  expect(requestOf({ agent: ' ', person: '', channel: '', query: '', budget: '', asOf: '' })).toEqual({ agent: null, person: null, channel: null, query: null, budget: 0, as_of: null }));
