import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';

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
  expect((await screen.findByTestId('audit-looked')).textContent).toMatch(/^200 of \d+ memories in use were checked/);
  const rows = within(screen.getByTestId('audit-shares')).getAllByRole('row');
  expect(rows.map((row) => row.textContent)).toContain('Contradictions10 % to 3 %');
  expect(rows.map((row) => row.textContent)).toContain('Echoed00 % to 2 %');
  expect(await violations()).toEqual([]);
});

test('a finding shows what is and what would be, is acted on, and comes back with undo', async () => {
  const host = await run();
  const findings = screen.getAllByTestId('audit-finding');
  expect(findings.map((each) => within(each).getByTestId('btn-audit-act').textContent)).toEqual(['Move to trash', 'Keep the newer one', 'Merge into the other', 'It still holds']);
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
