// Review in the real window: the wording in the editor is what is approved, a draft waits with its row, a selection is one act.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const LINES = ['I prefer short answers.', 'I live in Utrecht.', 'I play the cello.'].map((text, at) =>
  JSON.stringify({ conversation: `c${at}`, channel_type: 'chat', channel_id: `c${at}`, title: `Talk ${at}`, id: `m${at}`, time: `2026-03-0${at + 2}T10:00:00Z`, author: 'Mara', role: 'owner', text }),
);
const WORDING = 'User put this in their own words';

let keepsake;
const memories = async (status) =>
  (await keepsake.cli('memories', '--status', status, '--json'))
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each).content);

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'chat.jsonl');
      await writeFile(file, LINES.join('\n'));
      await home.cli('import', file);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a draft waits with its row, and approve keeps the edited wording; one undo takes both back', async () => {
  await keepsake.find('review-statement');
  const waiting = (await memories('pending')).length;
  await keepsake.press('e');
  await keepsake.find('edit-input');
  await keepsake.fill('edit-input', WORDING);
  await keepsake.run('document.querySelectorAll(\'[data-testid="review-row"]\')[1].click()');
  await keepsake.gone('edit-input');
  await keepsake.run('document.querySelectorAll(\'[data-testid="review-row"]\')[0].click()');
  await keepsake.find('edit-input');
  await keepsake.click('btn-approve');
  await keepsake.until('the wording approved', async () => (await memories('active')).some((content) => content.includes(WORDING)));
  await keepsake.click('btn-undo');
  await keepsake.until('all waiting again', async () => (await memories('active')).length === 0 && (await memories('pending')).length === waiting);
});

test('with rows selected, approve takes all of them, and one undo brings them back', async () => {
  const waiting = (await memories('pending')).length;
  assert.ok(waiting >= 2, 'there is something to select');
  await keepsake.run('document.querySelectorAll(\'[data-testid="review-row"]\')[0].click()');
  await keepsake.run('document.querySelector(\'[data-testid="review-list"]\').focus()');
  await keepsake.press('x');
  await keepsake.press('j');
  await keepsake.press('x');
  await keepsake.sees('bulk-bar', '2 selected');
  await keepsake.press('a');
  await keepsake.until('both approved', async () => (await memories('active')).length === 2);
  await keepsake.press('u');
  await keepsake.until('both back', async () => (await memories('active')).length === 0 && (await memories('pending')).length === waiting);
});

test('a merge shows what goes and what stays, and happens only when that is confirmed', async () => {
  const file = join(keepsake.home, 'more.jsonl');
  const more = { conversation: 'c9', channel_type: 'chat', channel_id: 'c9', title: 'Talk 9', id: 'm9', time: '2026-03-09T10:00:00Z', author: 'Mara', role: 'owner', text: 'I play the cello every evening.' };
  const all = (await keepsake.cli('memories', '--status', 'pending', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each));
  await keepsake.cli('approve', all.find((each) => each.content.includes('cello')).id);
  await writeFile(file, JSON.stringify(more));
  await keepsake.cli('import', file);
  const rowOf = "[...document.querySelectorAll('[data-testid=\"review-row\"]')].find((row) => row.textContent.includes('every evening'))";
  await keepsake.until('the longer statement waits', () => keepsake.run(`return Boolean(${rowOf})`), { within_ms: 60_000 });
  await keepsake.run(`${rowOf}.click()`);
  await keepsake.sees('review-near', 'cello');
  await keepsake.press('m');
  await keepsake.find('merge-dialog');
  await keepsake.screenshot('review-merge-light');
  assert.ok((await memories('pending')).some((each) => each.includes('every evening')), 'not confirmed, not done');
  await keepsake.click('btn-merge-confirm');
  await keepsake.until('it is merged', async () => !(await memories('pending')).some((each) => each.includes('every evening')));
});
