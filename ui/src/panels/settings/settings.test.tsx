import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { renderApp } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';
import { regionName, regionProblem } from './regions';

const written = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'settings_set').map((each) => each.payload as Settings);

describe('each choice acts at once and is written whole', () => {
  test('the theme', async () => {
    const host = await renderApp('settings');
    fireEvent.click(await screen.findByTestId('settings-theme-dark'));
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'));
    expect(written(host)[0]).toMatchObject({ theme: 'dark', single_keys: true, phone_regions: ['NL', 'GB', 'US'] });
  });

  test('two changes in a row keep both', async () => {
    const host = await renderApp('settings');
    fireEvent.click(await screen.findByTestId('settings-single-keys'));
    fireEvent.click(screen.getByTestId('settings-extract'));
    await waitFor(() => expect(written(host)).toHaveLength(2));
    expect(written(host)[1]).toMatchObject({ single_keys: false, extract_on_import: false });
  });

  test('what has ended is analysed unless it is switched off, and it says that the past is left alone', async () => {
    const host = await renderApp('settings');
    const choice = await screen.findByTestId('settings-analyze-ended');
    expect(choice.getAttribute('aria-checked')).toBe('true');
    expect(screen.getByText(/Applies to conversations that end from now on/)).toBeTruthy();
    fireEvent.click(choice);
    await waitFor(() => expect(written(host)[0]).toMatchObject({ analyze_ended: false, extract_on_import: true }));
  });

  test('one choice says how much is offered', async () => {
    const host = await renderApp('settings');
    fireEvent.click(await screen.findByTestId('settings-offer-many'));
    await waitFor(() => expect(written(host)[0]).toMatchObject({ offer: 'many', extract_on_import: true }));
  });

  test('a failure brings the old value back and says so', async () => {
    const host = await renderApp('settings');
    host.failNext('settings_set', new RpcError('internal', 'The disk is full.'));
    const keys = await screen.findByTestId('settings-single-keys');
    fireEvent.click(keys);
    await screen.findByText('The disk is full.');
    expect(keys.getAttribute('aria-checked')).toBe('true');
  });

  test('a region is taken off', async () => {
    const host = await renderApp('settings');
    fireEvent.click(await screen.findByRole('button', { name: 'Remove Netherlands' }));
    await waitFor(() => expect(written(host)[0]?.phone_regions).toEqual(['GB', 'US']));
  });

  test('a region is typed; what is none is refused', async () => {
    const host = await renderApp('settings');
    fireEvent.click(await screen.findByRole('button', { name: 'Add a region' }));
    fireEvent.click(await screen.findByText(/Two-letter code/));
    const field = await screen.findByRole('textbox', { name: /Two-letter code/ });
    fireEvent.change(field, { target: { value: 'nowhere' } });
    await screen.findByText('Enter two capital letters, for example DE.');
    fireEvent.change(field, { target: { value: 'se' } });
    fireEvent.submit(field);
    await waitFor(() => expect(written(host)[0]?.phone_regions).toEqual(['NL', 'GB', 'US', 'SE']));
  });
});

test.each([
  ['DE', null],
  ['NL', 'Already in the list.'],
  ['de', 'Enter two capital letters, for example DE.'],
  ['DEU', 'Enter two capital letters, for example DE.'],
  ['Q1', 'Enter two capital letters, for example DE.'],
])('the region %s', (region, problem) => expect(regionProblem(region, ['NL'])).toBe(problem));

test('regions have names', () => expect(regionName('CH')).toBe('Switzerland'));

test('the model, the data and the promise are said', async () => {
  await renderApp('settings', { embeddingMissing: true });
  expect((await screen.findByTestId('settings-data-dir')).textContent).toContain('keepsake');
  for (const words of [/make setup/, /9 of 9/, 'Robin Hale', 'Nothing becomes a memory until you approve it.', '0.1.0']) expect(screen.getAllByText(words).length).toBeGreaterThan(0);
});

test('a reader that was refused says so, and why', async () => {
  const host = await renderApp('settings');
  expect((await screen.findByTestId('settings-reader')).textContent).toBe('In use');
  const status = (await host.rpc('app_status', {})) as object;
  host.answer('app_status', () => ({ ...status, reader: { state: 'refused', problem: 'reader.onnx is another file than this version knows.' } }) as never);
  host.emit({ type: 'changed', tags: ['status'] });
  await waitFor(() => expect(screen.getByTestId('settings-reader').textContent).toBe('Could not be loaded, so conversations are waiting to be read'));
  expect(screen.getByText('reader.onnx is another file than this version knows.')).toBeDefined();
});

test('the list of keys opens from here', async () => {
  await renderApp('settings');
  fireEvent.click(await screen.findByRole('button', { name: /^Show$/ }));
  expect(await screen.findByTestId('help')).toBeDefined();
});
