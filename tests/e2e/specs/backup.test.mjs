// Backups in the real window: the kept ones are listed, and going back to one is asked for, done, and seen in every panel.

import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

let keepsake;
before(async () => {
  keepsake = await launch();
});
after(() => keepsake?.end());

const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
const talk = async (name, text) => {
  const file = join(tmpdir(), `keepsake-${name}-${process.pid}.jsonl`);
  await writeFile(file, JSON.stringify({ conversation: name, title: name, channel_type: 'chat', channel_id: name, id: 1, time: '2026-03-02T10:00:00Z', author: 'Mara', role: 'owner', text }));
  await keepsake.cli('import', file);
};
const titles = async () => lines(await keepsake.cli('conversations', '--json')).map(({ title }) => title);

test('a backup that is kept shows in the settings', async () => {
  await talk('harbour', 'I live by the harbour in Bergen.');
  await keepsake.cli('backup');
  await talk('mountain', 'I moved up the mountain last week.');
  await keepsake.lookAgain();
  await keepsake.click('nav-settings');
  await keepsake.sees('backup-row', 'Made by you', { within_ms: 30_000 });
  await keepsake.run(`document.querySelector('[data-testid="backup-row"]').scrollIntoView({ block: 'center' })`);
  await keepsake.screenshot('settings-backup-light');
});

test('going back to it is asked for with what would be replaced', async () => {
  await keepsake.click({ css: '[data-testid="backup-row"] button', text: 'Restore…' });
  await keepsake.sees('backup-ask', '2 conversations', { within_ms: 30_000 });
  await keepsake.sees('backup-ask', '1 conversation');
  assert.equal((await titles()).length, 2, 'nothing is done without a yes');
  await keepsake.screenshot('settings-backup-ask-light');
});

test('a yes puts it in the place of what is here, keeps that aside, and every panel shows it', async () => {
  await keepsake.click('btn-backup-confirm');
  await keepsake.sees('backup-result', 'Restored: 1 message', { within_ms: 60_000 });
  assert.deepEqual(await titles(), ['harbour']);
  await keepsake.until('the state before in the list', async () => (await keepsake.run('return document.querySelectorAll(\'[data-testid="backup-row"]\').length')) === 2);
  const [before] = lines(await keepsake.cli('backups', '--json'));
  assert.equal(before.reason, 'before-restore');
  assert.equal((await stat(before.path)).mode & 0o777, 0o600, 'nobody else reads it');
  assert.ok((await readFile(before.path)).includes('up the mountain'), 'what was here is in it');
  await keepsake.screenshot('settings-backup-restored-light');
  await keepsake.click('nav-conversations');
  await keepsake.until('the list without what came later', async () => {
    const text = await keepsake.run('return document.body.innerText');
    return text.includes('harbour') && !text.includes('mountain');
  });
});

test('what is derived is made anew after a yes, with a backup before it', async () => {
  await keepsake.click('nav-settings');
  await keepsake.click('btn-rebuild');
  await keepsake.sees('rebuild-ask', 'A backup is made first');
  await keepsake.screenshot('settings-rebuild-ask-light');
  await keepsake.click('btn-rebuild-confirm');
  await keepsake.sees('rebuild-result', 'All derived data has been rebuilt', { within_ms: 90_000 });
  await keepsake.screenshot('settings-rebuilt-light');
  const [before] = lines(await keepsake.cli('backups', '--json'));
  assert.equal(before.reason, 'before-bulk');
  assert.deepEqual(await titles(), ['harbour'], 'what was said is as it was');
});

test('the folder of an export is dropped, and takes the place of what is here after a yes', async () => {
  const folder = join(keepsake.home, 'Keepsake 2026-11-22');
  await keepsake.cli('export', folder);
  await talk('valley', 'I work in the valley now.');
  await keepsake.drop(folder);
  await keepsake.sees('source-file', 'A Keepsake export with 1 message', { within_ms: 30_000 });
  await keepsake.screenshot('sources-export-light');
  await keepsake.click('btn-source-replace');
  await keepsake.sees('backup-ask', '2 conversations', { within_ms: 30_000 });
  await keepsake.click('btn-backup-confirm');
  await keepsake.sees('source-restored', 'Restored: 1 message', { within_ms: 60_000 });
  assert.deepEqual(await titles(), ['harbour']);
});
