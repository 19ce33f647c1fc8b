import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { JobView } from '../../api';
import { fullTime } from '../../design';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { go } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
import { foreseen } from './EraseDialog';
import { erasing } from './erase';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../conversations/index';
import '../people/index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const ask = async (menu: string) => {
  fireEvent.click(await screen.findByTestId(menu));
  fireEvent.click(await screen.findByTestId('menu-erase'));
  await screen.findByTestId('erase-counts');
  return within(screen.getByTestId('erase-dialog'));
};
const openConversation = async () => {
  const host = await renderApp('conversations', {}, { conversation: 'conv_book' });
  await screen.findAllByTestId('message');
  return host;
};
const openPerson = async (name: string) => {
  const host = await renderApp('people');
  fireEvent.click((await screen.findAllByTestId('person-row')).find((row) => row.textContent?.includes(name)) as HTMLElement);
  await screen.findByText('Recent messages');
  return host;
};

beforeEach(() => {
  erasing.set(null);
  for (const [key, value] of [['people.tab', 'people'], ['people.part', 'about'], ['people.filters', {}], ['conversations.open', ''], ['conversations.channels', []], ['conversations.privacy', '']] as const) setUiState(key, value);
});

test('a conversation: what goes is counted, nothing goes by a key, and the receipt outlives it', async () => {
  const host = await openConversation();
  const dialog = await ask('btn-conversation-more');
  expect(dialog.getByText('Erase “Books for the winter” for good?')).toBeDefined();
  expect(within(dialog.getByTestId('erase-counts')).getAllByRole('listitem').map((each) => each.textContent)).toEqual(['5 messages', '1 complete conversation', '3 memories and proposals with no other source']);
  expect(dialog.getByText(/^This cannot be undone\./)).toBeDefined();
  expect(await violations()).toEqual([]);
  await press('Enter', ' ', 'a', 'y');
  expect(asked(host, 'conversation_erase'), 'no key erases by accident').toEqual([]);
  fireEvent.click(dialog.getByTestId('btn-erase'));
  const receipt = within(await screen.findByTestId('erase-receipt'));
  expect(asked(host, 'conversation_erase')).toEqual([{ id: 'conv_book' }]);
  expect(receipt.getByText('Erased: 5 messages, 1 conversation and 3 memories and proposals.')).toBeDefined();
  expect(receipt.getByText(/none contains any of the erased data\. Backups and exports that you made yourself may still contain it\.$/)).toBeDefined();
  await waitFor(() => expect(screen.queryByText('Books for the winter')).toBeNull());
  expect(screen.getByTestId('erase-receipt'), 'though what it is about is gone').toBeDefined();
  fireEvent.click(receipt.getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByTestId('erase-receipt')).toBeNull());
  await press('u');
  await screen.findByText('Erased data cannot be restored.');
  expect(asked(host, 'undo'), 'nothing older is undone in its stead').toEqual([]);
});

test('Cancel and Escape erase nothing', async () => {
  const host = await openConversation();
  const dialog = await ask('btn-conversation-more');
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByTestId('erase-dialog')).toBeNull());
  await ask('btn-conversation-more');
  await press('Escape');
  await waitFor(() => expect(screen.queryByTestId('erase-dialog')).toBeNull());
  expect(asked(host, 'conversation_erase')).toEqual([]);
});

test('while somebody reads the file it says so, and follows the job to its end', async () => {
  const host = await openConversation();
  const job = (state: string, result: string | null): JobView => ({ id: 'job_9', kind: 'erase', title: '', conversation_id: null, state, is_cancelling: false, stage: null, done: 0, total: 0, attempts: 1, attempts_max: 4, retry_at: null, error: null, result, created_at: 0, started_at: null, finished_at: null });
  let answer = job('queued', null);
  host.answer('conversation_erase', () => ({ messages: 5, conversations: 1, memories: 0, is_pending: true, job_id: 'job_9' }));
  host.answer('jobs_list', () => ({ items: [answer], queued: 1, paused: false, paused_until: null }));
  const dialog = await ask('btn-conversation-more');
  fireEvent.click(dialog.getByTestId('btn-erase'));
  const receipt = within(await screen.findByTestId('erase-receipt'));
  expect(receipt.getByText('Erased, but not yet from every file')).toBeDefined();
  expect(receipt.getByText(/another program still has the data file open/)).toBeDefined();
  answer = job('done', JSON.stringify({ messages: 5, verified_at_ms: Date.UTC(2026, 10, 20, 14, 5) }));
  host.emit({ type: 'changed', tags: ['jobs'] });
  await receipt.findByText(`All of Keepsake’s files were checked on ${fullTime(Date.UTC(2026, 10, 20, 14, 5))}, and none contains any of the erased data. Backups and exports that you made yourself may still contain it.`);
  expect(receipt.getByText('Erased')).toBeDefined();
});

test('a person: what others said stays, and it says so; the owner cannot be erased', async () => {
  const host = await openPerson('Tomasz Wrona');
  const dialog = await ask('btn-person-more');
  expect(dialog.getByText('Erase everything from Tomasz Wrona for good?')).toBeDefined();
  expect(within(dialog.getByTestId('erase-counts')).getAllByRole('listitem').map((each) => each.textContent)).toEqual(['1 message', '1 conversation loses messages but stays', 'No memories, because none comes only from it']);
  expect(await violations()).toEqual([]);
  fireEvent.click(dialog.getByTestId('btn-erase'));
  await screen.findByTestId('erase-receipt');
  expect(asked(host, 'person_erase')).toEqual([{ id: 'ent_Tomasz Wrona' }]);
});

test('what was erased is not shown out of the window’s own memory either', async () => {
  let isHeld = false;
  const host = await renderApp('people', { hold: (cmd) => (isHeld && cmd === 'person_get' ? new Promise<void>(() => undefined) : undefined) });
  await screen.findByText(/before my sister visits in May/);
  act(() => go('conversations', { conversation: 'conv_kitchen' }));
  await screen.findAllByTestId('message');
  const dialog = await ask('btn-conversation-more');
  fireEvent.click(dialog.getByTestId('btn-erase'));
  const receipt = within(await screen.findByTestId('erase-receipt'));
  fireEvent.click(receipt.getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
  isHeld = true;
  act(() => go('people'));
  expect((await screen.findByTestId('person-name')).textContent).toBe('Robin Hale');
  await waitFor(() => expect(asked(host, 'person_get').length).toBeGreaterThan(1));
  expect(screen.queryByText(/before my sister visits in May/)).toBeNull();
});

test('the owner’s own page offers no such thing', async () => {
  await openPerson('Robin Hale');
  expect(screen.queryByTestId('btn-person-more')).toBeNull();
});

test('a refusal says why', async () => {
  const host = await openConversation();
  host.failNext('conversation_erase', new RpcError('failed', 'The disk is full.'));
  const dialog = await ask('btn-conversation-more');
  fireEvent.click(dialog.getByTestId('btn-erase'));
  expect((await dialog.findByText(/The disk is full\./)).getAttribute('role')).toBe('alert');
});

test('what could not be counted cannot be erased', async () => {
  const host = await openConversation();
  host.failNext('conversation_erase_preview', new RpcError('internal', 'The disk is busy.'));
  fireEvent.click(screen.getByTestId('btn-conversation-more'));
  fireEvent.click(await screen.findByTestId('menu-erase'));
  await screen.findByText('The disk is busy.');
  expect((screen.getByTestId('btn-erase') as HTMLButtonElement).disabled).toBe(true);
});

test.each([
  ['everything', { messages: 2, conversations: 2, shortened: 1, memories: 1 }, ['2 messages', '2 complete conversations', '1 conversation loses messages but stays', '1 memory or proposal with no other source']],
  ['only what there is', { messages: 1, conversations: 0, shortened: 0, memories: 0 }, ['1 message', 'No memories, because none comes only from it']],
])('what would go: %s', (_, preview, expected) => expect(foreseen(preview)).toEqual(expected));
