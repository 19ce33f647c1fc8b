import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { PARKED_UNTIL } from '../../platform/fake/memories';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (options: FakeOptions = {}) => {
  const host = await renderApp('activity', options);
  fireEvent.click(await screen.findByTestId('activity-night'));
  await screen.findByTestId('night');
  return host;
};

beforeEach(() => setUiState('activity.tab', 'jobs'));

describe('overnight', () => {
  test('the digest says what is new and what waits, and leads there', async () => {
    await show();
    const digest = await screen.findByTestId('night-digest');
    expect(digest.textContent).toContain('214 messages');
    expect(within(digest).queryByText(/gap/), 'what is none is not told').toBeNull();
    fireEvent.click(within(digest).getByText('14 proposals to review'));
    expect(nav.get().panel).toBe('review');
  });

  test('a cycle begins now, says how far it is, and can be stopped', async () => {
    await show();
    fireEvent.click(screen.getByTestId('btn-night-start'));
    await screen.findByText('Running, 3 jobs left');
    fireEvent.click(screen.getByTestId('btn-night-stop'));
    await screen.findByText('Stopped before it finished');
    expect(screen.getByTestId('btn-night-start')).toBeTruthy();
  });

  test('what is parked is listed and goes back to Review, with undo', async () => {
    const host = await show();
    const parked = await screen.findByTestId('night-parked');
    expect(within(parked).queryAllByTestId('btn-night-restore'), 'no candidate is').toHaveLength(0);
    await host.rpc('memory_decide', { action: 'snooze', ids: ['mem_00000', 'mem_00001'], until: PARKED_UNTIL });
    const button = await within(parked).findAllByTestId('btn-night-restore');
    expect(button).toHaveLength(2);
    fireEvent.click(button[0] as HTMLElement);
    await waitFor(() => expect(asked(host, 'memory_decide').at(-1)).toMatchObject({ action: 'restore' }));
    await waitFor(() => expect(screen.getAllByTestId('btn-night-restore')).toHaveLength(1));
  });

  test('a proposal of another kind is listed by what it is and comes back by one key', async () => {
    const host = await show();
    const parked = await screen.findByTestId('night-parked');
    expect(parked.textContent).toContain('Link');
    expect(parked.textContent).toContain('Ana Pires and ana.p');
    expect(parked.textContent).toContain('CleanupUser wants to read one book a week in 2025');
    await press('b');
    await waitFor(() => expect(asked(host, 'parked_restore')).toEqual([{ items: [{ kind: 'link', id: 'lnk_parked' }, { kind: 'reflection', id: 'ref_parked' }] }]));
    await waitFor(() => expect(screen.queryByTestId('night-parked')).toBeNull());
  });

  test('the notice in the morning can be turned off', async () => {
    const host = await show();
    fireEvent.click(screen.getByTestId('night-notify'));
    await waitFor(() => expect(asked(host, 'maintenance_set')).toEqual([{ automatic: true, hour: 3, park_after_days: 60, notify: false }]));
  });

  test('when it runs is chosen, and a number of days that is none is said and not sent', async () => {
    const host = await show();
    fireEvent.change(screen.getByTestId('night-hour'), { target: { value: '5' } });
    await waitFor(() => expect(asked(host, 'maintenance_set')).toEqual([{ automatic: true, hour: 5, park_after_days: 60, notify: true }]));
    const days = screen.getByTestId('night-days');
    fireEvent.change(days, { target: { value: '3' } });
    await screen.findByText('Enter a whole number of days from 7 to 3650.');
    fireEvent.keyDown(days, { key: 'Enter' });
    expect(asked(host, 'maintenance_set')).toHaveLength(1);
    fireEvent.change(days, { target: { value: '30' } });
    fireEvent.keyDown(days, { key: 'Enter' });
    await waitFor(() => expect(asked(host, 'maintenance_set').at(-1)).toMatchObject({ park_after_days: 30 }));
  });

  test('a second choice before the first was answered keeps the first', async () => {
    const host = await show();
    const days = screen.getByTestId('night-days');
    fireEvent.change(days, { target: { value: '30' } });
    fireEvent.keyDown(days, { key: 'Enter' });
    fireEvent.click(screen.getByTestId('night-automatic'));
    await waitFor(() => expect((days as HTMLInputElement).value).toBe('30'));
    await waitFor(() => expect(asked(host, 'maintenance_set').at(-1)).toEqual({ automatic: false, hour: 3, park_after_days: 30, notify: true }));
    expect((screen.getByTestId('night-hour') as HTMLSelectElement).disabled).toBe(true);
  });

  test('before the first night it says what will be', async () => {
    await show({ firstRun: true });
    expect(screen.getByText('No overnight run yet')).toBeTruthy();
  });

  test.each(['light', 'dark'] as const)('it is sound for assistive technology in the %s theme', async (theme) => {
    await show({ theme });
    await screen.findByTestId('night-digest');
    expect(await violations()).toEqual([]);
  });
});
