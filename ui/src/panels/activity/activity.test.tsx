import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ModelCallsResponse } from '../../api';
import type { JobView } from '../../api';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { t } from '../../strings';
import { press, renderApp, violations } from '../../test/render';

const rowOf = (id: string, words: string): HTMLElement => {
  const row = screen.getAllByTestId(id).find((each) => each.textContent?.includes(words));
  if (!row) throw new Error(`no ${id} says “${words}”`);
  return row;
};
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (tab: 'jobs' | 'gate' | 'calls' | 'alerts', options: FakeOptions = {}) => {
  const host = await renderApp('activity', options);
  fireEvent.click(await screen.findByTestId(`activity-${tab}`));
  return host;
};

beforeEach(() => {
  setUiState('activity.tab', 'jobs');
  setUiState('activity.calls', 'all');
});

describe('jobs', () => {
  test('they stand in the order of what matters', async () => {
    await show('jobs');
    await screen.findAllByTestId('job-row');
    expect(screen.getAllByRole('heading', { level: 2 }).map((each) => each.textContent)).toEqual(['Running 1', 'Waiting 1', 'Failed 1', 'Finished 1']);
  });

  test('a running one shows how far it is, and hears of each step without asking', async () => {
    const host = await show('jobs');
    await screen.findByText(/42 \/ 120/);
    const before = asked(host, 'jobs_list').length;
    host.emit({ type: 'job_progress', id: 'job_1', stage: 'Reading messages', done: 80, total: 120 });
    await screen.findByText(/80 \/ 120/);
    expect(asked(host, 'jobs_list')).toHaveLength(before);
  });

  test('cancel and retry', async () => {
    const host = await show('jobs');
    await screen.findAllByTestId('job-row');
    fireEvent.click(within(rowOf('job-row', 'Half marathon training')).getByTestId('btn-job-cancel'));
    await waitFor(() => expect(rowOf('job-row', 'Half marathon training').textContent).toContain('No partial results were kept'));
    fireEvent.click(within(rowOf('job-row', 'old-chats.zip')).getByTestId('btn-job-retry'));
    await waitFor(() => expect(rowOf('job-row', 'old-chats.zip').textContent).toContain('Waiting'));
    expect([...asked(host, 'job_cancel'), ...asked(host, 'job_retry')]).toEqual([{ id: 'job_1' }, { id: 'job_3' }]);
  });

  test.each([
    ['one that failed', { attempts: 2 }, /^Next attempt at .* \(3 of 4\) · The model server does not answer\.$/],
    ['one that was put off', { attempts: 0 }, /^Next attempt at .* · The model server does not answer\.$/],
    ['one whose turn it is', { attempts: 2, retry_at: null }, /^The model server does not answer\. · 2 attempts failed$/],
  ])('a waiting job says when it is tried again and why: %s', async (_, change, said) => {
    const host = await renderApp('review');
    const job: JobView = { id: 'job_9', kind: 'extract_model', title: 'Mum', conversation_id: null, state: 'queued', is_cancelling: false, stage: null, done: 0, total: 0, attempts: 0, attempts_max: 4, retry_at: Date.now() + 60_000, error: 'The model server does not answer.', result: null, created_at: 1, started_at: 1, finished_at: null };
    host.answer('jobs_list', () => ({ items: [{ ...job, ...change }], queued: 1, paused: false, paused_until: null }));
    fireEvent.click(screen.getByTestId('nav-activity'));
    const row = await screen.findByTestId('job-row');
    await waitFor(() => expect([...row.querySelectorAll('span')].map((each) => each.textContent)).toContainEqual(expect.stringMatching(said)));
  });

  test('p pauses and goes on', async () => {
    const host = await show('jobs');
    await screen.findAllByTestId('job-row');
    await press('p');
    await screen.findByText(/nothing is lost/);
    await press('p');
    await waitFor(() => expect(screen.queryByText(/nothing is lost/)).toBeNull());
    expect(asked(host, 'queue_pause')).toEqual([{ paused: true, until: null }, { paused: false, until: null }]);
  });

  test.each([
    ['hour', /is paused until .*\d:\d\d/],
    ['tomorrow', /is paused until .*8:00/],
    ['resumed', /is paused\. Running jobs finish/],
  ])('the button asks for how long: %s', async (until, said) => {
    const host = await show('jobs');
    await screen.findAllByTestId('job-row');
    fireEvent.click(screen.getByTestId('btn-pause'));
    fireEvent.click(await screen.findByTestId(`pause-${until}`));
    expect((await screen.findByText(/nothing is lost/)).textContent).toMatch(said);
    expect(asked(host, 'queue_pause')).toEqual([{ paused: true, until: until === 'resumed' ? null : until }]);
    fireEvent.click(screen.getByTestId('btn-pause'));
    await waitFor(() => expect(screen.queryByText(/nothing is lost/)).toBeNull());
  });

  test('jobs that cannot be listed', async () => {
    const host = await renderApp('review');
    host.failNext('jobs_list', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('nav-activity'));
    expect(await screen.findByText('The disk is busy.')).toBeDefined();
  });
});

describe('the gate log', () => {
  test('what a gate stopped is kept by a button where its words have a place, and undo takes that back', async () => {
    const host = await show('gate');
    const rows = await screen.findAllByTestId('gate-row');
    const keeps = screen.getAllByTestId('gate-keep');
    expect([rows.length, keeps.length], 'only one has a place').toEqual([5, 1]);
    fireEvent.click(keeps[0] as HTMLElement);
    await waitFor(() => expect(host.calls.filter((each) => each.cmd === 'memory_remember').map((each) => each.payload)).toEqual([{ interaction_id: 'int_conv_rust_0', start: 0, end: 12, category: null }]));
    expect(await screen.findByText('Remembered')).toBeDefined();
    fireEvent.click(screen.getByTestId('btn-undo'));
    await waitFor(() => expect(host.calls.some((each) => each.cmd === 'undo')).toBe(true));
  });

  test('a gate in view shows only what it stopped, with the reason', async () => {
    await show('gate');
    expect(await screen.findAllByTestId('gate-row')).toHaveLength(5);
    fireEvent.click(screen.getAllByTestId('gate-filter').find((each) => each.textContent?.includes('Hypothetical')) as HTMLElement);
    await waitFor(() => expect(screen.getAllByTestId('gate-row')).toHaveLength(1));
    expect(screen.getByTestId('gate-row').textContent).toContain('It depends on something that has not happened.');
    expect(screen.getAllByTestId('gate-filter'), 'the other gates stay').toHaveLength(6);
  });

  test('an entry says who proposed it, in words', async () => {
    await show('gate');
    const rows = await screen.findAllByTestId('gate-row');
    expect(rows[0]?.textContent).toContain('proposed by Built-in');
    expect(rows[4]?.textContent).toContain('proposed by llama3.2:3b');
    expect(rows[4]?.textContent).not.toContain('facts/1');
  });

  test('every gate has a name of its own', () => {
    // The gates of keepsake-domain.
    const gates = readFileSync('../src-tauri/crates/domain/src/gate.rs', 'utf8').matchAll(/^ {8}\w+ = "(\w+)",$/gm);
    const names = [...gates].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => t.activity.gateName[name] === undefined)).toEqual([]);
  });

  test('an entry leads to its line', async () => {
    await show('gate');
    fireEvent.click(within((await screen.findAllByTestId('gate-row'))[1] as HTMLElement).getByRole('button', { name: 'Open in conversation' }));
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_family', message: 'int_conv_family_0' } });
  });

  test('one conversation alone, and back to all', async () => {
    await renderApp('activity', {}, { onlyConversation: 'conv_book', gate: '' });
    await waitFor(() => expect(screen.getAllByTestId('gate-row')).toHaveLength(2));
    await screen.findByText('Only from “Books for the winter”');
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
    await waitFor(() => expect(screen.getAllByTestId('gate-row')).toHaveLength(5));
  });

  test('axe finds nothing', async () => {
    await show('gate');
    await screen.findAllByTestId('gate-row');
    expect(await violations()).toEqual([]);
  });
});

describe('what left this computer', () => {
  const rows = () => screen.findAllByTestId('call-row');
  const detail = () => screen.getByTestId('call-detail');

  test('nothing, where no model was ever asked', async () => {
    await show('calls');
    await screen.findByText('Nothing has left this computer');
    expect(screen.queryByTestId('btn-calls-forget')).toBeNull();
  });

  test('nothing, where only models on this computer were asked; these are listed', async () => {
    await show('calls', { models: 'local' });
    expect((await rows()).length).toBeGreaterThan(5);
    expect(screen.getByTestId('calls-state').textContent).toContain('Nothing has left this computer. These calls went to models on this computer.');
    expect(screen.queryByText('Another computer')).toBeNull();
    fireEvent.click(screen.getByRole('radio', { name: /Other computers/ }));
    await screen.findByText(/^There are no calls to models on other computers/);
  });

  test('a call elsewhere is marked in words, and the claim is gone', async () => {
    await show('calls', { models: 'remote' });
    const [first] = await rows();
    for (const words of ['Find facts', 'Another computer', 'example.invalid:443', 'large-instruct', 'KB', 'tokens', 'Answered']) expect(first?.textContent).toContain(words);
    expect(screen.getByTestId('calls-state').textContent).toMatch(/^7 calls went to other computers\. Sent there today: /);
    expect(screen.queryByText(/Nothing has left/)).toBeNull();
  });

  test('only other computers', async () => {
    const host = await show('calls', { models: 'remote' });
    const all = (await rows()).length;
    fireEvent.click(screen.getByRole('radio', { name: /Other computers/ }));
    await waitFor(async () => expect((await rows()).length).toBeLessThan(all));
    expect((await rows()).every((row) => row.textContent?.includes('Another computer'))).toBe(true);
    expect(asked(host, 'model_calls_list')).toContainEqual({ remote_only: true, offset: 0, limit: 50 });
  });

  test('the texts are shown in full, word for word; arrows go on', async () => {
    const host = await show('calls', { models: 'remote' });
    await rows();
    const { items } = (await host.rpc('model_calls_list', { remote_only: false, offset: 0, limit: 50 })) as ModelCallsResponse;
    const texts = () => [...detail().querySelectorAll('pre')].map((each) => each.textContent);
    expect(texts()).toEqual([items[0]?.request, items[0]?.reply]);
    await press('j');
    await waitFor(() => expect(texts()).toEqual([items[1]?.request, items[1]?.reply]));
    await press('End', 'ArrowUp', 'Home');
    await waitFor(() => expect(texts()[0]).toBe(items[0]?.request));
    fireEvent.click((await rows())[9] as HTMLElement);
    await waitFor(() => expect(detail().textContent).toContain('choose a smaller model'));
    expect(detail().textContent).toContain('No reply.');
  });

  test('a call leads to its conversation', async () => {
    await show('calls', { models: 'local' });
    await rows();
    fireEvent.click(within(detail()).getByRole('button', { name: 'Planning the kitchen move' }));
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen' } });
  });

  test('the texts can be forgotten, once confirmed; where and how much stays', async () => {
    const host = await show('calls', { models: 'remote' });
    await rows();
    fireEvent.click(screen.getByTestId('btn-calls-forget'));
    const confirm = await screen.findByTestId('btn-calls-forget-confirm');
    expect(asked(host, 'model_calls_forget'), 'asked first').toEqual([]);
    fireEvent.click(confirm);
    await waitFor(() => expect(within(detail()).getAllByText('This text was deleted.')).toHaveLength(2));
    expect(detail().querySelector('pre')).toBeNull();
    expect(detail().textContent).toContain('example.invalid:443');
    expect(screen.getByTestId('calls-state').textContent).toContain('7 calls went to other computers');
  });

  test('what cannot be loaded says so, and claims nothing', async () => {
    const host = await renderApp('review', { models: 'remote' });
    host.answer('model_calls_list', () => {
      throw new RpcError('internal', 'The disk is busy.');
    });
    setUiState('activity.tab', 'calls');
    fireEvent.click(screen.getByTestId('nav-activity'));
    await screen.findByText('The disk is busy.');
    expect(screen.queryByText(/Nothing has left/)).toBeNull();
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await show('calls', { models: 'remote', theme });
    await rows();
    expect(await violations()).toEqual([]);
  }, 15_000);
});

describe('alerts', () => {
  test('it says what happened and what to do; dismissed, it is gone', async () => {
    await show('alerts');
    const alert = await screen.findByTestId('alert-row');
    expect(alert.textContent).toContain('Export it again, then retry.');
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId('btn-alert-dismiss'));
    expect(screen.queryByTestId('alert-row'), 'at once').toBeNull();
    await screen.findByText('No alerts');
  });

  test('a model that failed reads as any other: what, why, what to do, try again', async () => {
    const host = await renderApp('review');
    const message = 'Reading “Half marathon training” with llama3.2:3b failed four times: cannot connect to http://127.0.0.1:11434; see that the server runs. Nothing was stored. Choose another model in Settings, Models, or try again.';
    host.answer('alerts_list', () => ({ items: [{ id: 'alert_2', kind: 'job_failed', message, job_id: 'job_9', created_at: 1 }] }));
    setUiState('activity.tab', 'alerts');
    fireEvent.click(screen.getByTestId('nav-activity'));
    const alert = await screen.findByTestId('alert-row');
    expect(alert.textContent).toContain(message);
    host.failNext('job_retry', new RpcError('refused', 'The job is running again already.'));
    fireEvent.click(within(alert).getByRole('button', { name: 'Try again' }));
    await screen.findByText('The job is running again already.');
    expect(asked(host, 'job_retry')).toEqual([{ id: 'job_9' }]);
  });

  test('if dismissing fails it is back', async () => {
    const host = await show('alerts');
    await screen.findByTestId('alert-row');
    host.failNext('alert_dismiss', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('btn-alert-dismiss'));
    expect(await screen.findByTestId('alert-row')).toBeDefined();
    await screen.findByText('The disk is busy.');
  });

  test('retry asks for the job', async () => {
    const host = await show('alerts');
    fireEvent.click(await screen.findByTestId('btn-alert-retry'));
    await waitFor(() => expect(asked(host, 'job_retry')).toEqual([{ id: 'job_3' }]));
  });
});
