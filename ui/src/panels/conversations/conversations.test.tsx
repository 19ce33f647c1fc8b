import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { go, nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const PACE = { pace_ms: 15 };
const rows = () => screen.getAllByTestId('conversation-row');
const messages = () => screen.getAllByTestId('message');
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd);
const open = async (id: string, options = {}) => {
  const host = await renderApp('conversations', options, { conversation: id });
  await screen.findAllByTestId('message');
  return host;
};
const current = () => messages().findIndex((each) => each.getAttribute('aria-current') === 'true');

// jsdom has no layout; the reading view needs at least a scrollable area.
Object.defineProperty(HTMLElement.prototype, 'scrollHeight', { configurable: true, get: () => 1_000_000 });
HTMLElement.prototype.scrollTo = function scrollTo(this: HTMLElement, to?: ScrollToOptions | number) {
  this.scrollTop = (typeof to === 'object' ? to.top : to) ?? 0;
  // As in a browser, listeners are notified later.
  setTimeout(() => act(() => void this.dispatchEvent(new Event('scroll'))));
};

beforeEach(() => {
  for (const [key, value] of [['conversations.open', ''], ['conversations.channels', []], ['conversations.privacy', '']] as const) setUiState(key, value);
});

describe('the list', () => {
  test('a row says what it is, who takes part and what waits', async () => {
    await renderApp('conversations');
    const row = (await screen.findAllByTestId('conversation-row')).find((each) => each.textContent?.includes('Planning the kitchen move'));
    for (const words of ['ChatGPT', 'Robin Hale', '5 to review', '1 memory']) expect(row?.textContent).toContain(words);
  });

  test('a private conversation carries its lock and its edge', async () => {
    await renderApp('conversations');
    const mark = await screen.findByTestId('conversation-private');
    expect(mark.textContent).toContain('Not used for memory');
    expect(mark.className).toContain('hatched');
  });

  test('words are searched once typing rests, and an empty answer keeps the way back', async () => {
    const host = await renderApp('conversations');
    await screen.findAllByTestId('conversation-row');
    const field = screen.getByTestId('conversations-search');
    for (const value of ['s', 'so', 'sourdough']) fireEvent.change(field, { target: { value } });
    await waitFor(() => expect(rows()).toHaveLength(1));
    const words = asked(host, 'conversations_list').map((each) => (each.payload as { query: string | null }).query);
    expect(words.filter(Boolean), 'not letter by letter').toEqual(['sourdough']);
    fireEvent.change(field, { target: { value: 'no such words' } });
    await screen.findByText('No conversations match');
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(rows().length).toBeGreaterThan(1));
  });

  test('arrows move between conversations, and the reading view follows', async () => {
    await renderApp('conversations');
    await screen.findAllByTestId('message');
    const first = document.querySelector('[data-conversation][data-private]')?.getAttribute('data-conversation');
    await press('ArrowDown');
    await waitFor(() => expect(document.querySelector('[data-conversation][data-private]')?.getAttribute('data-conversation')).not.toBe(first));
    await press('ArrowUp');
    await waitFor(() => expect(document.querySelector('[data-conversation][data-private]')?.getAttribute('data-conversation')).toBe(first));
  });

  test('a list that cannot be loaded says what is safe and tries again', async () => {
    const host = await renderApp('review');
    host.failNext('conversations_list', new RpcError('internal', 'The disk is busy.'));
    go('conversations');
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findAllByTestId('conversation-row')).not.toHaveLength(0);
  });

  test('a remembered conversation that is gone makes room for the first', async () => {
    setUiState('conversations.open', 'conv_gone');
    await renderApp('conversations');
    expect(await screen.findAllByTestId('message')).not.toHaveLength(0);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('a line that was asked for and is gone is said', async () => {
    await renderApp('conversations', {}, { conversation: 'conv_gone', message: 'int_gone' });
    expect(await screen.findByText('This conversation no longer exists.')).toBeDefined();
    expect(await screen.findAllByTestId('message')).not.toHaveLength(0);
  });

  /** Moves the cursor to a conversation other than the one in the reading view, which follows only when the cursor rests. */
  const moveOn = async (from: string, options = {}) => {
    const host = await open(from, options);
    await screen.findAllByTestId('conversation-row');
    const selected = () => rows().find((row) => row.dataset.active)?.querySelector<HTMLElement>('[data-conversation]')?.dataset.conversation;
    await waitFor(() => expect(selected()).toBe(from));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await press('ArrowDown');
      const next = selected() ?? '';
      expect(next).not.toBe(from);
      expect(document.querySelector('[data-conversation][data-private]')?.getAttribute('data-conversation'), 'still shown').toBe(from);
      return { host, next };
    } finally {
      vi.useRealTimers();
    }
  };

  test('a key acts on the conversation that is selected, not on the one still shown', async () => {
    const { host, next } = await moveOn('conv_kitchen');
    await press('p');
    await screen.findByTestId('private-dialog');
    await waitFor(() => expect(asked(host, 'conversation_privacy_preview').map((each) => each.payload)).toEqual([{ id: next }]));
  });

  test('Analyze now is asked for the conversation that is selected', async () => {
    const { host, next } = await moveOn('conv_running', PACE);
    await press('a');
    await waitFor(() => expect(asked(host, 'analyze_start').map((each) => each.payload)).toEqual([{ id: next, force: false }]));
  });

  test('a key is forgotten when the cursor goes on before it could act', async () => {
    const { host } = await moveOn('conv_kitchen', PACE);
    await press('p', 'ArrowUp');
    await waitFor(() => expect(document.querySelector('[data-conversation][data-private]')?.getAttribute('data-conversation')).toBe('conv_kitchen'));
    expect(screen.queryByTestId('private-dialog')).toBeNull();
    expect(asked(host, 'conversation_privacy_preview')).toEqual([]);
  });

  test('with nothing imported there is one thing to do', async () => {
    await renderApp('conversations', { firstRun: true });
    await screen.findByText('No conversations yet');
    fireEvent.click(screen.getByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });
});

describe('reading', () => {
  test('it opens at the message it was asked for', async () => {
    await renderApp('conversations', { sessions: true }, { conversation: 'conv_long', message: 'int_conv_long_2000' });
    await waitFor(() => expect(document.querySelector('[data-message="int_conv_long_2000"]')?.getAttribute('aria-current')).toBe('true'));
  });

  test('four thousand messages are a few in the document and one page on the wire', async () => {
    const host = await open('conv_long', { sessions: true });
    expect(messages().length).toBeLessThan(40);
    expect(asked(host, 'conversation_messages')).toHaveLength(1);
  });

  test('j and k go from message to message without asking anything', async () => {
    const host = await open('conv_kitchen');
    await press('j');
    expect(current()).toBe(0);
    const before = host.calls.length;
    await press('j', 'j', 'k');
    expect(current()).toBe(1);
    // Window state is saved with a delay, so it is ignored here.
    expect(host.calls.slice(before).map((each) => each.cmd).filter((cmd) => cmd !== 'ui_state_set')).toEqual([]);
  });

  test('the owner is "You", others have their names, the day is said once', async () => {
    await open('conv_kitchen');
    expect(messages()[0]?.textContent).toMatch(/^You/);
    expect(messages()[1]?.textContent).toMatch(/^ChatGPT/);
    expect(within(screen.getByTestId('conversation-messages')).getAllByText(/November/)).toHaveLength(1);
  });

  test('a time that nobody gave is marked, and one that was given is not', async () => {
    await renderApp('conversations', { sessions: true }, { conversation: 'conv_session', message: 'int_conv_session_13' });
    await waitFor(() => expect(document.querySelector('[data-message="int_conv_session_13"]')).not.toBeNull());
    const marked = messages().filter((each) => each.textContent?.includes('≈ '));
    expect(marked.map((each) => each.dataset.type)).toEqual(['file']);
    expect(within(marked[0] as HTMLElement).getByTitle(/The source gave no time/).textContent).toMatch(/^≈ /);
    expect(messages().length).toBeGreaterThan(2);
  });

  test('tools and thinking are folded, and open in place', async () => {
    await open('conv_session', { sessions: true });
    const folded = messages().filter((each) => ['tool_use', 'tool_result', 'thinking'].includes(each.dataset.type ?? ''));
    expect(folded.length).toBeGreaterThan(2);
    const buttons = folded.map((each) => within(each).getByRole('button'));
    expect(buttons.map((each) => each.getAttribute('aria-expanded'))).toEqual(buttons.map(() => 'false'));
    fireEvent.click(buttons[2] as HTMLElement);
    await screen.findByText(/use std::io::BufRead;/, { selector: 'pre' });
  });

  test('markup and images stay text; code is code', async () => {
    await open('conv_session', { sessions: true });
    expect(screen.getByText(/<b>Nothing in this answer is markup<\/b>: !\[image\]/)).toBeDefined();
    expect(document.querySelectorAll('main img, main b')).toHaveLength(0);
    expect(screen.getByText(/bytes\.pop\(\); \/\/ cuts a letter/, { selector: 'pre' })).toBeDefined();
  });

  test('branches, instructions and notices say what they are', async () => {
    await open('conv_session', { sessions: true });
    for (const words of ['Other branch', 'Instructions']) expect(screen.getAllByText(words).length).toBeGreaterThan(0);
    for (let step = 0; step < 13; step += 1) await press('j');
    expect(await screen.findByText('The session was resumed on another computer.')).toBeDefined();
  });

  test('marked words say what they became, and lead there', async () => {
    await open('conv_kitchen');
    const mark = screen.getAllByTestId('message-span').find((each) => each.textContent === 'I bake sourdough every Saturday');
    expect(mark?.dataset.status).toBe('pending');
    fireEvent.keyDown(mark as HTMLElement, { key: 'Enter' });
    const popover = await screen.findByTestId('span-popover');
    for (const words of ['Preference', 'To review', 'User bakes sourdough bread every Saturday.']) expect(popover.textContent).toContain(words);
    expect(await violations()).toEqual([]);
    fireEvent.click(within(popover).getByRole('button', { name: 'Open in Review' }));
    expect(nav.get().panel).toBe('review');
    expect(nav.get().target?.memory).toBeDefined();
  });

  test('marks count code points: an emoji before them shifts nothing', async () => {
    await open('conv_kitchen');
    const line = screen.getAllByTestId('message-span').filter((each) => each.closest('[data-message]')?.textContent?.includes('🍳'));
    expect(line.map((each) => each.textContent)).toEqual(['I bake sourdough every Saturday', 'I want a proper stone counter by the window']);
  });
});

describe('privacy', () => {
  test.each([['keep'], ['hide'], ['erase']])('turning private with %s', async (existing) => {
    const host = await open('conv_kitchen');
    await press('p');
    const dialog = await screen.findByTestId('private-dialog');
    await within(dialog).findByText(/^So far, it has led to 1 approved memory, 5 proposals and 2 filtered-out statements/);
    expect(asked(host, 'conversation_set_private'), 'counted before it happens').toHaveLength(0);
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId(`private-${existing}`));
    await waitFor(() => expect(screen.queryByTestId('private-dialog')).toBeNull());
    expect(asked(host, 'conversation_set_private').map((each) => each.payload)).toEqual([{ id: 'conv_kitchen', private: true, existing }]);
    await screen.findByText(/Not used for memory: nothing here is analyzed/);
    const analyze = screen.getByTestId('btn-analyze');
    expect((analyze as HTMLButtonElement).disabled).toBe(true);
    expect(document.getElementById(analyze.getAttribute('aria-describedby') ?? '')?.textContent).toContain('never analyzed');
  });

  test('the undo key takes back what was made private, and no older act in its place', async () => {
    const host = await open('conv_kitchen');
    await press('p');
    fireEvent.click(await screen.findByTestId('private-keep'));
    await waitFor(() => expect(screen.queryByTestId('private-dialog')).toBeNull());
    await press('u');
    await waitFor(() => expect(asked(host, 'conversation_set_private').at(-1)?.payload).toEqual({ id: 'conv_kitchen', private: false, existing: 'keep', use_private_time: false }));
    expect(asked(host, 'undo')).toEqual([]);
  });

  test('erasing has no way back, the others have', async () => {
    await open('conv_kitchen');
    await press('p');
    fireEvent.click(await screen.findByTestId('private-erase'));
    const notice = await screen.findByText(/memories erased/);
    expect(within(notice.closest('[data-testid=toast]') as HTMLElement).queryByRole('button', { name: /Undo/ })).toBeNull();
  });

  test.each([[false], [true]])('turning it off asks whether what arrived meanwhile is used: %s', async (use) => {
    const host = await open('conv_family');
    await press('p');
    const choice = await screen.findByRole('switch', { name: /Also use the 4 messages/ });
    expect(choice.getAttribute('aria-checked'), 'no, unless the person says so').toBe('false');
    if (use) fireEvent.click(choice);
    fireEvent.click(screen.getByTestId('private-off'));
    await waitFor(() => expect(screen.queryByText(/Not used for memory: nothing here is analyzed/)).toBeNull());
    expect(asked(host, 'conversation_set_private')[0]?.payload).toMatchObject({ private: false, use_private_time: use });
    await waitFor(() => expect(screen.queryByTestId('private-time') === null).toBe(use));
    if (use) return;
    fireEvent.click(await screen.findByTestId('private-time'));
    await screen.findByText(/4 messages arrived while this conversation was not used for memory/);
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId('private-off'));
    await waitFor(() => expect(screen.queryByTestId('private-time')).toBeNull());
    expect(asked(host, 'conversation_set_private').at(-1)?.payload).toMatchObject({ private: false, use_private_time: true });
  });

  test('a key does not analyse a private conversation', async () => {
    const host = await open('conv_family');
    await press('a');
    expect(asked(host, 'analyze_start')).toHaveLength(0);
  });

  test('if counting fails, nothing can be done by mistake', async () => {
    const host = await open('conv_kitchen');
    host.failNext('conversation_privacy_preview', new RpcError('internal', 'The disk is busy.'));
    await press('p');
    await screen.findByText('The disk is busy.');
    expect(screen.queryByTestId('private-erase')).toBeNull();
  });

  test('if switching fails, the dialog stays and the button works again', async () => {
    const host = await open('conv_kitchen');
    await press('p');
    const hide = await screen.findByTestId('private-hide');
    host.failNext('conversation_set_private', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(hide);
    await screen.findByText('The disk is busy.');
    expect((screen.getByTestId('private-hide') as HTMLButtonElement).disabled).toBe(false);
  });
});

describe('Analyze now', () => {
  test('it runs with progress and shows what it found', async () => {
    await open('conv_running', { pace_ms: 80 });
    await press('a');
    await waitFor(() => expect(screen.getByTestId('btn-analyze').dataset.state).toBe('running'));
    expect(within(screen.getByTestId('analyze-bar')).getByRole('progressbar')).toBeDefined();
    const results = await screen.findByTestId('analyze-results');
    for (const words of ['Summary', 'Emotional arc', 'Worried', 'Hopeful', 'Practical and warm', '1 statement was already known', '4 filtered out', 'kitchen']) expect(results.textContent).toContain(words);
    expect(await violations()).toEqual([]);
  });

  const analysed = async (): Promise<FakePlatform> => {
    const host = await open('conv_running', PACE);
    await press('a');
    await within(await screen.findByTestId('analyze-results')).findByText('Summary');
    return host;
  };

  test('a summary sentence leads to its line', async () => {
    await analysed();
    fireEvent.click(within(screen.getByTestId('analyze-results')).getByText(/I signed up for the half marathon/));
    await waitFor(() => expect(screen.queryByTestId('analyze-results')).toBeNull());
    expect(nav.get().target).toEqual({ conversation: 'conv_running', message: 'int_conv_running_0' });
  });

  test('its candidates lead to Review, only those of this conversation', async () => {
    await analysed();
    fireEvent.click(screen.getByTestId('btn-analysis-review'));
    expect(nav.get()).toMatchObject({ panel: 'review', target: { onlyConversation: 'conv_running' } });
  });

  test('what was stopped leads to the gate log of this conversation', async () => {
    await analysed();
    fireEvent.click(screen.getByText('See why'));
    expect(nav.get()).toMatchObject({ panel: 'activity', target: { onlyConversation: 'conv_running' } });
    expect(await screen.findAllByTestId('gate-row')).toHaveLength(1);
  });

  test('the same again says so, and can be forced; then two can be compared', async () => {
    const host = await analysed();
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByTestId('analyze-results')).toBeNull());
    await press('a');
    await screen.findByText('Nothing new since the last analysis.');
    fireEvent.click(screen.getByTestId('btn-analyze-force'));
    const results = await screen.findByTestId('analyze-results');
    expect(asked(host, 'analyze_start').map((each) => (each.payload as { force: boolean }).force)).toEqual([false, false, true]);
    fireEvent.click(await within(results).findByRole('button', { name: 'Compare with previous' }));
    expect(within(results).getByText('No differences.')).toBeDefined();
  });

  test('a short conversation says how much is wanted', async () => {
    const host = await open('conv_kitchen', PACE);
    host.answer('analyze_start', ({ force }) => (force ? { outcome: 'queued', job_id: 'job_x' } : { outcome: 'too_short', messages: 2, messages_min: 5 }));
    await press('a');
    await screen.findByText('Only 2 messages so far. An analysis needs about 5 or more.');
    fireEvent.click(screen.getByTestId('btn-analyze-force'));
    await waitFor(() => expect(asked(host, 'analyze_start').at(-1)?.payload).toMatchObject({ force: true }));
  });

  test('cancel is real and leaves no result', async () => {
    await open('conv_running', { pace_ms: 60 });
    await press('a');
    fireEvent.click(await screen.findByTestId('btn-analyze-cancel'));
    await waitFor(() => expect(screen.getByTestId('btn-analyze').dataset.state).toBe('ready'));
    expect(screen.queryByTestId('btn-analyses')).toBeNull();
  });

  test('a failure says why and can be tried again', async () => {
    const host = await open('conv_running');
    const failed = { ...jobOf('dead'), error: 'The disk is full. Free some space, then try again.' };
    host.answer('jobs_list', () => ({ items: [failed], queued: 0, paused: false, paused_until: null }));
    host.emit({ type: 'changed', tags: ['jobs'] });
    await screen.findByText(/The disk is full/);
    fireEvent.click(screen.getByTestId('btn-analyze-retry'));
    await waitFor(() => expect(asked(host, 'job_retry')).toHaveLength(1));
  });

  test('while work is paused it says what it waits for', async () => {
    const host = await open('conv_running');
    host.answer('jobs_list', () => ({ items: [jobOf('queued')], queued: 1, paused: true, paused_until: null }));
    host.emit({ type: 'changed', tags: ['jobs'] });
    expect(await screen.findByText('Waiting, because background work is paused.')).toBeDefined();
  });
});

function jobOf(state: string) {
  return { id: 'job_9', kind: 'analyze', title: 'Half marathon training', conversation_id: 'conv_running', state, is_cancelling: false, stage: null, done: 0, total: 0, attempts: 4, attempts_max: 4, retry_at: null, error: null, result: null, created_at: 1, started_at: 1, finished_at: null };
}
