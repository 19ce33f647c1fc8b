import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { LiveDeviceView, LiveSourceView } from '../../../api';
import type { FakePlatform } from '../../../platform/fake';
import { renderApp, violations } from '../../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../index';
import { deviceState } from './deviceState';

const KEY = 'EsTc 5rri 5Jnq';

const device = (change: Partial<LiveDeviceView> = {}): LiveDeviceView => ({ is_verified: false, can_be_verified: true, backup: 'locked', keys_done: 0, keys_total: 0, comparison: null, ...change });

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload as Record<string, unknown>);
const row = () => {
  const found = screen.getAllByTestId('live-source').find((each) => each.textContent?.includes('@robin:matrix.example'));
  if (!found) throw new Error('no Matrix account');
  return within(found);
};
const show = async () => {
  const host = await renderApp('sources', {});
  await screen.findAllByTestId('live-source');
  return host;
};
/** Lets the Matrix account have this device. */
const become = async (host: FakePlatform, next: LiveDeviceView) => {
  const { items } = (await host.rpc('live_sources_list', {})) as { items: LiveSourceView[] };
  host.answer('live_sources_list', () => ({ items: items.map((each) => (each.kind === 'matrix' ? { ...each, device: next } : each)), is_secret_lost_at_end: false }));
  act(() => host.emit({ type: 'changed', tags: ['sources'] }));
};

describe('how a device stands, in words', () => {
  test.each<[string, Partial<LiveDeviceView>, string | null, string]>([
    ['new', {}, 'not-verified', 'both'],
    ['nobody set encryption up', { can_be_verified: false, backup: 'absent' }, null, 'none'],
    ['a backup without an identity', { can_be_verified: false }, 'locked', 'key'],
    ['verified by emoji, and the other device sent no key', { is_verified: true }, 'locked', 'key'],
    ['keys are fetched', { is_verified: true, backup: 'open', keys_done: 3, keys_total: 40 }, 'fetching', 'none'],
    ['all is read', { is_verified: true, backup: 'open', keys_done: 40, keys_total: 40 }, 'verified', 'none'],
    ['no backup', { is_verified: true, backup: 'absent' }, 'verified', 'none'],
  ])('%s', (_, change, name, ways) => {
    const state = deviceState(device(change));
    expect(state?.name ?? null).toBe(name);
    expect(!state?.canRecover ? 'none' : state.canCompare ? 'both' : 'key').toBe(ways);
  });

  test.each([
    ['mismatch', /differed, so nothing was verified/],
    ['cancelled', /was stopped/],
    ['timed_out', /took too long/],
  ])('after %s it is still not verified, and says why', (stage, words) => {
    const state = deviceState(device({ comparison: { stage, other: null, emoji: [] } }));
    expect([state?.name, state?.text]).toEqual(['not-verified', expect.stringMatching(words)]);
  });
});

describe('the recovery key', () => {
  test('a wrong one says so, and the right one opens what could not be read', async () => {
    const host = await show();
    expect(row().getByText('This device is not verified')).toBeDefined();
    expect(row().getByText(/12 encrypted messages cannot be read/)).toBeDefined();
    fireEvent.click(row().getByTestId('btn-live-recover'));
    const form = within(await screen.findByTestId('live-recover-form'));
    const field = form.getByLabelText('Recovery key or passphrase') as HTMLInputElement;
    expect([field.type, field.autocomplete, document.activeElement === field]).toEqual(['password', 'off', true]);
    fireEvent.click(form.getByTestId('btn-live-recover-submit'));
    expect((await form.findByRole('alert')).textContent).toBe('Enter a value.');
    fireEvent.change(field, { target: { value: 'wrong' } });
    fireEvent.click(form.getByTestId('btn-live-recover-submit'));
    await waitFor(() => expect(form.getByRole('alert').textContent).toMatch(/^Nothing was changed: This is not the recovery key/));
    expect(field.value, 'it can be corrected').toBe('wrong');
    fireEvent.change(field, { target: { value: KEY } });
    fireEvent.submit(screen.getByTestId('live-recover-form'));
    await waitFor(() => expect(row().getByTestId('live-device').dataset['state']).toBe('verified'));
    expect(row().queryByText(/cannot be read/)).toBeNull();
    expect(asked(host, 'live_source_recover')).toEqual([{ id: 'src_matrix', recovery_key: 'wrong' }, { id: 'src_matrix', recovery_key: KEY }]);
    expect(JSON.stringify(asked(host, 'ui_state_set'))).not.toContain(KEY);
    expect(document.body.innerHTML).not.toContain(KEY);
  });
});

describe('comparing emoji', () => {
  test('seven are shown with their names, and the device is verified when they match', async () => {
    const host = await show();
    fireEvent.click(row().getByTestId('btn-live-compare'));
    const emoji = await row().findByTestId('live-emoji');
    expect(within(emoji).getAllByRole('listitem').map((each) => each.textContent)).toEqual(['🐶Dog', '🎩Hat', '🌵Cactus', '🔧Spanner', '🐝Bee', '📌Pin', '🐶Dog']);
    expect(row().getByText('Does Element on Linux show the same emoji in the same order?')).toBeDefined();
    fireEvent.click(row().getByTestId('btn-live-match'));
    expect(await row().findByText('Verified, but earlier messages are locked'), 'the backup is another matter').toBeDefined();
    expect(asked(host, 'live_source_compare').map((each) => each['action'])).toEqual(['begin', 'match']);
  });

  test('emoji that differ verify nothing', async () => {
    await show();
    fireEvent.click(row().getByTestId('btn-live-compare'));
    fireEvent.click(await row().findByTestId('btn-live-mismatch'));
    expect(await row().findByText(/The emoji differed/)).toBeDefined();
    expect(row().getByText('This device is not verified')).toBeDefined();
  });

  test.each([
    ['requested', /^Accept the request on a device/],
    ['starting', /^Connecting to your other device/],
    ['confirmed', /^Confirmed here\./],
  ])('while it is %s it can be stopped', async (stage, words) => {
    const host = await show();
    await become(host, device({ comparison: { stage, other: null, emoji: [] } }));
    expect(await row().findByText(words)).toBeDefined();
    fireEvent.click(row().getByTestId('btn-live-compare-cancel'));
    await waitFor(() => expect(asked(host, 'live_source_compare')).toEqual([{ id: 'src_matrix', action: 'cancel' }]));
  });

  test('the other device may ask', async () => {
    const host = await show();
    await become(host, device({ comparison: { stage: 'offered', other: 'Element on Linux', emoji: [] } }));
    expect(await row().findByText('Element on Linux asks to compare emoji with Keepsake.')).toBeDefined();
    fireEvent.click(row().getByTestId('btn-live-compare'));
    await waitFor(() => expect(asked(host, 'live_source_compare')).toEqual([{ id: 'src_matrix', action: 'accept' }]));
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await renderApp('sources', { theme });
    await screen.findAllByTestId('live-source');
    fireEvent.click(row().getByTestId('btn-live-compare'));
    await row().findByTestId('live-emoji');
    expect(await violations()).toEqual([]);
  });
});
