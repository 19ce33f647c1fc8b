import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async () => {
  const host = await renderApp('activity');
  await screen.findByTestId('audit');
  return host;
};
const run = async () => {
  const host = await show();
  fireEvent.click(screen.getByTestId('btn-audit-run'));
  await screen.findByTestId('audit-looked');
  return host;
};

beforeEach(() => setUiState('activity.tab', 'audit'));

test('nothing is looked at before the button, and then counts come with their intervals', async () => {
  const host = await show();
  expect(asked(host, 'audit_run')).toEqual([]);
  fireEvent.click(screen.getByTestId('btn-audit-run'));
  expect((await screen.findByTestId('audit-looked')).textContent).toMatch(/^200 of \d+ memories were checked/);
  const rows = within(screen.getByTestId('audit-shares')).getAllByRole('row');
  expect(rows.map((row) => row.textContent)).toContain('Contradictions10% to 3%');
  expect(rows.map((row) => row.textContent)).toContain('From Keepsake itself00% to 2%');
  expect(await violations()).toEqual([]);
});

test('a finding shows what is and what would be, is acted on, and comes back with undo', async () => {
  const host = await run();
  const findings = screen.getAllByTestId('audit-finding');
  expect(findings.map((each) => within(each).getByTestId('btn-audit-act').textContent)).toEqual(['Move to trash', 'Keep the newer memory', 'Merge into the other memory', 'Still true']);
  const first = findings[0] as HTMLElement;
  fireEvent.click(within(first).getByTestId('btn-audit-act'));
  await waitFor(() => expect(asked(host, 'memory_decide')).toHaveLength(1));
  expect(asked(host, 'memory_decide')[0]).toMatchObject({ action: 'archive' });
  expect(within(first).getByText('Done')).toBeDefined();
  await press('^z');
  await waitFor(() => expect(within(first).queryByText('Done')).toBeNull());
  expect(asked(host, 'undo')).toHaveLength(1);
});

test('each proposal is the decision that it names', async () => {
  const host = await run();
  for (const button of screen.getAllByTestId('btn-audit-act')) fireEvent.click(button);
  await waitFor(() => expect(asked(host, 'memory_decide')).toHaveLength(4));
  expect(asked(host, 'memory_decide').map((each) => (each as { action: string }).action)).toEqual(['archive', 'archive', 'merge', 'reconfirm']);
});

test('an audit that fails says so and can be tried again', async () => {
  const host = await show();
  host.failNext('audit_run', new RpcError('internal', 'The disk is busy.'));
  fireEvent.click(screen.getByTestId('btn-audit-run'));
  expect(await screen.findByText('The disk is busy.')).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('audit-looked')).toBeDefined();
});

test('an audit shows how far it is and can be cancelled', async () => {
  let finish = () => {};
  setUiState('activity.tab', 'audit');
  const host = await renderApp('activity', { hold: (cmd) => (cmd === 'audit_run' ? new Promise<void>((resolve) => (finish = resolve)) : undefined) });
  fireEvent.click(await screen.findByTestId('btn-audit-run'));
  const work = within(await screen.findByTestId('audit-work'));
  host.emit({ type: 'job_progress', id: 'audit', stage: 'Comparing memories', done: 50, total: 200 });
  await waitFor(() => expect(work.getByRole('progressbar', { name: 'Comparing memories' }).getAttribute('aria-valuenow')).toBe('50'));
  fireEvent.click(work.getByTestId('btn-audit-cancel'));
  await waitFor(() => expect(asked(host, 'task_cancel')).toEqual([{ id: 'audit' }]));
  host.failNext('audit_run', new RpcError('cancelled', 'stopped'));
  finish();
  await screen.findByText('Canceled. Nothing was changed.');
  expect(screen.queryByText('The audit failed'), 'a cancel is no failure').toBeNull();
  expect((screen.getByTestId('btn-audit-run') as HTMLButtonElement).disabled).toBe(false);
});
