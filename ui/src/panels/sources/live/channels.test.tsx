import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { waitingFiles } from '../../../state/host';
import { setUiState } from '../../../state/uiState';
import { RpcError } from '../../../platform';
import type { FakeOptions, FakePlatform } from '../../../platform/fake';
import { press, renderApp, violations } from '../../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../index';
import { choosing } from './channelChoices';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload as Record<string, unknown>);
const rowOf = (name: string) => {
  const row = screen.queryAllByTestId('live-source').find((each) => each.textContent?.includes(name));
  if (!row) throw new Error(`no account ${name}`);
  return within(row);
};
const channel = (title: string) => {
  const row = screen.getAllByTestId('live-channel-row').find((each) => each.querySelector('span')?.textContent === title);
  if (!row) throw new Error(`no channel ${title}`);
  return row;
};
const choiceOf = (title: string) => channel(title).querySelector('[aria-pressed=true]')?.textContent;
const titles = () => screen.getAllByTestId('live-channel-row').map((each) => each.querySelector('span')?.textContent);
const choosingOf = async (name: string, options: FakeOptions = {}) => {
  const host = await renderApp('sources', options);
  await screen.findAllByTestId('live-source');
  const button = rowOf(name).getByTestId('btn-live-choose');
  button.focus();
  fireEvent.click(button);
  await screen.findByTestId('live-channels-list');
  return host;
};

beforeEach(() => {
  choosing.set(null);
  waitingFiles.set([]);
  setUiState('sources.period', 'everything');
});

describe('choosing what is remembered', () => {
  test('by keyboard: undecided ones first, one key each, and undo', async () => {
    const host = await choosingOf('robin@mail.example');
    expect(titles()).toEqual(['Archive', 'Allotment', 'Inbox', 'Sent', 'Spam']);
    await press('r', 'j', 'i');
    await waitFor(() => expect(asked(host, 'live_channels_choose')).toEqual([{ id: 'src_mail', channels: ['Archive'], choice: 'remember' }, { id: 'src_mail', channels: ['Allotment'], choice: 'ignore' }]));
    expect([choiceOf('Archive'), choiceOf('Allotment')]).toEqual(['Remember', 'Ignore']);
    expect(titles(), 'rows stay where they are').toEqual(['Archive', 'Allotment', 'Inbox', 'Sent', 'Spam']);
    await press('u');
    await waitFor(() => expect(choiceOf('Allotment')).toBe('Decide later'));
    await waitFor(() => expect(asked(host, 'live_channels_choose').at(-1)).toEqual({ id: 'src_mail', channels: ['Allotment'], choice: 'ask' }));
    await press('Escape');
    await screen.findByTestId('live-sources');
    await waitFor(() => expect(document.activeElement).toBe(rowOf('robin@mail.example').getByTestId('btn-live-choose')));
  });

  test('a refused choice is shown as it was', async () => {
    const host = await choosingOf('robin@mail.example');
    host.failNext('live_channels_choose', new RpcError('internal', 'The disk is full.'));
    await press('r');
    await screen.findByText('The disk is full.');
    expect(choiceOf('Archive')).toBe('Decide later');
  });

  test('by mouse, with how far back', async () => {
    const host = await choosingOf('@robin:matrix.example');
    fireEvent.change(screen.getByTestId('live-channels-since'), { target: { value: 'year' } });
    fireEvent.click(within(channel('Kitchen garden')).getByText('Remember'));
    await waitFor(() => expect(asked(host, 'live_channels_choose')).toHaveLength(1));
    const [{ since, ...rest } = {}] = asked(host, 'live_channels_choose');
    expect(rest).toEqual({ id: 'src_matrix', channels: ['!kitchen:matrix.example'], choice: 'remember' });
    expect(Math.abs(Date.now() - Number(since) - 365.5 * 86_400_000)).toBeLessThan(2 * 86_400_000);
    expect(channel('Kitchen garden').textContent).toMatch(/from \d|from \w/);
  });

  test('rows say how many are in a room, whether it is encrypted, and whether anyone can read it', async () => {
    await choosingOf('@robin:matrix.example');
    expect(channel('Kitchen garden').textContent).toContain('End-to-end encrypted');
    expect(channel('Kitchen garden').textContent).toContain('4 members');
    expect(channel('Beekeeping lobby').textContent).toContain('Anyone can read this');
    expect(channel('Allotment society').textContent).toContain('12 cannot be read');
  });

  test('many at once, and undo restores each as it was', async () => {
    const host = await choosingOf('robin@mail.example');
    await press('^a', 'i');
    await waitFor(() => expect(asked(host, 'live_channels_choose')).toEqual([{ id: 'src_mail', channels: ['Archive', 'Allotment', 'INBOX', 'Sent'], choice: 'ignore' }]));
    expect(titles().map((title) => choiceOf(title ?? ''))).toEqual(Array.from({ length: 5 }, () => 'Ignore'));
    await press('u');
    await waitFor(() => expect(titles().map((title) => choiceOf(title ?? ''))).toEqual(['Decide later', 'Decide later', 'Remember', 'Remember', 'Ignore']));
    await waitFor(() => expect(asked(host, 'live_channels_choose')).toHaveLength(4));
    const inbox = asked(host, 'live_channels_choose').find((each) => (each['channels'] as string[]).includes('INBOX') && each['choice'] === 'remember');
    expect(inbox?.['since'], 'with how far back it was').toBeTypeOf('number');
    await press('Escape');
    expect(screen.getByTestId('live-channels-list'), 'the first Escape clears the selection').toBeDefined();
    expect(screen.queryByText('5 selected')).toBeNull();
  });

  test('ten thousand folders: filtered, only a few drawn, and all shown chosen in one request', async () => {
    const host = await choosingOf('archive@mail.example', { folders: 10_000 });
    expect(screen.getAllByTestId('live-channel-row').length).toBeLessThan(60);
    fireEvent.change(screen.getByTestId('live-channels-search'), { target: { value: 'project 99' } });
    await screen.findByText('Select all 111 shown');
    fireEvent.click(screen.getByTestId('btn-live-select-all'));
    await press('r');
    await waitFor(() => expect((asked(host, 'live_channels_choose')[0]?.['channels'] as string[] | undefined)?.length).toBe(111));
    expect(await screen.findByText('Remembering 111 folders')).toBeDefined();
  });

  test('a filter that finds nothing can be cleared', async () => {
    await choosingOf('robin@mail.example');
    fireEvent.change(screen.getByTestId('live-channels-search'), { target: { value: 'nothing like it' } });
    fireEvent.click(await screen.findByText('Clear filters'));
    await waitFor(() => expect(titles()).toHaveLength(5));
  });

  test('a webhook stores everything unless it is ignored', async () => {
    await choosingOf('Signal bridge');
    expect(screen.getByText(/^Everything sent to this webhook is stored/)).toBeDefined();
    expect(screen.queryByTestId('live-channels-since')).toBeNull();
  });

  test('files that are dropped meanwhile are shown', async () => {
    const host = await choosingOf('robin@mail.example');
    act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:chat.zip', name: 'chat.zip', size: 10 }] }));
    expect(await screen.findByTestId('source-file')).toBeDefined();
  });

  test('going to Sources again shows the page', async () => {
    await choosingOf('robin@mail.example');
    fireEvent.click(screen.getByTestId('nav-sources'));
    expect(await screen.findByTestId('live-sources')).toBeDefined();
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await choosingOf('@robin:matrix.example', { theme });
    expect(await violations()).toEqual([]);
  });
});
