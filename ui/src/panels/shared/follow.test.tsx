import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../sources/index';
import '../welcome/index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (panel: 'sources' | 'welcome', options: FakeOptions = {}) => {
  const host = await renderApp(panel, { firstRun: true, ...options });
  await screen.findByTestId('follow-offers');
  return host;
};

describe('terminal agents that can be followed', () => {
  test.each([['sources'], ['welcome']] as const)('%s tells what was found, and follows nothing by itself', async (panel) => {
    const host = await show(panel);
    const rows = screen.getAllByTestId('follow-offer').map((each) => each.textContent);
    expect(rows[0]).toContain('Claude Code: 132 sessions found');
    expect(rows[1], 'one is not many').toContain('Codex: 1 session found');
    expect(asked(host, 'watched_follow')).toEqual([]);
  });

  test('one is followed, and the other is still offered', async () => {
    const host = await show('sources');
    fireEvent.click(screen.getByRole('button', { name: 'Follow Claude Code' }));
    await waitFor(() => expect(screen.getAllByTestId('follow-offer')).toHaveLength(1));
    expect(asked(host, 'watched_follow')).toEqual([{ programs: ['claude-code'] }]);
    const row = await screen.findByTestId('watched-row');
    expect(row.textContent).toContain('Read as it is written');
    expect(within(row).queryByText(/Next check/), 'it is not read at certain times').toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Follow Codex' }));
    await waitFor(() => expect(screen.queryByTestId('follow-offers'), 'nothing is left to offer').toBeNull());
  });

  test('a refusal says why, and the offer stays', async () => {
    const host = await show('sources');
    host.failNext('watched_follow', new RpcError('refused', 'There is no folder any more.'));
    fireEvent.click(screen.getByRole('button', { name: 'Follow Codex' }));
    await screen.findByText('There is no folder any more.');
    expect(screen.getAllByTestId('follow-offer')).toHaveLength(2);
    await waitFor(() => expect((screen.getByRole('button', { name: 'Follow Codex' }) as HTMLButtonElement).disabled).toBe(false));
  });

  test('who does not want it is not asked again', async () => {
    const host = await show('welcome');
    fireEvent.click(screen.getByTestId('btn-follow-dismiss'));
    await waitFor(() => expect(screen.queryByTestId('follow-offers')).toBeNull());
    expect(asked(host, 'watched_offers_dismiss')).toHaveLength(1);
  });

  test('nothing is shown where nothing is found', async () => {
    const host = await renderApp('sources');
    await waitFor(() => expect(asked(host, 'watched_offers')).toHaveLength(1));
    expect(screen.queryByTestId('follow-offers')).toBeNull();
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await show('sources', { theme });
    expect(await violations()).toEqual([]);
  }, 15_000);
});
