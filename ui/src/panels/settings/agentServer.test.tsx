import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const written = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'agent_server_set').map((each) => each.payload);
const toggle = () => screen.getByTestId('agent-server');
const port = () => screen.getByTestId<HTMLInputElement>('agent-server-port');
const enter = (text: string) => {
  fireEvent.change(port(), { target: { value: text } });
  fireEvent.keyDown(port(), { key: 'Enter' });
};

describe('serving agents over HTTP', () => {
  test('is off until it is switched on, and then says where', async () => {
    const host = await renderApp('settings');
    await screen.findByTestId('agent-server');
    expect(toggle().getAttribute('aria-checked')).toBe('false');
    expect(await violations()).toEqual([]);
    fireEvent.click(toggle());
    await waitFor(() => expect(written(host)).toEqual([{ is_on: true, port: 8632 }]));
    await screen.findByText(/127\.0\.0\.1:8632\/mcp/);
    enter('9100');
    await waitFor(() => expect(written(host)[1]).toEqual({ is_on: true, port: 9100 }));
    await screen.findByText(/127\.0\.0\.1:9100\/mcp/);
    fireEvent.click(toggle());
    await waitFor(() => expect(screen.queryByText(/127\.0\.0\.1:9100/)).toBeNull());
  });

  test('a port that is none is not sent, and one that cannot be used says why', async () => {
    const host = await renderApp('settings');
    await screen.findByTestId('agent-server');
    for (const bad of ['80', '70000', 'http', '']) {
      enter(bad);
      await screen.findByText('Enter a port from 1,024 to 65,535.');
      expect(port().getAttribute('aria-invalid')).toBe('true');
    }
    expect(written(host)).toEqual([]);
    host.failNext('agent_server_set', new RpcError('failed', 'The disk is full.'));
    enter('9100');
    await screen.findByText('The disk is full.');
    expect(port().value).toBe('9100');
    fireEvent.keyDown(port(), { key: 'Escape' });
    expect(port().value).toBe('8632');
    expect(screen.queryByText('The disk is full.')).toBeNull();
    // The fake host has a program at this port.
    enter('8080');
    fireEvent.click(toggle());
    await screen.findByText(/cannot listen on 127\.0\.0\.1:8080/);
  });
});

describe('the memory router', () => {
  const router = () => screen.getByTestId('memory-router');

  test('is off until it is switched on, and says what is missing until programs can use it', async () => {
    const host = await renderApp('settings', { models: 'local' });
    await screen.findByTestId('memory-router');
    expect(router().getAttribute('aria-checked')).toBe('false');
    fireEvent.click(router());
    await screen.findByText('To use it, switch on “Serve agents over HTTP” above.');
    expect(host.calls.filter((each) => each.cmd === 'router_settings_set').map((each) => each.payload)).toEqual([{ is_on: true }]);
    fireEvent.click(toggle());
    await screen.findByText(/127\.0\.0\.1:8632\/router\/v1/);
    expect(await violations()).toEqual([]);
    fireEvent.click(router());
    await waitFor(() => expect(screen.queryByText(/router\/v1/)).toBeNull());
  });

  test('needs a model, and a failure to save is said', async () => {
    const host = await renderApp('settings', { models: 'none' });
    await screen.findByTestId('memory-router');
    fireEvent.click(toggle());
    host.failNext('router_settings_set', new RpcError('failed', 'The disk is full.'));
    fireEvent.click(router());
    await screen.findByText('The disk is full.');
    expect(router().getAttribute('aria-checked')).toBe('false');
    fireEvent.click(router());
    await screen.findByText('It works once you have chosen a model, under “Models”.');
  });
});
