import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { AppStatus } from '../../api';
import { RpcError } from '../../platform';
import { waitingFiles } from '../../state/host';
import { nav } from '../../state/nav';
import { renderApp, violations } from '../../test/render';

beforeEach(() => waitingFiles.set([]));

test('one click leads to the first candidate, with progress on the way', async () => {
  await renderApp('welcome', { firstRun: true, pace_ms: 40 });
  fireEvent.click(await screen.findByTestId('welcome-sample'));
  await screen.findByText(/KB of 24\.0 KB/);
  await waitFor(() => expect(nav.get().panel).toBe('review'), { timeout: 3_000 });
  expect(await screen.findAllByTestId('review-row')).not.toHaveLength(0);
});

test('own files', async () => {
  await renderApp('welcome', { firstRun: true });
  fireEvent.click(await screen.findByTestId('welcome-import'));
  expect(nav.get().panel).toBe('sources');
});

test('skipping', async () => {
  await renderApp('welcome', { firstRun: true });
  fireEvent.click(await screen.findByTestId('welcome-skip'));
  expect(nav.get().panel).toBe('review');
});

test('a refusal is said and can be repeated', async () => {
  const host = await renderApp('welcome', { firstRun: true });
  host.failNext('sample_load', new RpcError('internal', 'The disk is full.'));
  fireEvent.click(await screen.findByTestId('welcome-sample'));
  await screen.findByText('The disk is full.');
  await waitFor(() => expect((screen.getByTestId('welcome-sample') as HTMLButtonElement).disabled).toBe(false));
});

test('it says where the data lives and that the model is missing', async () => {
  await renderApp('welcome', { firstRun: true, embeddingMissing: true });
  await screen.findByText(/\.local\/share\/keepsake/);
  expect(screen.getByText(/matches by keywords/)).toBeDefined();
  expect(await violations()).toEqual([]);
});

test('it says why the data lies in a folder within the one that was named', async () => {
  const host = await renderApp('welcome', { firstRun: true });
  expect(screen.queryByText(/Other users/), 'a private folder needs no word').toBeNull();
  const status = await host.rpc('app_status', {});
  host.answer('app_status', () => ({ ...(status as AppStatus), data_dir: '/srv/share/keepsake', shared_dir: '/srv/share' }));
  host.emit({ type: 'changed', tags: ['status'] });
  await screen.findByText('Other users of this computer can read /srv/share, so Keepsake uses a private folder inside it.');
  expect(await violations()).toEqual([]);
});

test('without background work nothing is pretended', async () => {
  const host = await renderApp('welcome', { firstRun: true, pace_ms: 5 });
  const status = (await host.rpc('app_status', {})) as { counts: object };
  host.answer('app_status', () => ({ ...status, counts: { ...status.counts, pending: 0, jobs: 0 } }) as never);
  fireEvent.click(await screen.findByTestId('welcome-sample'));
  fireEvent.click(await screen.findByRole('button', { name: 'Go to Review' }));
  expect(nav.get().panel).toBe('review');
});
