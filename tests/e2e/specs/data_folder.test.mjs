// Where the window keeps what it has: in a folder that other users can read it makes one of its own and says so, and whatever it writes is
// its user's alone.

import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const LINE = { conversation: 'talk', title: 'Talk', channel_type: 'chat', channel_id: 'talk', id: 1, time: '2026-03-02T10:00:00Z', author: 'Mara', role: 'owner', text: 'I live in Bergen.' };

let keepsake;
before(async () => {
  // As most computers have it: what a program writes without a thought can be read by everybody.
  process.umask(0o022);
  keepsake = await launch({
    async prepare({ dataDir }) {
      await mkdir(dataDir);
      await chmod(dataDir, 0o755);
    },
  });
});
after(() => keepsake?.end());

const mode = async (path) => (await stat(path)).mode & 0o777;
const says = () => `Other users of this computer can read ${keepsake.dataDir}, so Keepsake uses a private folder inside it.`;

test('a folder that others can read is left as it is, and the window says where the data lies', async () => {
  await keepsake.sees('welcome', says());
  await keepsake.sees('welcome', join(keepsake.dataDir, 'keepsake'));
  await keepsake.screenshot('welcome-shared-folder-light');
  assert.equal(await mode(keepsake.dataDir), 0o755);
  assert.deepEqual(await readdir(keepsake.dataDir), ['keepsake'], 'nothing but its own folder is written there');
  await keepsake.click('nav-settings');
  await keepsake.sees('panel', says());
  await keepsake.run(`document.querySelector('[data-testid="settings-data-dir"]').scrollIntoView({ block: 'center' })`);
  await keepsake.screenshot('settings-shared-folder-light');
});

test('nothing that the window writes can be read by others', async () => {
  const file = join(keepsake.home, 'talk.jsonl');
  await writeFile(file, JSON.stringify(LINE));
  assert.equal(await mode(file), 0o644, 'control: without a thought it could');
  await keepsake.drop(file);
  await keepsake.click('btn-import', { within_ms: 20_000 });
  await keepsake.until('it to be imported', async () => (await keepsake.cli('conversations', '--json')).includes('Talk'));
  // With what is written at the end.
  await keepsake.close();
  const own = join(keepsake.dataDir, 'keepsake');
  const written = await readdir(own, { recursive: true });
  for (const name of ['keepsake.db', 'logs', 'webview']) assert.ok(written.includes(name), `${name} is among ${written}`);
  for (const name of ['', ...written]) assert.equal((await mode(join(own, name))) & 0o077, 0, `${name} is its user's alone`);
});
