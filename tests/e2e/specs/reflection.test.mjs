// Reflection in the real window: proposals with before and after, agreed to by keys, applied in one run with a backup before it, and
// taken back by one undo; the command line sees each of these.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const said = async (name, time, text) => {
        const file = join(home.home, `${name}.jsonl`);
        await writeFile(file, JSON.stringify({ conversation: name, title: name, channel_type: 'chat', channel_id: name, id: 1, time, author: 'Mara', role: 'owner', text }));
        await home.cli('import', file);
        await home.cli('run-jobs', '--until-idle');
      };
      await said('habits', '2026-03-02T10:00:00Z', 'I prefer tea to coffee.');
      await said('town', '2026-03-03T10:00:00Z', 'I live in Utrecht.');
      await said('music', '2026-03-04T10:00:00Z', 'I play the cello.');
      const waiting = lines(await home.cli('memories', '--status', 'pending', '--json'));
      await home.cli('approve', ...waiting.filter(({ content }) => !content.includes('cello')).map(({ id }) => id));
    },
  });
  // Put in the person's own words, one says what another says already.
  await keepsake.find('review-row');
  await keepsake.press('e');
  await keepsake.find('edit-input');
  await keepsake.fill('edit-input', 'I live in Utrecht now');
  await keepsake.press('Control+Enter');
  await keepsake.until('the edit stored', async () => (await inUse()).some((content) => content.includes('I live in Utrecht now')));
});
after(() => keepsake?.end());

const proposals = async () => lines(await keepsake.cli('reflect', '--json'));
const statuses = async () => (await proposals()).map(({ row }) => `${row.kind} ${row.status}`);
const inUse = async () =>
  lines(await keepsake.cli('memories', '--status', 'active', '--json'))
    .map(({ content }) => content)
    .toSorted();

test('a look finds what could be tidied and shows it before and after', async () => {
  await keepsake.click('nav-reflection');
  await keepsake.click('btn-reflection-look');
  // The window works the queue.
  await keepsake.find('reflection-row', { within_ms: 60_000 });
  await keepsake.sees('reflection-before', 'I ');
  await keepsake.sees('reflection-after', 'I ');
  await keepsake.find('reflection-source');
  assert.deepEqual(await statuses(), ['merge open']);
  await keepsake.screenshot('reflection');
});

test('a key agrees, nothing changes before it is applied, and one run applies it after a backup', async () => {
  const was = await inUse();
  await keepsake.press('a');
  await keepsake.until('it is agreed to', async () => (await statuses()).includes('merge accepted'));
  assert.deepEqual(await inUse(), was, 'agreeing changes nothing');
  await keepsake.click('btn-reflection-apply');
  await keepsake.until('one of the two is left', async () => (await inUse()).length === was.length - 1);
  assert.ok((await keepsake.cli('backups')).includes('before-reflection'), 'a backup was made first');
  await keepsake.screenshot('reflection-applied');
  await keepsake.click('btn-undo');
  await keepsake.until('both are in use again', async () => (await inUse()).length === was.length);
  assert.deepEqual(await inUse(), was);
});

test('what is refused stays refused', async () => {
  await keepsake.until('it waits again', async () => (await statuses()).includes('merge accepted'));
  await keepsake.find('reflection-row');
  await keepsake.press('r');
  await keepsake.until('it is refused', async () => (await statuses()).some((each) => each.endsWith('refused')));
  const before = await statuses();
  await keepsake.click('btn-reflection-look');
  assert.deepEqual(await statuses(), before, 'looked again it stays so');
});

test('a line of what was refused leads where it stands', async () => {
  await keepsake.click('reflection-refused');
  await keepsake.click('reflection-source');
  await keepsake.until('the conversation is shown', async () => (await keepsake.run('return document.body.textContent')).includes('Conversations'));
});

test('the same in the dark theme', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-reflection');
  await keepsake.find('reflection-before');
  await keepsake.screenshot('reflection-dark');
});
