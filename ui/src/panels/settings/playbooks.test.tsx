import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const written = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'playbook_settings_set').map((each) => each.payload);
const field = () => screen.getByTestId<HTMLInputElement>('playbook-webhook');
const enter = (text: string) => {
  fireEvent.change(field(), { target: { value: text } });
  fireEvent.keyDown(field(), { key: 'Enter' });
};

describe('where new playbooks are told of', () => {
  test('nowhere unless an address is entered, and nowhere again when it is taken out', async () => {
    const host = await renderApp('settings');
    await screen.findByTestId('playbook-webhook');
    expect(field().value).toBe('');
    expect(await violations()).toEqual([]);
    enter('http://127.0.0.1:9000/hook');
    await waitFor(() => expect(written(host)).toEqual([{ webhook: 'http://127.0.0.1:9000/hook' }]));
    await waitFor(() => expect(field().value).toBe('http://127.0.0.1:9000/hook'));
    enter('');
    await waitFor(() => expect(written(host)[1]).toEqual({ webhook: null }));
  });

  test('what is refused stands there with the reason', async () => {
    const host = await renderApp('settings');
    await screen.findByTestId('playbook-webhook');
    host.failNext('playbook_settings_set', new RpcError('refused', 'https://a.test is not on this computer.'));
    enter('https://a.test/hook');
    await screen.findByText('https://a.test is not on this computer.');
    expect(field().value).toBe('https://a.test/hook');
    fireEvent.keyDown(field(), { key: 'Escape' });
    expect(field().value).toBe('');
  });
});
