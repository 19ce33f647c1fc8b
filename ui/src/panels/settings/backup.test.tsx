import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MaintenanceView } from '../../api';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { setUiState } from '../../state/uiState';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';
import { rebuildBegun } from './Rebuild';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const show = async (options: FakeOptions = {}) => {
  const host = await renderApp('settings', options);
  await screen.findByTestId('btn-backup-make');
  return host;
};
const result = async () => (await screen.findByTestId('backup-result')).textContent;

beforeEach(() => {
  setUiState('settings.tab', 'general');
  rebuildBegun.set(null);
});

test('a backup goes where the person says, and what it holds is told', async () => {
  const host = await show();
  fireEvent.click(screen.getByTestId('btn-backup-make'));
  expect(await result()).toMatch(/Keepsake backup\.db is saved \(18\.6 MB\).*It contains \d+ messages/);
  expect(asked(host, 'backup_make')).toEqual([{ token: 'file:Keepsake backup.db' }]);
});

test('a backup of messages that were changed from outside is not called whole', async () => {
  const host = await show();
  const contents = { messages: 30, conversations: 2, memories: 1, rows: 40, schema: 29, head: '', doubt: 'message number 7: its text was changed outside Keepsake' };
  host.answer('backup_make', () => ({ name: 'Keepsake backup.db', bytes: 9, contents }));
  fireEvent.click(screen.getByTestId('btn-backup-make'));
  expect(await result()).toMatch(/is saved .*in doubt from message number 7/);
  expect(await result()).not.toContain('intact');
});

test('a dialog that was closed does nothing', async () => {
  const host = await show();
  host.answer('pick_backup_target', () => ({ files: [] }));
  fireEvent.click(screen.getByTestId('btn-backup-make'));
  await waitFor(() => expect(asked(host, 'pick_backup_target')).toHaveLength(1));
  expect([asked(host, 'backup_make'), screen.queryByTestId('backup-work')]).toEqual([[], null]);
});

test('long work shows how far it is, keeps the other buttons back and can be cancelled', async () => {
  let finish = () => {};
  const host = await show({ hold: (cmd) => (cmd === 'backup_make' ? new Promise<void>((resolve) => (finish = resolve)) : undefined) });
  fireEvent.click(screen.getByTestId('btn-backup-make'));
  await screen.findByTestId('backup-work');
  host.emit({ type: 'job_progress', id: 'backup', stage: 'copying', done: 30, total: 120 });
  const bar = within(screen.getByTestId('backup-work'));
  await waitFor(() => expect(bar.getByRole('progressbar', { name: 'Backing up: copying' }).getAttribute('aria-valuenow')).toBe('30'));
  expect((screen.getByTestId('btn-backup-restore') as HTMLButtonElement).disabled).toBe(true);
  fireEvent.click(screen.getByTestId('btn-backup-cancel'));
  await waitFor(() => expect(asked(host, 'task_cancel')).toEqual([{ id: 'backup' }]));
  host.failNext('backup_make', new RpcError('cancelled', 'stopped'));
  finish();
  expect(await result()).toBe('Canceled. Nothing was changed.');
  expect((screen.getByTestId('btn-backup-restore') as HTMLButtonElement).disabled).toBe(false);
});

describe('a restore', () => {
  test('says first what would be replaced, and does nothing without a yes', async () => {
    const host = await show();
    fireEvent.click(screen.getByTestId('btn-backup-restore'));
    const dialog = await screen.findByTestId('backup-ask');
    expect(dialog.textContent).toMatch(/The backup contains30 messages.*It replaces the current data\d+ messages/);
    expect(await violations()).toEqual([]);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByTestId('backup-ask')).toBeNull());
    expect(asked(host, 'restore')).toEqual([]);
  });

  test('of one of the kept backups tells what came back and what stays as it is', async () => {
    const host = await show();
    const rows = await screen.findAllByTestId('backup-row');
    fireEvent.click(within(rows[1] as HTMLElement).getByRole('button'));
    fireEvent.click(await screen.findByTestId('btn-backup-confirm'));
    const said = await result();
    for (const words of ['Restored: 30 messages', 'kept as keepsake-', '3 messages that you erased after the backup', '1 memory you had dismissed, moved to the trash or hidden since the backup stays that way.', '2 memories that you corrected after the backup are in Review again']) expect(said).toContain(words);
    expect(said).not.toContain('0 links');
    expect(asked(host, 'restore')[0]).toMatchObject({ id: expect.stringContaining('before-bulk') });
    await waitFor(async () => expect(await screen.findAllByTestId('backup-row')).toHaveLength(4));
  });

  test('of a backup whose messages were changed says from where it is in doubt, and takes it as it is after a yes', async () => {
    const doubt = 'message number 7: its text was changed outside Keepsake';
    const host = await show();
    const contents = { messages: 30, conversations: 2, memories: 1, rows: 40, schema: 29, head: '', doubt };
    host.answer('restore_preview', () => ({ name: 'Keepsake backup.db', backup: contents, messages: 1, conversations: 1, memories: 0 }));
    fireEvent.click(screen.getByTestId('btn-backup-restore'));
    const dialog = await screen.findByTestId('backup-ask');
    expect(dialog.textContent).toContain(`in doubt from ${doubt}`);
    expect(dialog.textContent).not.toContain('is intact');
    fireEvent.click(screen.getByTestId('btn-backup-confirm'));
    await waitFor(() => expect(asked(host, 'restore')).toEqual([{ token: 'file:Keepsake backup.db', salvage: true }]));
  });

  test('of a backup whose locks were changed says which, and takes it as a salvage after a yes', async () => {
    const host = await show();
    const contents = { messages: 30, conversations: 2, memories: 1, rows: 40, schema: 29, head: '', doubt: null };
    host.answer('restore_preview', () => ({ name: 'Keepsake backup.db', backup: contents, locks: 'trigger "approve_all" added', messages: 1, conversations: 1, memories: 0 }));
    fireEvent.click(screen.getByTestId('btn-backup-restore'));
    const dialog = await screen.findByTestId('backup-ask');
    expect(dialog.textContent).toContain('trigger "approve_all" added');
    expect(dialog.textContent).not.toContain('is intact');
    fireEvent.click(screen.getByTestId('btn-backup-confirm'));
    await waitFor(() => expect(asked(host, 'restore')).toEqual([{ token: 'file:Keepsake backup.db', salvage: true }]));
  });

  test('of a file that is none says why', async () => {
    const host = await show();
    host.failNext('restore_preview', new RpcError('refused', 'holiday.db cannot be restored: it is damaged; nothing was changed'));
    fireEvent.click(screen.getByTestId('btn-backup-restore'));
    await screen.findByText(/it is damaged; nothing was changed/);
    expect(screen.queryByTestId('backup-ask')).toBeNull();
  });
});

test('an export goes into a folder of its own', async () => {
  const host = await show();
  fireEvent.click(screen.getByTestId('btn-export'));
  expect(await result()).toMatch(/saved in the folder Keepsake 2026-11-20, with 24 notes/);
  expect(asked(host, 'export_make')).toEqual([{ token: 'file:Documents' }]);
});

describe('a rebuild', () => {
  const begin = async (options: FakeOptions = {}) => {
    const host = await show(options);
    fireEvent.click(screen.getByTestId('btn-rebuild'));
    return { host, dialog: await screen.findByTestId('rebuild-ask') };
  };

  test('says first what is made again and what stays, and does nothing without a yes', async () => {
    const { host, dialog } = await begin();
    for (const words of ['Proposals that you have not answered', 'everything that you approved', 'A backup is made first']) expect(dialog.textContent).toContain(words);
    expect(await violations()).toEqual([]);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByTestId('rebuild-ask')).toBeNull());
    expect(asked(host, 'rebuild_begin')).toEqual([]);
  });

  test('keeps a backup, shows how much is left, and says when it is done', async () => {
    const { host } = await begin();
    fireEvent.click(screen.getByTestId('btn-rebuild-confirm'));
    const work = await screen.findByTestId('rebuild-work');
    expect(work.textContent).toContain('Rebuilding: 3 jobs left');
    expect((screen.getByTestId('btn-rebuild') as HTMLButtonElement).disabled, 'one at a time').toBe(true);
    await waitFor(() => expect(screen.getAllByTestId('backup-row')).toHaveLength(4));
    const view = (await host.rpc('maintenance_get', {})) as MaintenanceView;
    host.answer('maintenance_get', () => ({ ...view, jobs_left: 1 }));
    host.emit({ type: 'changed', tags: ['jobs'] });
    await waitFor(() => expect(within(work).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('2'));
    host.answer('maintenance_get', () => ({ ...view, jobs_left: 0, runs: view.runs.map((run) => ({ ...run, state: 'finished' })) }));
    host.emit({ type: 'changed', tags: ['jobs'] });
    expect((await screen.findByTestId('rebuild-result')).textContent).toMatch(/All derived data has been rebuilt\..*kept as keepsake-/);
  });

  test('can be cancelled before anything is deleted, and stopped after', async () => {
    let finish = () => {};
    let isHeld = true;
    const { host } = await begin({ hold: (cmd) => (cmd === 'rebuild_begin' && isHeld ? new Promise<void>((resolve) => (finish = resolve)) : undefined) });
    fireEvent.click(screen.getByTestId('btn-rebuild-confirm'));
    await screen.findByTestId('backup-work');
    host.emit({ type: 'job_progress', id: 'backup', stage: 'waiting', done: 0, total: 0 });
    await screen.findByText('Preparing to rebuild: waiting for running jobs');
    fireEvent.click(screen.getByTestId('btn-backup-cancel'));
    await waitFor(() => expect(asked(host, 'task_cancel')).toEqual([{ id: 'backup' }]));
    host.failNext('rebuild_begin', new RpcError('cancelled', 'stopped'));
    isHeld = false;
    finish();
    expect(await result()).toBe('Canceled. Nothing was changed.');
    fireEvent.click(screen.getByTestId('btn-rebuild'));
    fireEvent.click(await screen.findByTestId('btn-rebuild-confirm'));
    fireEvent.click(await screen.findByTestId('btn-rebuild-stop'));
    await waitFor(() => expect(asked(host, 'maintenance_cancel')).toHaveLength(1));
    expect((await screen.findByTestId('rebuild-result')).textContent).toContain('Stopped.');
  });
});

test('kept backups are listed with day, reason and size', async () => {
  await show();
  const rows = await screen.findAllByTestId('backup-row');
  expect(rows.map((row) => row.textContent)).toEqual([expect.stringMatching(/Daily18\.6 MB/), expect.stringMatching(/Before a bulk change18\.4 MB/), expect.stringMatching(/Daily16\.9 MB/)]);
  expect(await violations()).toEqual([]);
});

test('where there is none it is said when there will be one', async () => {
  await show({ firstRun: true });
  expect(await screen.findByText(/None yet/)).toBeTruthy();
});

test('a page in a browser keeps backups in the data folder, sends a file to restore, and cannot export', async () => {
  const host = await show({ fileAccess: 'upload' });
  expect(screen.queryByTestId('btn-export')).toBeNull();
  screen.getByText(/run keepsake export/);
  fireEvent.click(screen.getByRole('button', { name: 'Back up now' }));
  expect(await result()).toContain('-asked.db is saved');
  expect(asked(host, 'backup_make')).toEqual([{}]);
  fireEvent.click(screen.getByTestId('btn-backup-restore'));
  await screen.findByTestId('backup-ask');
  expect(asked(host, 'restore_preview')).toEqual([{ token: 'file:conversations.zip' }]);
});
