import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';

const rowOf = (id: string, words: string): HTMLElement => {
  const row = screen.getAllByTestId(id).find((each) => each.textContent?.includes(words));
  if (!row) throw new Error(`no ${id} says “${words}”`);
  return row;
};
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (tab: 'jobs' | 'gate' | 'alerts') => {
  const host = await renderApp('activity');
  fireEvent.click(await screen.findByTestId(`activity-${tab}`));
  return host;
};

beforeEach(() => setUiState('activity.tab', 'jobs'));

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
    await waitFor(() => expect(rowOf('job-row', 'Half marathon training').textContent).toContain('Nothing half done was kept'));
    fireEvent.click(within(rowOf('job-row', 'old-chats.zip')).getByTestId('btn-job-retry'));
    await waitFor(() => expect(rowOf('job-row', 'old-chats.zip').textContent).toContain('Waiting'));
    expect([...asked(host, 'job_cancel'), ...asked(host, 'job_retry')]).toEqual([{ id: 'job_1' }, { id: 'job_3' }]);
  });

  test('p pauses and goes on', async () => {
    const host = await show('jobs');
    await screen.findAllByTestId('job-row');
    await press('p');
    await screen.findByText(/nothing is lost/);
    await press('p');
    await waitFor(() => expect(screen.queryByText(/nothing is lost/)).toBeNull());
    expect(asked(host, 'queue_pause')).toEqual([{ paused: true }, { paused: false }]);
  });

  test('jobs that cannot be listed', async () => {
    const host = await renderApp('review');
    host.failNext('jobs_list', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('nav-activity'));
    expect(await screen.findByText('The disk is busy.')).toBeDefined();
  });
});

describe('the gate log', () => {
  test('a gate in view shows only what it stopped, with the reason', async () => {
    await show('gate');
    expect(await screen.findAllByTestId('gate-row')).toHaveLength(5);
    fireEvent.click(screen.getAllByTestId('gate-filter').find((each) => each.textContent?.includes('Hypothetical')) as HTMLElement);
    await waitFor(() => expect(screen.getAllByTestId('gate-row')).toHaveLength(1));
    expect(screen.getByTestId('gate-row').textContent).toContain('It depends on something that has not happened.');
    expect(screen.getAllByTestId('gate-filter'), 'the other gates stay').toHaveLength(6);
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
