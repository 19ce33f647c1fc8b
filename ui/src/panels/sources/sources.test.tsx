import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { call } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { waitingFiles } from '../../state/host';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';
import { startedJobs } from './files';
import { restoredLines } from './restore';

const files = () => screen.findAllByTestId('source-file');
const cardOf = (name: string): HTMLElement => {
  const card = screen.getAllByTestId('source-file').find((each) => each.textContent?.includes(name));
  if (!card) throw new Error(`no card of ${name}`);
  return card;
};
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const importButton = () => screen.getByTestId('btn-import') as HTMLButtonElement;

const pick = async (options = {}): Promise<FakePlatform> => {
  const host = await renderApp('sources', { pace_ms: 10, ...options });
  fireEvent.click(await screen.findByTestId('dropzone'));
  await files();
  await waitFor(() => expect(screen.queryByText('The preview is still loading.')).toBeNull());
  return host;
};

beforeEach(() => {
  waitingFiles.set([]);
  startedJobs.set([]);
  restoredLines.set([]);
});

describe('the folder of an export', () => {
  const FOLDER = { token: 'file:Keepsake 2026-11-20', name: 'Keepsake 2026-11-20', size: 0 };
  const drop = async (options = {}) => {
    const host = await renderApp('sources', options);
    act(() => host.emit({ type: 'files_dropped', files: [FOLDER] }));
    await files();
    await screen.findByText(/A Keepsake export with/);
    return host;
  };

  test('comes in whole where nothing is yet, and says what came', async () => {
    const host = await drop({ firstRun: true });
    expect(cardOf(FOLDER.name).textContent).toContain('1,830 messages, 6 conversations and 41 memories and proposals. All of it is imported');
    expect(await violations()).toEqual([]);
    await waitFor(() => expect(importButton().textContent).toBe('Import everything'));
    fireEvent.click(importButton());
    await waitFor(() => expect(asked(host, 'restore')).toEqual([{ token: FOLDER.token }]));
    expect((await screen.findByTestId('source-restored')).textContent).toContain('Restored: 30 messages');
    expect(asked(host, 'import_start')).toEqual([]);
    expect(screen.queryByTestId('source-file')).toBeNull();
  });

  test('where something is, its messages are added, or all of it takes the place of what is here after a yes', async () => {
    const host = await drop();
    expect(cardOf(FOLDER.name).textContent).toContain('Importing adds only its messages');
    expect(importButton().textContent).toBe('Import 240 messages');
    fireEvent.click(screen.getByTestId('btn-source-replace'));
    const dialog = await screen.findByTestId('backup-ask');
    expect(dialog.textContent).toContain('It replaces the current data');
    expect(asked(host, 'restore'), 'not before the yes').toEqual([]);
    fireEvent.click(within(dialog).getByTestId('btn-backup-confirm'));
    await waitFor(() => expect(asked(host, 'restore')).toEqual([{ token: FOLDER.token }]));
    await screen.findByTestId('source-restored');
  });

  test('is chosen with its own button, which a page in a browser has not', async () => {
    const host = await renderApp('sources');
    host.answer('pick_folder', () => ({ files: [FOLDER] }));
    fireEvent.click(screen.getByTestId('btn-pick-folder'));
    await screen.findByText(/A Keepsake export with/);
    fireEvent.click(importButton());
    await waitFor(() => expect(asked(host, 'import_start')).toMatchObject([{ tokens: [FOLDER.token] }]));
  });

  test('a page in a browser offers no button for folders', async () => {
    await renderApp('sources', { fileAccess: 'upload' });
    await screen.findByTestId('btn-pick-files');
    expect(screen.queryByTestId('btn-pick-folder')).toBeNull();
  });
});

describe('looking inside', () => {
  test('a file says what it holds and what will be skipped, and why', async () => {
    const host = await pick();
    const card = cardOf('conversations.zip');
    for (const words of ['ChatGPT export', '214 conversations', '18,420 found: 17,033 new, 737 already imported, 650 to skip', '650 will be skipped', 'Hidden by the service']) expect(card.textContent).toContain(words);
    expect(asked(host, 'import_start'), 'nothing is imported by looking').toEqual([]);
    expect(await violations()).toEqual([]);
  });

  test('a file that is none says so once and holds up no other', async () => {
    await pick();
    expect(within(cardOf('holiday.pdf')).getByRole('alert').textContent).toContain('not a conversation export');
    expect(importButton().textContent).toContain('Import 17,033 messages');
  });

  test('looking that fails can be tried again', async () => {
    const host = await renderApp('sources');
    host.answer('import_dry_run', () => {
      throw new RpcError('internal', 'The disk is busy.');
    });
    await press('n');
    expect((await screen.findAllByText('The disk is busy.')).length).toBeGreaterThan(0);
    expect(screen.getAllByRole('button', { name: 'Try again' }).length).toBeGreaterThan(0);
  });

  test('files dropped on the desktop window come here', async () => {
    const host = await renderApp('review');
    act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:chat.zip', name: 'chat.zip', size: 10 }] }));
    expect(nav.get().panel).toBe('sources');
    expect(await files()).toHaveLength(1);
  });

  test('files dropped on the page come here too, from any panel', async () => {
    await renderApp('memories');
    const file = new File(['{}'], 'chat.json');
    await act(async () => fireEvent.drop(document.body, { dataTransfer: { types: ['Files'], files: [file] } }));
    expect(nav.get().panel).toBe('sources');
    await screen.findByText('chat.json');
  });

  test('a text that nothing recognizes becomes what the person says it is', async () => {
    const host = await renderApp('sources');
    act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:memories.txt', name: 'memories.txt', size: 900 }] }));
    fireEvent.click(await screen.findByRole('button', { name: 'Memories copied from ChatGPT' }));
    await waitFor(() => expect(cardOf('memories.txt').textContent).toContain('12 new'));
    expect(await violations()).toEqual([]);
    fireEvent.click(importButton());
    await waitFor(() => expect(asked(host, 'import_start')).toMatchObject([{ tokens: ['file:memories.txt-chatgpt'] }]));
  });

  test('a card is looked at again when another file was imported', async () => {
    const host = await renderApp('sources');
    act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:conversations.zip', name: 'conversations.zip', size: 10 }] }));
    await waitFor(() => expect(cardOf('conversations.zip').textContent).toContain('17,033 new'));
    const looks = () => asked(host, 'import_dry_run').length;
    const before = looks();
    const known = await call('import_dry_run', { tokens: ['file:conversations.zip'], me: null, date_order: null, meeting: null });
    host.answer('import_dry_run', () => ({ files: known.files.map((file) => ({ ...file, imported: 3, duplicate: 17_767 })) }));
    act(() => host.emit({ type: 'changed', tags: ['imports'] }));
    await waitFor(() => expect(cardOf('conversations.zip').textContent).toContain(': 3 new'));
    expect(looks()).toBeGreaterThan(before);
    expect(importButton().textContent, 'so does the button').toBe('Import 3 messages');
  });

  test('a file can be left out', async () => {
    await pick();
    fireEvent.click(screen.getByRole('button', { name: 'Remove holiday.pdf' }));
    await waitFor(() => expect(screen.getAllByTestId('source-file')).toHaveLength(2));
  });
});

test('a folder with exports of several kinds becomes a card for each', async () => {
  const host = await renderApp('sources', { pace_ms: 10 });
  act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:Exports', name: 'Exports', size: 0 }] }));
  await waitFor(() => expect(screen.getAllByTestId('source-file').map((card) => card.textContent)).toEqual([expect.stringContaining('ChatGPT'), expect.stringContaining('WhatsApp')]));
});

describe('what only the person knows', () => {
  test('who of them they are, and how dates are meant, is asked and sent', async () => {
    const host = await pick();
    const chat = () => cardOf('WhatsApp Chat with Noor.txt');
    expect(chat().dataset.status).toBe('asks');
    expect(within(chat()).getByText('Which of these is you?')).toBeDefined();
    expect(within(chat()).getByText(/3 April 2026/)).toBeDefined();
    expect(screen.getByText('One file still needs an answer.')).toBeDefined();
    fireEvent.click(within(chat()).getByRole('button', { name: /^Robin/ }));
    await within(chat()).findByText('You are Robin.');
    fireEvent.click(within(chat()).getByRole('button', { name: 'Day first' }));
    await within(chat()).findByText('Dates are read day first.');
    await waitFor(() => expect(importButton().textContent).toContain('Import 2 files'));
    fireEvent.click(screen.getByTestId('source-private'));
    fireEvent.click(importButton());
    await waitFor(() =>
      expect(asked(host, 'import_start')).toEqual([
        { tokens: ['file:conversations.zip'], me: null, date_order: null, meeting: null, private: true },
        { tokens: ['file:WhatsApp Chat with Noor.txt'], me: 'Robin', date_order: 'day_first', meeting: null, private: true },
      ]),
    );
  });

  test('when a meeting was of which nothing tells is asked and sent, or the date of the file stands in', async () => {
    const host = await pick();
    const file = new File(['WEBVTT'], 'call.vtt');
    await act(async () => fireEvent.drop(document.body, { dataTransfer: { types: ['Files'], files: [file] } }));
    const card = () => cardOf('call.vtt');
    await waitFor(() => expect(card().dataset.status).toBe('asks'));
    fireEvent.change(within(card()).getByTestId('source-meeting'), { target: { value: '2026-01-05' } });
    fireEvent.click(within(card()).getByTestId('btn-source-meeting'));
    await within(card()).findByText('The meeting was on 2026-01-05.');
    await waitFor(() => expect(asked(host, 'import_dry_run').some((request) => (request as { meeting: string | null }).meeting === '2026-01-05')).toBe(true));
    fireEvent.click(within(card()).getByRole('button', { name: 'Change' }));
    fireEvent.click(await within(card()).findByTestId('btn-source-meeting-skip'));
    await within(card()).findByText('The file’s own date is used instead, marked ≈.');
    await waitFor(() => expect(card().dataset.status).toBe('ready'));
  });

  test('the zone of times that say none is told, and one that the person names is used and sent', async () => {
    const host = await pick();
    const chat = () => cardOf('WhatsApp Chat with Noor.txt');
    const change = () => within(within(chat()).getByText(/^This file does not name a time zone/)).getByRole('button', { name: 'Change' });
    within(chat()).getByText(/Its times are read as Europe\/Amsterdam/);
    expect(within(cardOf('conversations.zip')).queryByText(/time zone/), 'these times say their own').toBeNull();
    fireEvent.click(change());
    const field = () => within(chat()).getByTestId('source-zone');
    const use = () => within(chat()).getByTestId('btn-source-zone');
    fireEvent.change(field(), { target: { value: 'Atlantis/Nowhere' } });
    expect(use()).toHaveProperty('disabled', true);
    fireEvent.change(field(), { target: { value: 'America/New_York' } });
    fireEvent.click(use());
    await within(chat()).findByText(/Its times are read as America\/New York/);
    fireEvent.click(within(chat()).getByRole('button', { name: /^Robin/ }));
    fireEvent.click(within(chat()).getByRole('button', { name: 'Day first' }));
    await waitFor(() => expect(importButton().textContent).toContain('Import 2 files'));
    fireEvent.click(importButton());
    await waitFor(() => expect(asked(host, 'import_start')[1]).toMatchObject({ zone: 'America/New_York' }));
    expect(asked(host, 'import_start')[0]).not.toHaveProperty('zone');
  });

  test('an answer can be changed', async () => {
    await pick();
    const chat = () => cardOf('WhatsApp Chat with Noor.txt');
    fireEvent.click(within(chat()).getByRole('button', { name: /None of these/ }));
    await within(chat()).findByText('You are not in this file.');
    fireEvent.click(within(within(chat()).getByText('You are not in this file.')).getByRole('button', { name: 'Change' }));
    expect(await within(chat()).findByText('Which of these is you?')).toBeDefined();
  });
});

describe('importing', () => {
  test('progress in bytes, then numbers that add up', async () => {
    await pick({ pace_ms: 20 });
    fireEvent.click(importButton());
    await screen.findByText(/MB of 96\.4 MB/);
    await waitFor(() => expect(screen.getAllByTestId('import-row')[0]?.textContent).toContain('conversations.zip'), { timeout: 3_000 });
    const row = screen.getAllByTestId('import-row')[0] as HTMLElement;
    const numbers = (within(row).getByLabelText(/found:/).getAttribute('aria-label') ?? '').match(/\d[\d,]*/g)?.map((each) => Number(each.replaceAll(',', ''))) ?? [];
    const [seen, imported = 0, duplicate = 0, skipped = 0] = numbers;
    expect(seen).toBe(imported + duplicate + skipped);
    expect(within(row).getByText(/Original custom instructions/), 'why and which, without a click').toBeDefined();
  });

  test('cancel is real', async () => {
    const host = await pick({ pace_ms: 80 });
    fireEvent.click(importButton());
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel conversations.zip' }));
    await waitFor(() => expect(screen.queryByText('Importing', { selector: 'h2' })).toBeNull());
    expect(asked(host, 'job_cancel')).toHaveLength(1);
    expect(screen.getAllByTestId('import-row').some((row) => row.textContent?.includes('conversations.zip'))).toBe(false);
  });

  test('a refused start keeps the file and says why', async () => {
    const host = await pick();
    host.failNext('import_start', new RpcError('refused', 'This file is not here any more. Choose it again.'));
    fireEvent.click(importButton());
    await screen.findByText(/Choose it again/);
    expect(cardOf('conversations.zip')).toBeDefined();
  });

  test('sample data comes and goes with one click each', async () => {
    const host = await renderApp('sources', { pace_ms: 5 });
    fireEvent.click(await screen.findByTestId('btn-sample-load'));
    fireEvent.click(await screen.findByTestId('btn-sample-remove'));
    await screen.findByText(/^Removed 6 conversations/);
    expect(asked(host, 'sample_remove')).toHaveLength(1);
    await screen.findByTestId('btn-sample-load');
  });
});

test('an import can be undone as a whole, after a look at what goes', async () => {
  const host = await renderApp('sources');
  const [row] = await screen.findAllByTestId('import-row');
  fireEvent.click(within(row as HTMLElement).getByTestId('btn-import-undo'));
  const dialog = await screen.findByTestId('erase-dialog');
  await within(dialog).findByTestId('erase-counts');
  expect(dialog.textContent).toContain('You can import the files again later,');
  expect(await violations()).toEqual([]);
  expect(asked(host, 'import_undo')).toEqual([]);
  fireEvent.click(within(dialog).getByTestId('btn-erase'));
  await screen.findByTestId('erase-receipt');
  expect(asked(host, 'import_undo')).toHaveLength(1);
  await waitFor(() => expect(screen.getAllByTestId('import-row')[0]?.getAttribute('data-state')).toBe('undone'));
});

test('a folder that holds several exports becomes one card each, and says which files are left out and why', async () => {
  const host = await renderApp('sources');
  act(() => host.emit({ type: 'files_dropped', files: [{ token: 'file:Exports', name: 'Exports', size: 0 }] }));
  await waitFor(() => expect(screen.getAllByTestId('source-file')).toHaveLength(2));
  const left = await screen.findByTestId('source-left-out');
  expect(left.textContent).toContain('413 files are left out');
  expect(left.textContent).toContain('old/chats.pst');
  expect(left.hasAttribute('open'), 'one of them may be missed').toBe(true);
  expect(asked(host, 'import_start')).toEqual([]);
  expect(await violations()).toEqual([]);
});

test('help names every source, the waiting time and the fields of the open format', async () => {
  await renderApp('sources');
  // Roles of so many elements take seconds to work out, so the list is found by its title.
  const title = await screen.findByText('How to get an export', { selector: 'h2' });
  const help = within(title.closest('aside') as HTMLElement);
  expect(title.closest('aside')?.getAttribute('aria-label')).toBe('How to get an export');
  for (const name of ['ChatGPT', 'Claude', 'Claude Code', 'Codex CLI', 'Gemini CLI', 'WhatsApp', 'Zoom, Teams, Google Meet, Otter', 'Telegram', 'Slack', 'Discord', 'Matrix (Element)', 'Signal', 'iMessage', 'SimpleX', 'Messenger and Instagram', 'Google Chat', 'Microsoft Teams', 'LINE and WeChat']) expect(help.getByText(name)).toBeDefined();
  expect(help.getAllByText(/^Waiting time:/)).toHaveLength(22);
  for (const field of ['conversation', 'channel_type', 'time', 'author_handle', 'role', 'text', 'reply_to']) expect(help.getByText(field, { selector: 'code' })).toBeDefined();
});
