import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const program = (name: string) => screen.getAllByTestId('connect-program').find((each) => each.dataset['program'] === name) as HTMLElement;
const names = () => screen.getAllByTestId('connect-program').map((each) => each.dataset['program']);
const press = (name: string, button: string) => fireEvent.click(within(program(name)).getByTestId(button));
const open = async (options: FakeOptions = {}) => {
  const host = await renderApp('settings', options);
  await screen.findAllByTestId('connect-program');
  return host;
};

describe('connecting a program', () => {
  test('shows the change, makes it, tries it and takes it out', async () => {
    const host = await open();
    expect(names()).toEqual(['claude-code', 'codex']);
    press('claude-code', 'btn-connect-ask');
    const dialog = await screen.findByTestId('connect-dialog');
    expect((await within(dialog).findByTestId('connect-diff')).textContent).toContain('+  "keepsake"');
    expect(await violations()).toEqual([]);
    fireEvent.click(within(dialog).getByTestId('connect-hooks'));
    await waitFor(() => expect(asked(host, 'connect_preview').at(-1)).toMatchObject({ instructions: true, hooks: false }));
    expect(asked(host, 'connect_apply')).toEqual([]);
    // Nothing is changed that was not shown.
    await within(dialog).findByTestId('connect-diff');
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await waitFor(() => expect(asked(host, 'connect_apply')).toEqual([{ name: 'claude-code', remove: false, instructions: true, hooks: false, replace: false, shown: expect.stringContaining('+  "keepsake"') }]));
    await screen.findByText('Claude Code is connected. Restart Claude Code to use the change.');
    await within(program('claude-code')).findByText('Connected');
    press('claude-code', 'btn-connect-test');
    expect((await within(program('claude-code')).findAllByText('Answered in 240 ms, with 12 tools.')).length).toBe(2);
    expect(await violations()).toEqual([]);
    press('claude-code', 'btn-connect-ask');
    const again = await screen.findByTestId('connect-dialog');
    expect((await within(again).findByTestId('connect-diff')).textContent).toContain('-  "keepsake"');
    fireEvent.click(within(again).getByTestId('btn-connect-apply'));
    await waitFor(() => expect(asked(host, 'connect_apply').at(-1)).toMatchObject({ name: 'claude-code', remove: true }));
    await waitFor(() => expect(within(program('claude-code')).queryByText('Connected')).toBeNull());
  });

  test('an entry of another program is replaced only if the person says so', async () => {
    const host = await open();
    press('codex', 'btn-connect-ask');
    const dialog = await screen.findByTestId('connect-dialog');
    await within(dialog).findByTestId('connect-replace');
    expect(within(dialog).getByTestId<HTMLButtonElement>('btn-connect-apply').disabled).toBe(true);
    fireEvent.click(within(dialog).getByTestId('connect-replace'));
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await waitFor(() => expect(asked(host, 'connect_apply')).toMatchObject([{ name: 'codex', remove: false, instructions: true, hooks: true, replace: true }]));
  });

  test('an entry of another installation is brought up to date or taken out', async () => {
    const host = await open({ movedFrom: 'zed' });
    expect(names()).toEqual(['claude-code', 'codex', 'zed']);
    expect(program('zed').textContent).toContain('Set up differently');
    expect(within(program('zed')).queryByTestId('btn-connect-test')).toBeNull();
    expect(within(program('zed')).getByTestId('btn-connect-ask').textContent).toBe('Disconnect…');
    expect(await violations()).toEqual([]);
    press('zed', 'btn-connect-update');
    const dialog = await screen.findByTestId('connect-dialog');
    await within(dialog).findByTestId('connect-diff');
    expect(within(dialog).queryByTestId('connect-hooks')).toBeNull();
    expect(within(dialog).getByTestId('btn-connect-apply').textContent).toBe('Update');
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await within(program('zed')).findByText('Connected');
    expect(asked(host, 'connect_apply')).toMatchObject([{ name: 'zed', remove: false }]);
  });

  test('what has changed since it was shown is shown again', async () => {
    const host = await open();
    press('claude-code', 'btn-connect-ask');
    const dialog = await screen.findByTestId('connect-dialog');
    await within(dialog).findByTestId('connect-diff');
    host.failNext('connect_apply', new RpcError('refused', 'The program’s settings have changed since these changes were shown.'));
    const before = asked(host, 'connect_preview').length;
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await within(dialog).findByText('The program’s settings have changed since these changes were shown.');
    await waitFor(() => expect(asked(host, 'connect_preview').length).toBe(before + 1));
  });

  test('what goes wrong is said where it happened, and programs that are not here are shown on request', async () => {
    const host = await open();
    fireEvent.click(screen.getByTestId('btn-connect-all'));
    expect(names()).toEqual(['claude-code', 'codex', 'zed']);
    expect(program('zed').textContent).toContain('Not found on this computer');
    press('zed', 'btn-connect-ask');
    host.failNext('connect_apply', new RpcError('refused', 'settings.json is write-protected, so it was left as it is.'));
    const dialog = await screen.findByTestId('connect-dialog');
    await within(dialog).findByTestId('connect-diff');
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await within(dialog).findByText('settings.json is write-protected, so it was left as it is.');
    fireEvent.click(within(dialog).getByTestId('btn-connect-apply'));
    await within(program('zed')).findByText('Connected');
    host.failNext('connect_check', new RpcError('failed', 'Keepsake was started and did not answer within 20 s.'));
    press('zed', 'btn-connect-test');
    await within(program('zed')).findByText('Keepsake was started and did not answer within 20 s.');
  });
});
