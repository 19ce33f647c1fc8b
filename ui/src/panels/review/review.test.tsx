import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import type { MemoryRow } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { noteDone, settled } from '../../state/decisions';
import { EMPTY_LIST } from '../../state/list';
import { go, nav } from '../../state/nav';
import { createStore } from '../../state/store';
import { press, renderApp, violations } from '../../test/render';
import { FIRST_ROWS, PAGE_ROWS } from '../shared/memoryRows';
import { askFirst } from './index';
import { createQueue, indexIn, queueOf, snoozeTimes } from './queue';
import { ReviewList } from './ReviewList';

const statement = () => screen.getByTestId('review-statement').textContent;
const rows = () => screen.getAllByTestId('review-row').map((row) => row.getAttribute('data-key'));
const count = () => screen.getByTestId('review-count').textContent;
const ready = () => screen.findByTestId('review-statement');

/** Resolves when all decisions have reached the backend, which receives them one after another. */
const quiet = () => act(async () => settled());

const row = (id: string, conversation_id: string) => ({ id, conversation_id, conversation_title: conversation_id, channel_type: 'x', is_private_source: false }) as MemoryRow;

describe('reviewing by keyboard', () => {
  test('a approves, the cursor goes on, and the count follows at once', async () => {
    const host = await renderApp('review');
    await ready();
    const first = statement();
    await press('j');
    const second = statement();
    expect(second).not.toBe(first);
    await press('a');
    expect(statement(), 'the cursor is on the row after').not.toBe(second);
    expect(count(), 'one less before the backend has answered').toBe('13');
    expect(screen.getByTestId('nav-review').textContent).toContain('13');
    await quiet();
    expect(host.calls.filter((each) => each.cmd === 'memory_decide')).toEqual([{ cmd: 'memory_decide', payload: { action: 'approve', ids: ['mem_00001'] } }]);
  });

  test('a decision is painted before it is sent, and the buttons stay where they are', async () => {
    const host = await renderApp('review');
    await ready();
    const first = statement();
    const button = screen.getByTestId('btn-approve');
    const sent = () => host.calls.filter((each) => each.cmd === 'memory_decide').length;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'] });
    try {
      await press('a');
      expect(statement()).not.toBe(first);
      expect(screen.getByTestId('btn-approve'), 'drawn anew, they would cost more than all the rest').toBe(button);
      expect(sent(), 'the frame comes first').toBe(0);
      await act(async () => void (await vi.advanceTimersByTimeAsync(200)));
      expect(sent()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
    await quiet();
  });

  test('a notice that follows another stands on its card', async () => {
    await renderApp('review');
    await ready();
    await press('a');
    const card = await screen.findByTestId('toast');
    await press('a');
    expect(screen.getAllByTestId('toast')).toEqual([card]);
    await quiet();
  });

  test('moving never asks for the rows it passes', async () => {
    const host = await renderApp('review');
    await ready();
    const asked = () => host.calls.filter((each) => each.cmd === 'memory_get').map((each) => each.payload);
    host.calls.length = 0;
    await press('j', 'j', 'j', 'k', 'j', 'j');
    expect(asked(), 'a held key asks nothing').toEqual([]);
    await waitFor(() => expect(asked(), 'where it rests, and one ahead').toEqual([{ id: 'mem_00004' }, { id: 'mem_00005' }]));
  });

  test('undo goes back decision by decision, with u and with Ctrl+Z', async () => {
    await renderApp('review');
    await ready();
    const before = rows();
    await press('a', 'r', 'a');
    expect(count()).toBe('11');
    await press('u', '^z', 'u');
    await quiet();
    expect(count()).toBe('14');
    expect(rows(), 'the queue is as it was').toEqual(before);
    expect(screen.getByRole('grid').getAttribute('aria-activedescendant'), 'on the row that came back last').toMatch(/mem_00000$/);
  });

  test('undo goes on into earlier sessions and says when nothing is left', async () => {
    await renderApp('review');
    await ready();
    await press('u');
    await waitFor(() => expect(screen.getByTestId('toast').textContent).toContain('Nothing to undo'));
  });

  test('a refused decision puts the row back and says why', async () => {
    const host = await renderApp('review');
    await ready();
    host.failNext('memory_decide', new RpcError('storage', 'The disk is full. Nothing was changed.'));
    await press('a');
    await quiet();
    expect(count()).toBe('14');
    await waitFor(() => expect(screen.getByTestId('toast').textContent).toContain('The disk is full'));
  });

  test('a stale candidate comes back as a notice, not as an error', async () => {
    const host = await renderApp('review');
    await ready();
    host.answer('memory_decide', () => ({ operation_id: null, summary: '', applied: [], created: [], needs_look: [{ id: 'mem_00000', reason: 'Its message was edited.' }], set_aside: [], contradicts: [] }));
    await press('a');
    await quiet();
    expect(count(), 'it waits again').toBe('14');
    await waitFor(() => expect(screen.getByTestId('toast').textContent).toContain('Its message was edited.'));
  });

  test('an approval says that an earlier statement is history now, and leads there', async () => {
    const host = await renderApp('review');
    await ready();
    host.answer('memory_decide', () => ({ operation_id: 'op_1', summary: '', applied: ['mem_00000'], created: [], needs_look: [], set_aside: ['mem_00015'], contradicts: [] }));
    await press('a');
    await quiet();
    await waitFor(() => expect(screen.getAllByTestId('toast').some((each) => each.textContent?.includes('An earlier statement is now history'))).toBe(true));
  });

  test('an approval says which approved memory it contradicts, and leads there', async () => {
    const host = await renderApp('review');
    await ready();
    host.answer('memory_decide', () => ({
      operation_id: 'op_1',
      summary: 'Approved 1 memory',
      applied: ['mem_00000'],
      created: [],
      needs_look: [],
      set_aside: [],
      contradicts: [{ id: 'mem_00000', other_id: 'mem_00001', content: 'User: “I live in Porto”' }],
    }));
    await press('a');
    await quiet();
    await waitFor(() => expect(screen.getAllByTestId('toast').some((each) => each.textContent?.includes('it contradicts what you approved before: “I live in Porto”'))).toBe(true));
  });

  test('a rejection says which approved memory it contradicts, once', async () => {
    const host = await renderApp('review');
    await ready();
    host.answer('memory_decide', () => ({
      operation_id: 'op_1',
      summary: 'Rejected 1 candidate',
      applied: ['mem_00000'],
      created: [],
      needs_look: [],
      set_aside: [],
      contradicts: [
        { id: 'mem_00000', other_id: 'mem_00001', content: 'User lives in Porto' },
        { id: 'mem_00000', other_id: 'mem_00002', content: 'User lives in Lima' },
      ],
    }));
    await press('r');
    await quiet();
    const said = () => screen.getAllByTestId('toast').filter((each) => each.textContent?.includes('Dismissed. It contradicts what you approved before, which is kept: “User lives in Porto”, and 1 other'));
    await waitFor(() => expect(said()).toHaveLength(1));
    await userEvent.click(screen.getByRole('button', { name: 'Wrong' }));
    await quiet();
    expect(said(), 'giving a reason does not say it twice').toHaveLength(1);
  });

  test('e rewords in place and Ctrl+Enter approves the wording', async () => {
    const host = await renderApp('review');
    await ready();
    await press('e');
    const input = await screen.findByTestId<HTMLTextAreaElement>('edit-input');
    await userEvent.clear(input);
    await userEvent.type(input, 'User lives in Utrecht with Ines.');
    expect(count(), 'letters typed approve nothing').toBe('14');
    await press('^Enter');
    await quiet();
    expect(host.calls.find((each) => each.cmd === 'memory_decide')?.payload).toEqual({ action: 'edit', id: 'mem_00000', content: 'User lives in Utrecht with Ines.', category: null });
    expect(screen.queryByTestId('edit-input')).toBeNull();
    expect(count()).toBe('13');
  });

  const decisions = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload);
  /** Replaces the text of the memory under the cursor. With an empty string, the text is only cleared. */
  async function reword(to: string) {
    await press('e');
    const input = await screen.findByTestId<HTMLTextAreaElement>('edit-input');
    await userEvent.clear(input);
    if (to !== '') await userEvent.type(input, to);
  }

  test('approve while the editor is open approves the edited wording, as one act', async () => {
    const host = await renderApp('review');
    await ready();
    await reword('User lives in Utrecht.');
    await userEvent.click(screen.getByTestId('btn-approve'));
    await quiet();
    expect(decisions(host)).toEqual([{ action: 'edit', id: 'mem_00000', content: 'User lives in Utrecht.', category: null }]);
    expect(count()).toBe('13');
    await userEvent.click(await screen.findByTestId('btn-undo'));
    await quiet();
    expect(count(), 'one undo takes both back').toBe('14');
  });

  test('a wording that cannot be kept says so and approves nothing', async () => {
    const host = await renderApp('review');
    await ready();
    await reword('');
    await userEvent.click(screen.getByTestId('btn-approve'));
    await quiet();
    expect(decisions(host)).toEqual([]);
    expect((await screen.findByTestId('toast')).textContent).toContain('Nothing was approved');
    expect(screen.getByTestId('edit-input'), 'and stays open').toBeDefined();
  });

  test('a draft waits with its row while another is looked at', async () => {
    const host = await renderApp('review');
    await ready();
    await reword('User lives in Utrecht.');
    await userEvent.click(screen.getAllByTestId('review-row')[1] as HTMLElement);
    expect(screen.queryByTestId('edit-input'), 'the other has none').toBeNull();
    expect(within(screen.getAllByTestId('review-row')[0] as HTMLElement).getByRole('img', { name: 'Draft' })).toBeDefined();
    await userEvent.click(screen.getAllByTestId('review-row')[0] as HTMLElement);
    expect((await screen.findByTestId<HTMLTextAreaElement>('edit-input')).value).toBe('User lives in Utrecht.');
    expect(decisions(host)).toEqual([]);
  });

  test('a refused wording is still there', async () => {
    const host = await renderApp('review');
    await ready();
    await reword('User lives in Utrecht.');
    host.failNext('memory_decide', new RpcError('storage', 'The disk is full. Nothing was changed.'));
    await userEvent.click(screen.getByTestId('btn-approve'));
    await quiet();
    await userEvent.click(screen.getAllByTestId('review-row')[0] as HTMLElement);
    expect((await screen.findByTestId<HTMLTextAreaElement>('edit-input')).value).toBe('User lives in Utrecht.');
  });

  test.each([
    ['a', { action: 'approve' }],
    ['r', { action: 'reject', reason: null }],
  ])('with three rows selected %s acts on all three, with one undo', async (key, act) => {
    const host = await renderApp('review');
    await ready();
    await press('x', 'j', 'x', 'j', 'x', key);
    await quiet();
    expect(decisions(host)).toEqual([{ ...act, ids: ['mem_00000', 'mem_00001', 'mem_00002'] }]);
    await press('u');
    await quiet();
    expect(count()).toBe('14');
  });

  test('with rows selected s puts off all of them', async () => {
    const host = await renderApp('review');
    await ready();
    await press('x', 'j', 'x', 's');
    await userEvent.click(await screen.findByTestId('snooze-tomorrow'));
    await quiet();
    expect(decisions(host)).toMatchObject([{ action: 'snooze', ids: ['mem_00000', 'mem_00001'] }]);
    expect(count()).toBe('12');
  });

  test('a selection that holds a draft is not approved past it', async () => {
    const host = await renderApp('review');
    await ready();
    await press('x', 'j', 'x');
    await reword('User bakes.');
    await userEvent.click(screen.getByTestId('btn-approve'));
    await quiet();
    expect(decisions(host)).toEqual([]);
    expect((await screen.findByTestId('toast')).textContent).toContain('unsaved edits');
  });

  test('undo takes back the last act, also one of another panel, and never an older approval in its place', async () => {
    const host = await renderApp('review');
    await ready();
    await press('a');
    await quiet();
    const undone: string[] = [];
    noteDone({ text: 'Made private', undo: async () => undone.push('private') });
    await press('u');
    await quiet();
    expect(undone).toEqual(['private']);
    expect(host.calls.some((each) => each.cmd === 'undo'), 'the approval stands').toBe(false);
    await waitFor(() => expect(screen.getByTestId('toast').textContent, 'and it says what was undone').toContain('Made private'));
  });

  test('Escape leaves the wording as it was', async () => {
    const host = await renderApp('review');
    await ready();
    await press('e');
    await userEvent.type(await screen.findByTestId('edit-input'), ' and more');
    await press('Escape');
    expect(screen.queryByTestId('edit-input')).toBeNull();
    expect(host.calls.some((each) => each.cmd === 'memory_decide')).toBe(false);
  });

  test('m shows what goes and what stays, and merges only when that is confirmed', async () => {
    const host = await renderApp('review');
    await ready();
    expect((await screen.findByTestId('review-near')).textContent).toContain('Adds detail');
    const decisions = () => host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload);
    await press('m');
    const preview = await screen.findByTestId('merge-dialog');
    expect(preview.textContent).toContain('User lives in an old third-floor flat in Utrecht.');
    expect(await violations()).toEqual([]);
    await press('Escape');
    await waitFor(() => expect(screen.queryByTestId('merge-dialog')).toBeNull());
    expect(decisions(), 'not confirmed, not done').toEqual([]);
    await press('m');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('btn-merge-confirm')));
    await userEvent.keyboard('{Enter}');
    await quiet();
    expect(decisions()).toEqual([{ action: 'merge', id: 'mem_00000', into: 'mem_00015' }]);
    // The next memory is related to an approved one but says something else.
    await screen.findByText('User bakes sourdough bread every Saturday.', { selector: '[data-testid="review-statement"], [data-testid="review-statement"] *' });
    expect(screen.getByTestId('btn-merge').hasAttribute('disabled') || screen.getByTestId('btn-merge').getAttribute('aria-disabled') === 'true').toBe(true);
    await press('m');
    await quiet();
    expect(screen.queryByTestId('merge-dialog'), 'what is only related is not merged').toBeNull();
    expect(decisions().length).toBe(1);
  });

  test('what is doubtful is folded away, shown at d, and rejected at Shift+D as one decision', async () => {
    const doubtful = ['mem_00001', 'mem_00003'];
    const host = await renderApp('review', { doubtful });
    await ready();
    expect(count(), 'what is folded does not count').toBe('12');
    expect(rows()).not.toContain('mem_00001');
    expect(screen.getByTestId('review-doubtful').textContent).toContain('2 doubtful');
    await press('d');
    expect(rows().slice(-2), 'they come last').toEqual(doubtful);
    expect(count()).toBe('14');
    await press('d', 'D');
    await quiet();
    expect(host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload)).toEqual([{ action: 'reject', ids: doubtful, reason: null }]);
    expect(screen.queryByTestId('review-doubtful')).toBeNull();
    await press('u');
    await waitFor(() => expect(screen.getByTestId('review-doubtful').textContent, 'one undo brings all back').toContain('2 doubtful'));
    expect(await violations()).toEqual([]);
  });

  test('without anything doubtful there is nothing to show or to reject', async () => {
    const host = await renderApp('review');
    await ready();
    await press('d', 'D');
    await quiet();
    expect(screen.queryByTestId('review-doubtful')).toBeNull();
    expect(host.calls.some((each) => each.cmd === 'memory_decide')).toBe(false);
  });

  test('a candidate that makes an approved memory history shows both in time, and what approving does', async () => {
    await renderApp('review', { moved: true });
    await ready();
    const shown = await screen.findByTestId('memory-changes');
    const statements = [...shown.querySelectorAll('li')].map((each) => each.querySelector('p')?.textContent);
    expect(statements[1], 'the candidate is the later one').toBe(statement());
    expect(shown.textContent).toContain('If you approve this, the earlier statement is kept only as history.');
    expect(await violations()).toEqual([]);
  });

  test('x and Shift+A act on the selection as one decision', async () => {
    const host = await renderApp('review');
    await ready();
    await press('x', 'j', 'j', 'x');
    expect(screen.getByTestId('bulk-bar').textContent).toContain('2 selected');
    await press('A');
    await quiet();
    expect(host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload)).toEqual([{ action: 'approve', ids: ['mem_00000', 'mem_00002'] }]);
    await press('u');
    await quiet();
    expect(count(), 'one undo for both').toBe('14');
  });

  test('s snoozes until a time that is chosen', async () => {
    const host = await renderApp('review');
    await ready();
    await press('s');
    await userEvent.click(await screen.findByTestId('snooze-tomorrow'));
    await quiet();
    const payload = host.calls.find((each) => each.cmd === 'memory_decide')?.payload as { action: string; until: number };
    expect(payload.action).toBe('snooze');
    expect(new Date(payload.until).getHours()).toBe(9);
    expect(count()).toBe('13');
  });

  test('o opens the conversation at the line', async () => {
    await renderApp('review');
    await ready();
    await screen.findByTestId('review-evidence');
    await press('o');
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen', message: 'int_conv_kitchen_0' } });
  });
});

describe('reviewing by pointer', () => {
  test('every key has a button', async () => {
    await renderApp('review');
    await ready();
    for (const id of ['btn-approve', 'btn-reject', 'btn-edit', 'btn-merge', 'btn-snooze']) expect(screen.getByTestId(id).getAttribute('aria-keyshortcuts'), id).toMatch(/^[a-z]$/);
  });

  test('approve all takes one conversation as one decision', async () => {
    const host = await renderApp('review');
    await ready();
    await userEvent.click(screen.getAllByTestId('btn-approve-group')[0] as HTMLElement);
    await quiet();
    expect(host.calls.find((each) => each.cmd === 'memory_decide')?.payload).toEqual({ action: 'approve', ids: ['mem_00000', 'mem_00001', 'mem_00002', 'mem_00003', 'mem_00004'] });
    expect(count()).toBe('9');
  });

  test('a rejection may be given a reason afterwards', async () => {
    const host = await renderApp('review');
    await ready();
    await userEvent.click(screen.getByTestId('btn-reject'));
    await userEvent.click(await screen.findByRole('button', { name: 'Not about me' }));
    await quiet();
    const decisions = host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload);
    expect(decisions).toEqual([
      { action: 'reject', ids: ['mem_00000'], reason: null },
      { action: 'reject', ids: ['mem_00000'], reason: 'not_about_me' },
    ]);
    expect(count(), 'it stays away').toBe('13');
    await press('u');
    await waitFor(() => expect(count(), 'one undo takes both back').toBe('14'));
  });

  test('the highlighted words are the words that were said', async () => {
    await renderApp('review');
    await ready();
    await press('j');
    const evidence = await screen.findByTestId('review-evidence');
    await waitFor(() => expect(within(evidence).queryByText('I bake sourdough every Saturday')?.tagName, 'an emoji stands before them').toBe('MARK'));
  });

  test('what is quarantined is a quotation that can only be moved to review or rejected', async () => {
    await renderApp('review');
    await ready();
    await userEvent.click(screen.getByTestId('filter-quarantined'));
    await waitFor(() => expect(screen.getByTestId('review-statement').tagName).toBe('BLOCKQUOTE'));
    expect(screen.queryByTestId('btn-approve')).toBeNull();
    expect(screen.getByTestId('btn-restore')).toBeDefined();
    await press('a');
    expect(count(), 'a approves nothing here').toBe('1');
    await userEvent.click(screen.getByRole('radio', { name: /To review/ }));
  });

  test('when all is reviewed it says so', async () => {
    const host = await renderApp('review', { firstRun: true });
    host.answer('app_status', (() => ({})) as never);
    expect((await screen.findByTestId('review-empty')).textContent).toContain('All reviewed');
  });
});

describe('ten thousand candidates', () => {
  test('put a screenful into the document, and a decision keeps it so', async () => {
    await renderApp('review', { candidates: 10_000 });
    await ready();
    await waitFor(() => expect(Number(screen.getByRole('grid').getAttribute('aria-rowcount')), 'all have come').toBeGreaterThan(10_000));
    expect(count()).toBe('10,000');
    expect(screen.getAllByTestId('review-row').length).toBeLessThan(40);
    await press('a', 'a', 'a');
    expect(count()).toBe('9,997');
    await quiet();
  });
});

describe('a queue that comes in two answers', () => {
  const asked = (host: { calls: { cmd: string; payload: unknown }[] }) => host.calls.filter((each) => each.cmd === 'memories_list').map((each) => (each.payload as { limit: number }).limit);
  const cursor = () => screen.getByRole('grid').getAttribute('aria-activedescendant');
  const rowCount = () => Number(screen.getByRole('grid').getAttribute('aria-rowcount'));

  /** A thousand pending memories, of which only the first rows are loaded until `release`. */
  async function cut() {
    let release = () => {};
    const whole = new Promise<void>((resolve) => (release = resolve));
    const host = await renderApp('review', { candidates: 1_000, hold: (cmd, payload) => (cmd === 'memories_list' && (payload as { limit: number }).limit !== FIRST_ROWS ? whole : undefined) });
    await ready();
    expect(rowCount(), 'rows and headings').toBeLessThan(1_000);
    return {
      host,
      release,
      all: async () => {
        release();
        await waitFor(() => expect(rowCount()).toBeGreaterThan(1_000));
      },
    };
  }

  test('shows the first rows, then has all', async () => {
    const { host, all } = await cut();
    expect(asked(host)[0]).toBe(FIRST_ROWS);
    expect(count(), 'the number is known at once').toBe('1,000');
    await all();
    expect(asked(host)).toEqual([FIRST_ROWS, PAGE_ROWS]);
    expect(count()).toBe('1,000');
  });

  test('asks once for a queue that fits', async () => {
    const host = await renderApp('review');
    await ready();
    await quiet();
    expect(asked(host)).toEqual([FIRST_ROWS]);
  });

  test('what comes or goes between two pages has them begun anew', async () => {
    let host: Awaited<ReturnType<typeof renderApp>> | null = null;
    let isTaken = false;
    host = await renderApp('review', {
      candidates: 2 * PAGE_ROWS + 500,
      hold: (cmd, payload) => {
        if (cmd !== 'memories_list' || isTaken || (payload as { offset?: number }).offset !== PAGE_ROWS) return undefined;
        isTaken = true;
        // Approves a memory as the command line would.
        return host?.rpc('memory_decide', { action: 'approve', ids: ['mem_00000'] }).then(() => undefined);
      },
    });
    await waitFor(() => expect(rowCount()).toBeGreaterThan(2 * PAGE_ROWS));
    const offsets = host.calls.filter((each) => each.cmd === 'memories_list').map((each) => (each.payload as { offset?: number }).offset ?? 0);
    expect(offsets.slice(0, 4), 'the first rows, a page, the one that shows it, and the first page again').toEqual([0, 0, PAGE_ROWS, 0]);
    expect(count()).toBe('4,499');
  });

  const FIRST = { cmd: 'memories_list', payload: { status: ['pending'], conversation: null, sort: 'queue', limit: FIRST_ROWS, without_facets: true } };
  const askedFirst = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'memories_list' && (each.payload as { limit?: number }).limit === FIRST_ROWS);

  test('is asked for while the window is still being drawn, and once', async () => {
    const host = await renderApp('settings');
    askFirst();
    await act(async () => go('review'));
    await ready();
    expect(askedFirst(host)).toEqual([FIRST]);
  });

  test('an empty answer is no answer to who comes later', async () => {
    const host = await renderApp('settings', { firstRun: true });
    askFirst();
    await act(async () => go('review'));
    await waitFor(() => expect(askedFirst(host), 'on first run the list fills meanwhile').toEqual([FIRST, FIRST]));
  });

  test('an answer from long ago is asked for again', async () => {
    const host = await renderApp('settings');
    askFirst();
    const later = performance.now() + 60_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
    try {
      await act(async () => go('review'));
      await ready();
    } finally {
      clock.mockRestore();
    }
    expect(askedFirst(host)).toEqual([FIRST, FIRST]);
  });

  test('goes to the last of all, also before it is there', async () => {
    const { all } = await cut();
    await press('End');
    const early = cursor();
    expect(early).not.toBeNull();
    await all();
    expect(cursor(), 'not where the first rows ended').not.toBe(early);
    const last = cursor();
    await press('j');
    expect(cursor(), 'nothing comes after').toBe(last);
  });

  test('who has gone on meanwhile stays where they are', async () => {
    const { all } = await cut();
    await press('End', 'k');
    const at = cursor();
    await all();
    expect(cursor()).toBe(at);
  });

  test('what is decided and undone before the rest has come stays so', async () => {
    const { all } = await cut();
    const [first, second] = rows();
    await press('j', 'a', 'u', 'k', 'a');
    await all();
    await quiet();
    expect(count()).toBe('999');
    expect(rows()[0], 'what was undone is the first now').toBe(second);
    await press('u');
    await quiet();
    expect(count()).toBe('1,000');
    expect(rows().slice(0, 2)).toEqual([first, second]);
  });

  test('offers no "all" of a conversation that is not all there', async () => {
    const named = (id: string, conversation_id: string) => ({ ...row(id, conversation_id), category: 'goal', status: 'pending', subject: 'owner', content: id, confidence: 1, said_at: 0 }) as MemoryRow;
    const shown = [named('a', 'one'), named('b', 'one'), named('c', 'two'), named('d', 'two')];
    const memories = { rows: shown, ids: shown.map((each) => each.id), total: 9, isLoading: false, error: null, retry: () => undefined, response: undefined };
    const offers = (isWhole: boolean) => {
      const { unmount } = render(<ReviewList list={createStore(EMPTY_LIST)} memories={{ ...memories, isWhole }} queue={queueOf(shown)} isPending onApproveGroup={() => undefined} />);
      const found = screen.queryAllByTestId('btn-approve-group').length;
      unmount();
      return found;
    };
    expect(offers(false), 'the second may go on').toBe(1);
    expect(offers(true)).toBe(2);
  });

  test('says so when the rest could not be had', async () => {
    const { host, release } = await cut();
    host.answer('memories_list', () => {
      throw new RpcError('storage', 'The disk is busy.');
    });
    release();
    await waitFor(() => expect(screen.getByTestId('toast').textContent).toContain('The disk is busy'));
    expect(rows().length, 'what has come stays').toBeGreaterThan(5);
  });
});

describe('the queue', () => {
  const split = (text: string) => text.split(' ').filter(Boolean);
  test('puts neighbours under one heading', () => {
    const entries = queueOf([row('a', 'one'), row('b', 'one'), row('c', 'two')]);
    expect(entries.map((entry) => (entry.kind === 'group' ? `${entry.title} ${entry.ids.length}` : entry.row.id))).toEqual(['one 2', 'a', 'b', 'two 1', 'c']);
    expect(indexIn(entries, 'c')).toBe(4);
    expect(indexIn(entries, 'q')).toBe(-1);
  });

  test.each([
    ['a row in the middle', 'a1 b1 c1 d2', 'a1 c1 d2'],
    ['the first of a heading', 'a1 b1 c2 d2', 'b1 c2 d2'],
    ['the last of a heading', 'a1 b1 c2 d2', 'a1 c2 d2'],
    ['the only one of a heading', 'a1 b2 c3', 'a1 c3'],
    ['the only one between two of the same', 'a1 b2 c1 d3', 'a1 c1 d3'],
    ['two of the same in a row of such', 'a1 b2 c1 d2 e1', 'a1 b2 c1 e1'],
    ['a whole heading and more', 'a1 b1 c2 d2 e3', 'a1 d2 e3'],
    ['the last row', 'a1 b2', 'a1'],
    ['all rows', 'a1 b1', ''],
    ['nothing', 'a1 b1', 'a1 b1'],
  ])('that follows another is the same as one made anew: %s', (_, before, after) => {
    const all = new Map(split(before).map((name) => [name, row(name, name.slice(1))]));
    const rows = (text: string) => split(text).flatMap((name) => all.get(name) ?? []);
    const queueFor = createQueue();
    const first = queueFor(rows(before));
    const second = queueFor(rows(after));
    const shape = (entries: typeof first) => entries.map((entry) => (entry.kind === 'group' ? `${entry.conversation}: ${entry.ids.join(' ')}` : entry.key));
    expect(shape(second)).toEqual(shape(queueOf(rows(after))));
    expect(new Set(second.map((entry) => entry.key)).size, 'every entry is one of its own').toBe(second.length);
    const keys = new Set(first.map((entry) => entry.key));
    expect(second.filter((entry) => !keys.has(entry.key)), 'what stays is not drawn anew').toEqual([]);
    expect(shape(queueFor(rows(before))), 'and what comes back stands where it stood').toEqual(shape(queueOf(rows(before))));
  });

  test('rows that leave here and there make it anew', () => {
    const rows = [row('a', 'one'), row('b', 'one'), row('c', 'two'), row('d', 'two')];
    const queueFor = createQueue();
    queueFor(rows);
    const left = rows.filter((each) => each.id === 'b' || each.id === 'd');
    expect(queueFor(left)).toEqual(queueOf(left));
  });

  test.each([
    ['in the morning', '2026-11-20T10:00', '2026-11-20T13:00', '2026-11-21T09:00', '2026-11-23T09:00'],
    ['late in the evening there is no later today', '2026-11-20T22:30', null, '2026-11-21T09:00', '2026-11-23T09:00'],
    ['on a Sunday next week begins tomorrow', '2026-11-22T10:00', '2026-11-22T13:00', '2026-11-23T09:00', '2026-11-23T09:00'],
    ['on a Monday next week is a week away', '2026-11-23T10:00', '2026-11-23T13:00', '2026-11-24T09:00', '2026-11-30T09:00'],
  ])('snoozing %s', (_, now, later, tomorrow, nextWeek) => {
    const at = (text: string | null) => (text === null ? null : new Date(text).getTime());
    expect(snoozeTimes(new Date(now).getTime())).toEqual({ later: at(later), tomorrow: at(tomorrow), nextWeek: at(nextWeek) });
  });
});
