import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (options: FakeOptions = {}) => {
  const host = await renderApp('sources', options);
  await screen.findByTestId('watched');
  await waitFor(() => expect(within(screen.getByTestId('watched')).queryByRole('status')).toBeNull());
  return host;
};
const add = async () => {
  fireEvent.click(screen.getByTestId('btn-watched-add'));
  return screen.findByRole('form', { name: 'Add a folder' });
};

describe('folders read on their own', () => {
  test('each says what is in it, how often it is read, when last and when next', async () => {
    await show();
    const [chats, meetings] = screen.getAllByTestId('watched-row');
    for (const words of ['/home/robin/.claude/projects', 'Chats', 'Last check', 'Next check']) expect(chats?.textContent).toContain(words);
    expect(chats?.textContent, 'as times are written everywhere').toMatch(/Once a day at 10:00\sPM/);
    for (const words of ['/home/robin/Meetings', 'Meetings', 'Every 10 minutes', 'You are Robin Hale']) expect(meetings?.textContent).toContain(words);
    expect(within(chats as HTMLElement).getAllByText((_, element) => element?.tagName === 'TIME')).toHaveLength(2);
  });

  test('chats are read at ten in the evening unless another hour is chosen', async () => {
    const host = await show();
    const form = await add();
    expect((screen.getByTestId('watched-hour') as HTMLSelectElement).value).toBe('22');
    fireEvent.change(screen.getByTestId('watched-hour'), { target: { value: '7' } });
    fireEvent.click(within(form).getByTestId('btn-watched-confirm'));
    await screen.findByText('/home/robin/Exports');
    expect(asked(host, 'watched_add')).toEqual([{ token: 'folder:/home/robin/Exports', kind: 'chat', hour: 7, me: null }]);
    expect(screen.getByText('Once a day at 7:00 AM')).toBeDefined();
    expect(screen.getByText('Not checked yet')).toBeDefined();
  });

  test('meetings ask no hour, and may need a name', async () => {
    const host = await show();
    const form = await add();
    fireEvent.click(within(form).getByRole('radio', { name: 'Meetings' }));
    expect(screen.queryByTestId('watched-hour')).toBeNull();
    fireEvent.change(within(form).getByRole('textbox', { name: 'Your name in the files' }), { target: { value: ' Robin ' } });
    fireEvent.submit(form);
    await waitFor(() => expect(asked(host, 'watched_add')).toEqual([{ token: 'folder:/home/robin/Exports', kind: 'meetings', hour: 22, me: 'Robin' }]));
  });

  test('what is refused says why and keeps the answers', async () => {
    const host = await show();
    const form = await add();
    host.failNext('watched_add', new RpcError('refused', 'This folder is read already.'));
    fireEvent.submit(form);
    await within(form).findByText('This folder is read already.');
    expect((within(form).getByTestId('btn-watched-confirm') as HTMLButtonElement).disabled).toBe(false);
    fireEvent.click(within(form).getByRole('button', { name: 'Cancel' }));
    expect(screen.getAllByTestId('watched-row')).toHaveLength(2);
  });

  test('a dialog that is closed changes nothing', async () => {
    const host = await show();
    host.answer('pick_folder', () => ({ files: [] }));
    fireEvent.click(screen.getByTestId('btn-watched-add'));
    await waitFor(() => expect(asked(host, 'pick_folder')).toHaveLength(1));
    expect(screen.queryByRole('form', { name: 'Add a folder' })).toBeNull();
  });

  test('one is taken off; what was imported stays', async () => {
    const host = await show();
    fireEvent.click(screen.getByRole('button', { name: 'Stop watching /home/robin/Meetings' }));
    await screen.findByText(/Imported messages are kept/);
    expect(asked(host, 'watched_remove')).toEqual([{ id: 'watch_2' }]);
    expect(screen.getAllByTestId('watched-row')).toHaveLength(1);
  });

  test('a page in a browser says why it cannot add one, and still shows them', async () => {
    await show({ fileAccess: 'upload' });
    expect(screen.getByText(/You cannot add a folder from a browser page/)).toBeDefined();
    expect(screen.queryByTestId('btn-watched-add')).toBeNull();
    expect(screen.getAllByTestId('watched-row')).toHaveLength(2);
  });

  test('none yet', async () => {
    await show({ firstRun: true });
    expect(screen.getByText('No watched folders yet.')).toBeDefined();
  });

  test('folders that cannot be listed can be asked for again', async () => {
    const host = await renderApp('review');
    host.failNext('watched_list', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('nav-sources'));
    const section = within(await screen.findByTestId('watched'));
    await section.findByText('The disk is busy.');
    fireEvent.click(section.getByRole('button', { name: 'Try again' }));
    expect(await screen.findAllByTestId('watched-row')).toHaveLength(2);
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await show({ theme });
    await add();
    expect(await violations()).toEqual([]);
  }, 15_000);
});
