// What was done to the files from outside, in the real window: it is told in Activity and does not do what it was planted for, and a backup
// of changed messages is not called whole and comes back only after a yes that knows of it.

import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch, modelDir } from '../keepsake.mjs';

const LINES = ['I live in Bergen.', 'I love tea.', 'I play the cello.'].map((text, at) =>
  JSON.stringify({ conversation: 'talk', title: 'Talk', channel_type: 'chat', channel_id: 'talk', id: at + 1, time: `2026-03-0${at + 2}T10:00:00Z`, author: 'Mara', role: 'owner', text }),
);
/** Approves whatever is proposed, without anybody's act. */
const PLANTED = `CREATE TRIGGER helper AFTER INSERT ON memories BEGIN UPDATE memories SET status = 'active', decided_at_ms = 1 WHERE id = NEW.id; END;`;
const CHANGED = `DROP TRIGGER interactions_no_update; UPDATE interactions SET content = 'I love coffee.' WHERE seq = 2;`;
const LIBRARY = 'libonnxruntime.so';

let keepsake;
before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'talk.jsonl');
      await writeFile(file, LINES.join('\n'));
      await home.cli('import', file);
      await home.cli('backup');
      await home.alter(PLANTED);
    },
  });
});
after(() => keepsake?.end());

/** The alerts that say this. */
async function alertsOf(shown, words) {
  await shown.click('nav-activity');
  await shown.click('activity-alerts');
  return shown.until(`an alert with “${words}”`, async () => {
    const found = (await shown.texts('alert-row')).filter((text) => text.includes(words));
    return found.length > 0 && found;
  });
}

test('a planted trigger is told of once, and approves nothing', async () => {
  assert.equal((await alertsOf(keepsake, 'trigger "helper"')).length, 1);
  await keepsake.screenshot('alert-planted-light');
  const statuses = async () => (await keepsake.cli('memories', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each).status);
  await keepsake.until('something to be proposed', async () => (await statuses()).length > 0, { within_ms: 60_000 });
  assert.deepEqual([...new Set(await statuses())], ['pending']);
  await keepsake.restart();
  assert.equal((await alertsOf(keepsake, 'trigger "helper"')).length, 1, 'it is gone, so nothing new is told');
});

test('a backup of changed messages says from where on it is in doubt', async () => {
  await keepsake.close();
  await keepsake.alter(CHANGED);
  await keepsake.cli('backup');
  await keepsake.open();
  await alertsOf(keepsake, 'from message number 2');
  await keepsake.screenshot('alert-chain-light');
  await keepsake.click('nav-settings');
  await keepsake.until('both backups', async () => (await keepsake.texts('backup-row')).length === 2);
  const ask = (at) =>
    keepsake.run(
      `const row = document.querySelectorAll('[data-testid="backup-row"]')[arguments[0]];
       row.scrollIntoView({ block: 'center' });
       row.querySelector('button').click();`,
      at,
    );
  await ask(1);
  await keepsake.sees('backup-ask', 'was checked and is intact', { within_ms: 30_000 });
  await keepsake.press('Escape');
  await keepsake.gone('backup-ask');
  await ask(0);
  await keepsake.sees('backup-ask', 'was changed outside Keepsake, and its integrity is in doubt from message number 2', { within_ms: 30_000 });
  await keepsake.screenshot('settings-backup-doubt-light');
});

test('a yes takes it, and what came of it says so too', async () => {
  await keepsake.click('btn-backup-confirm');
  await keepsake.sees('backup-result', 'Restored: 3 messages', { within_ms: 60_000 });
  await keepsake.sees('backup-result', 'in doubt from message number 2');
  await keepsake.screenshot('settings-backup-salvaged-light');
});

test('a backup with a planted trigger says so, and after a yes it comes back without it', async () => {
  await keepsake.close();
  await keepsake.cli('backup');
  const [newest] = (await keepsake.cli('backups', '--json')).split('\n').map((line) => line && JSON.parse(line));
  await keepsake.alter(PLANTED, newest.path);
  await keepsake.open();
  await keepsake.click('nav-settings');
  const rows = await keepsake.until('the new backup', async () => {
    const found = await keepsake.texts('backup-row');
    return found[0]?.includes('Made by you') && found;
  });
  assert.ok(rows.length >= 3);
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.find('backup-row');
    await keepsake.run(`document.querySelector('[data-testid="backup-row"] button').click()`);
    await keepsake.sees('backup-ask', 'trigger "helper"', { within_ms: 30_000 });
    assert.ok(!(await keepsake.text('backup-ask')).includes('is intact'));
    await keepsake.screenshot(`settings-backup-locks-${theme}`);
    if (theme === 'light') continue;
    await keepsake.press('Escape');
    await keepsake.gone('backup-ask');
  }
  await keepsake.click('btn-backup-confirm');
  await keepsake.sees('backup-result', 'Restored: 3 messages', { within_ms: 60_000 });
  const found = await keepsake.cli('verify').catch((failed) => String(failed));
  assert.ok(found.includes('message number 2') && !found.includes('helper'), `of the trigger nothing was left to put right: ${found}`);
});

test('a library that is not the one Keepsake was built for is not loaded, and told of by name', async () => {
  const models = await mkdtemp(join(tmpdir(), 'keepsake-models-'));
  for (const name of await readdir(modelDir())) if (name !== LIBRARY) await symlink(join(modelDir(), name), join(models, name));
  await copyFile(join(modelDir(), LIBRARY), join(models, LIBRARY));
  await appendFile(join(models, LIBRARY), '\0');
  const foreign = await launch({ env: { KEEPSAKE_MODEL_DIR: models } });
  try {
    const [told] = await alertsOf(foreign, join(models, LIBRARY));
    assert.match(told, /is not the file that Keepsake expects, so it was not loaded/);
    await foreign.screenshot('alert-library-light');
  } finally {
    await foreign.end();
    await rm(models, { recursive: true });
  }
});
