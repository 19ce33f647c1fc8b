import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { ReflectionDetail } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.queryAllByTestId('reflection-row');
const title = () => screen.getByTestId('reflection-title').textContent;
const openReflection = async () => {
  const host = await renderApp('reflection');
  await screen.findAllByTestId('reflection-row');
  await screen.findByTestId('reflection-before');
  return host;
};

describe('the list', () => {
  test('a row says what would be done to what, and why', async () => {
    await openReflection();
    expect(rows()).toHaveLength(3);
    for (const words of ['User wants to run the Porto marathon in 2024', 'Trash', 'The year it was planned for is over.']) expect(rows()[0]?.textContent).toContain(words);
    expect(rows()[2]?.textContent).toContain('and 1 more');
    expect(await violations()).toEqual([]);
  });

  test('it is narrowed to a kind and to a status, and there is a way back', async () => {
    await openReflection();
    fireEvent.click(screen.getByTestId('reflection-kind-merge'));
    await waitFor(() => expect(rows()).toHaveLength(1));
    fireEvent.click(screen.getByTestId('reflection-refused'));
    fireEvent.click(await screen.findByRole('button', { name: 'Show open cleanups' }));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('with nothing there it says what it is for, and a list that cannot be loaded tries again', async () => {
    const host = await renderApp('review');
    host.failNext('reflections_list', new RpcError('internal', 'The disk is busy.'));
    await press('g', 'y');
    await screen.findByText('The disk is busy.');
    host.answer('reflections_list', () => ({ items: [], run: null, job_id: null }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('No cleanups yet');
    await press('l');
    await waitFor(() => expect(asked(host, 'reflections_look')).toHaveLength(1));
  });
});

describe('one proposal', () => {
  test('it says who proposes it', async () => {
    const host = await openReflection();
    expect((await screen.findByTestId('reflection-made-by')).textContent).toBe('Proposed by the built-in engine.');
    const detail = (await host.rpc('reflection_get', { id: 'rfl_tired' })) as ReflectionDetail;
    host.answer('reflection_get', () => ({ ...detail, proposer: 'llama3.2:3b reflect/1' }));
    await press('j');
    await waitFor(() => expect(screen.getByTestId('reflection-made-by').textContent).toBe('Proposed by llama3.2:3b.'));
  });

  test('it shows before and after side by side, and what becomes of each memory in words', async () => {
    await openReflection();
    expect(screen.getByTestId('reflection-after').textContent).toContain('In the trash: not shown to agents');
    await press('j', 'j');
    await waitFor(() => expect(title()).toBe('Merge these memories into one'));
    const after = await screen.findByTestId('reflection-after');
    await waitFor(() => expect(within(after).getByText('Merged into the memory that is kept')).toBeTruthy());
    expect(within(after).getByText('Kept')).toBeTruthy();
    expect(within(after).getByText('based on 2 messages')).toBeTruthy();
    expect(await violations()).toEqual([]);
  });

  test('a line that it rests on leads to where it stands', async () => {
    await openReflection();
    await press('j', 'j');
    await waitFor(() => expect(screen.getAllByTestId('reflection-source')).toHaveLength(2));
    fireEvent.click(screen.getAllByTestId('reflection-source')[1] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations' });
    expect(nav.get().target?.message).toBeTruthy();
  });

  test('enter opens the first line that it rests on', async () => {
    await openReflection();
    await press('Enter');
    await waitFor(() => expect(nav.get().panel).toBe('conversations'));
  });
});

describe('answers', () => {
  test('a agrees and moves on, r refuses, u takes back', async () => {
    const host = await openReflection();
    await press('a');
    await waitFor(() => expect(asked(host, 'reflections_decide')).toEqual([{ ids: ['rfl_marathon'], status: 'accepted' }]));
    await waitFor(() => expect(rows()[0]?.textContent).toContain('Approved'));
    await press('r');
    await waitFor(() => expect(asked(host, 'reflections_decide')[1]).toEqual({ ids: ['rfl_tired'], status: 'refused' }));
    await waitFor(() => expect(rows()).toHaveLength(2));
    await press('u');
    await waitFor(() => expect(asked(host, 'reflections_decide')[2]).toEqual({ ids: ['rfl_tired'], status: 'open' }));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('what was agreed to is applied in one run, and one undo takes all of it back', async () => {
    const host = await openReflection();
    fireEvent.click(screen.getByTestId('btn-reflection-accept-all'));
    await waitFor(() => expect(screen.getByTestId('btn-reflection-apply').textContent).toContain('Apply 3'));
    await screen.findByText(/A backup is made first/);
    await press('^Enter');
    await waitFor(() => expect(asked(host, 'reflections_apply')).toHaveLength(1));
    await screen.findByText('Nothing to clean up');
    fireEvent.click(screen.getByTestId('reflection-applied'));
    await waitFor(() => expect(rows()).toHaveLength(3));
    expect((await screen.findByTestId('reflection-run')).textContent).toContain('Cleanup (3 changes)');
    await press('u');
    await waitFor(() => expect(asked(host, 'undo')).toEqual([{ operation_id: 'op_tidy_1' }]));
    fireEvent.click(screen.getByTestId('reflection-waiting'));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('the last run can be taken back by its button, also in another session', async () => {
    const host = await openReflection();
    await press('a');
    fireEvent.click(await screen.findByTestId('btn-reflection-apply'));
    await waitFor(() => expect(rows()).toHaveLength(2));
    fireEvent.click(screen.getByTestId('reflection-applied'));
    fireEvent.click(await screen.findByTestId('btn-reflection-undo'));
    await waitFor(() => expect(asked(host, 'reflections_undo')).toHaveLength(1));
    await screen.findByText('Undid: Cleanup (1 changes)');
    fireEvent.click(screen.getByTestId('reflection-waiting'));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('while it looks there is progress, and it can be stopped', async () => {
    const host = await openReflection();
    const job = { id: 'job_reflect', kind: 'reflect', title: '', conversation_id: null, state: 'running' as const, is_cancelling: false, stage: 'Looking for cleanups', done: 20, total: 80, attempts: 1, attempts_max: 4, retry_at: null, error: null, result: null, created_at: 0, started_at: 0, finished_at: null };
    host.answer('jobs_list', () => ({ items: [job] }) as never);
    host.emit({ type: 'changed', tags: ['jobs'] });
    fireEvent.click(await screen.findByTestId('btn-reflection-cancel'));
    await waitFor(() => expect(asked(host, 'job_cancel')).toEqual([{ id: 'job_reflect' }]));
    expect(screen.getByTestId<HTMLButtonElement>('btn-reflection-look').disabled).toBe(true);
  });
});
