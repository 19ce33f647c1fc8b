import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { duration } from '../../strings/words';
import { press, renderApp, violations } from '../../test/render';
import { reasonWords } from './ConversationStatus';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const open = async (id: string) => {
  const host = await renderApp('conversations', {}, { conversation: id });
  await screen.findAllByTestId('message');
  return host;
};

beforeEach(() => {
  for (const [key, value] of [['conversations.open', ''], ['conversations.channels', []], ['conversations.privacy', ''], ['conversations.standing', false]] as const) setUiState(key, value);
});

describe('where a conversation stands', () => {
  test('one line says whether it goes on, why, and what is still promised', async () => {
    await open('conv_standup');
    const line = await screen.findByRole('button', { name: /^Paused/, expanded: false });
    for (const words of ['last message 8 days ago, usual pauses are up to 2 hours', 'the request is settled', '2 open promises']) await waitFor(() => expect(line.textContent).toContain(words));
    expect(screen.queryByTestId('standing-detail'), 'the rest waits until it is asked for').toBeNull();
    expect(await violations()).toEqual([]);
  });

  test('s unfolds tone, summary with its lines, and promises; it stays unfolded', async () => {
    await open('conv_standup');
    await screen.findByText('2 open promises');
    await press('s');
    const detail = within(screen.getByTestId('standing-detail'));
    expect(detail.getByText(/^Quick replies and 18 words per message$/)).toBeDefined();
    expect(detail.getByText(/^The importer is done for the two large customers/)).toBeDefined();
    expect(detail.getAllByTestId('promise')).toHaveLength(2);
    expect(await violations()).toEqual([]);
    fireEvent.click(detail.getByRole('button', { name: 'the last message' }));
    expect(nav.get().target).toMatchObject({ conversation: 'conv_standup', message: 'int_conv_standup_5' });
    await screen.findByTestId('standing-detail');
    await press('s');
    await waitFor(() => expect(screen.queryByTestId('standing-detail')).toBeNull());
  });

  test('of a conversation kept out of memory nothing stands there, and nothing is asked', async () => {
    const host = await open('conv_family');
    expect(screen.queryByTestId('standing')).toBeNull();
    expect(asked(host, 'conversation_standing')).toEqual([]);
  });

  test('what was not judged yet says nothing', async () => {
    const host = await renderApp('conversations');
    host.answer('conversation_standing', () => ({ status: null, reasons: [], judge: null, tone: null, commitments: [], summary: null }));
    host.emit({ type: 'changed', tags: ['conversations'] });
    await screen.findAllByTestId('message');
    await waitFor(() => expect(screen.queryByTestId('standing')).toBeNull());
  });
});

test.each([
  ['within_rhythm', 600_000, 7_200_000, 'last message 10 minutes ago, a normal pause here'],
  ['beyond_rhythm', 3 * 86_400_000, null, 'last message 3 days ago'],
  ['long_silence', null, null, 'a long pause'],
  ['farewell', null, null, 'someone said goodbye'],
  ['some_new_reason', null, null, 'some new reason'],
])('the reason %s in words', (kind, silence_ms, usual_ms, expected) => expect(reasonWords({ kind, silence_ms, usual_ms })).toBe(expected));

test.each([
  [20_000, '1 minute'],
  [5_400_000, '2 hours'],
  [5_000_000, '83 minutes'],
  [40 * 86_400_000, '40 days'],
])('%d ms', (ms, expected) => expect(duration(ms)).toBe(expected));
