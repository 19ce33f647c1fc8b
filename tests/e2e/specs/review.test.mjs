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
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const memories = async (status) => lines(await keepsake.cli('memories', '--status', status, '--json')).map(({ content }) => content);

/** Imports one line of the owner's, and lets the window see it. */
async function say(id, day, text) {
  const file = join(keepsake.home, `${id}.jsonl`);
  await writeFile(file, JSON.stringify({ conversation: id, channel_type: 'chat', channel_id: id, title: `Talk ${id}`, id, time: `2026-03-${day}T10:00:00Z`, author: 'Mara', role: 'owner', text }));
  await keepsake.cli('import', file);
  await keepsake.lookAgain();
}

/** Shows the candidate with these words, once it waits, with the keys on the list. */
async function showRow(words) {
  const row = `[...document.querySelectorAll('[data-testid="review-row"]')].find((row) => row.textContent.includes(arguments[0]))`;
  await keepsake.until(`“${words}” waits`, () => keepsake.run(`return Boolean(${row})`, words), { within_ms: 60_000 });
  await keepsake.run(`${row}.click(); document.querySelector('[data-testid="review-list"]').focus();`, words);
  await keepsake.sees('review-statement', words);
}

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

test('undo takes back the last act wherever it was done, and not an older approval', async () => {
  const isPrivate = async () => JSON.parse((await keepsake.cli('conversations', '--json')).split('\n').find((each) => each.includes('Talk 1'))).is_private;
  await keepsake.run('document.querySelectorAll(\'[data-testid="review-row"]\')[0].click()');
  await keepsake.run('document.querySelector(\'[data-testid="review-list"]\').focus()');
  await keepsake.press('a');
  await keepsake.until('it is approved', async () => (await memories('active')).length === 1);
  await keepsake.click('nav-conversations');
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: 'Talk 1' });
  await keepsake.sees('message', 'I live in Utrecht');
  await keepsake.click('btn-private');
  await keepsake.find('private-dialog');
  await keepsake.click('private-keep');
  await keepsake.gone('private-dialog');
  assert.equal(await isPrivate(), true);
  await keepsake.click('nav-people');
  await keepsake.find('person-row');
  await keepsake.press('u');
  await keepsake.until('the conversation to be in memory again', async () => !(await isPrivate()));
  assert.equal((await memories('active')).length, 1, 'the approval stands');
  await keepsake.press('u');
  await keepsake.until('the approval, with the next one', async () => (await memories('active')).length === 0);
  await keepsake.click('nav-review');
});

test('a merge shows what goes and what stays, and happens only when that is confirmed', async () => {
  const file = join(keepsake.home, 'more.jsonl');
  const more = { conversation: 'c9', channel_type: 'chat', channel_id: 'c9', title: 'Talk 9', id: 'm9', time: '2026-03-09T10:00:00Z', author: 'Mara', role: 'owner', text: 'I play the cello every day.' };
  const all = (await keepsake.cli('memories', '--status', 'pending', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each));
  await keepsake.cli('approve', all.find((each) => each.content.includes('cello')).id);
  await writeFile(file, JSON.stringify(more));
  await keepsake.cli('import', file);
  const rowOf = "[...document.querySelectorAll('[data-testid=\"review-row\"]')].find((row) => row.textContent.includes('every day'))";
  await keepsake.until('the longer statement waits', () => keepsake.run(`return Boolean(${rowOf})`), { within_ms: 60_000 });
  await keepsake.run(`${rowOf}.click()`);
  await keepsake.sees('review-near', 'cello');
  await keepsake.press('m');
  await keepsake.find('merge-dialog');
  await keepsake.screenshot('review-merge-light');
  assert.ok((await memories('pending')).some((each) => each.includes('every day')), 'not confirmed, not done');
  await keepsake.click('btn-merge-confirm');
  await keepsake.until('it is merged', async () => !(await memories('pending')).some((each) => each.includes('every day')));
});

test('what shares a name with an approved memory and says something else is not offered for merging', async () => {
  await say('c20', 20, 'My brother Tom repairs old bicycles in Ghent.');
  const bicycles = await keepsake.until(
    'the first to wait',
    async () => lines(await keepsake.cli('memories', '--status', 'pending', '--json')).find((each) => each.content.includes('bicycles')),
    { within_ms: 60_000 },
  );
  await keepsake.cli('approve', bicycles.id);
  await say('c21', 21, 'My brother Tom lives in Ghent with two cats.');
  await showRow('Ghent');
  await keepsake.sees('review-near', 'bicycles');
  await keepsake.find('btn-approve');
  assert.equal(await keepsake.run('const merge = document.querySelector(\'[data-testid="btn-merge"]\'); return merge.disabled || merge.getAttribute("aria-disabled") === "true"'), true);
  await keepsake.press('m');
  await keepsake.screenshot('review-related-light');
  assert.deepEqual(await keepsake.findAll('merge-dialog'), []);
  assert.ok((await memories('pending')).some((each) => each.includes('Ghent')), 'and it waits as before');
});

test('approving and rejecting say which approved memory is contradicted', async () => {
  const [utrecht] = lines(await keepsake.cli('memories', '--status', 'pending', '--json')).filter((each) => each.content.includes('Utrecht'));
  await keepsake.cli('approve', utrecht.id);
  // At the time of the other one, or the later would be known to replace it.
  await say('c22', '03', 'I live in Porto.');
  const status = async () => lines(await keepsake.cli('memories', '--json')).find((each) => each.content.includes('Porto')).status;
  const toast = (text) => ({ css: '[data-testid="toast"]', text });
  await showRow('Porto');
  await keepsake.press('r');
  await keepsake.sees(toast('Dismissed. It contradicts what you approved before, which is kept'), 'kept: “I live in Utrecht”');
  await keepsake.screenshot('review-contradicts-rejected-light');
  assert.equal(await status(), 'rejected');
  await keepsake.press('u');
  await keepsake.until('it is back', async () => (await status()) === 'pending');
  await showRow('Porto');
  await keepsake.press('a');
  await keepsake.sees(toast('Approved, but it contradicts what you approved before'), 'before: “I live in Utrecht”');
  await keepsake.screenshot('review-contradicts-approved-light');
  assert.equal(await status(), 'active');
  await keepsake.press('u');
  await keepsake.until('it is back again', async () => (await status()) === 'pending');
});

test('one setting offers more; what is doubtful is folded away, shown at one key and rejected at another', async () => {
  await keepsake.click('nav-settings');
  await keepsake.click('settings-offer-many');
  const file = join(keepsake.home, 'doubtful.jsonl');
  await writeFile(file, JSON.stringify({ conversation: 'c10', channel_type: 'chat', channel_id: 'c10', title: 'Talk 10', id: 'm10', time: '2026-03-10T10:00:00Z', author: 'Mara', role: 'owner', text: "I've sort of given up on running." }));
  await keepsake.cli('import', file);
  await keepsake.lookAgain();
  await keepsake.click('nav-review');
  await keepsake.until('it is offered', async () => (await memories('pending')).some((each) => each.includes('given up on running')), { within_ms: 60_000 });
  await keepsake.sees('review-doubtful', '1 doubtful');
  const isShown = () => keepsake.run("return [...document.querySelectorAll('[data-testid=\"review-row\"]')].some((row) => row.textContent.includes('given up on running'))");
  assert.equal(await isShown(), false, 'folded away');
  await keepsake.run('document.querySelector(\'[data-testid="review-list"]\').focus()');
  await keepsake.press('d');
  await keepsake.until('it is shown', isShown);
  await keepsake.screenshot('review-doubtful-light');
  await keepsake.press('D');
  await keepsake.until('it is rejected', async () => (await memories('rejected')).some((each) => each.includes('given up on running')));
  await keepsake.gone('review-doubtful');
  await keepsake.press('u');
  await keepsake.until('it is back', async () => (await memories('pending')).some((each) => each.includes('given up on running')));
});

test('what a later statement changes stands beside it in order of time', async () => {
  const file = join(keepsake.home, 'changed.jsonl');
  const said = (id, time, text) => JSON.stringify({ conversation: id, channel_type: 'chat', channel_id: id, title: `Talk ${id}`, id, time, author: 'Mara', role: 'owner', text });
  await writeFile(file, [said('c11', '2026-03-11T10:00:00Z', 'I swim on Mondays at the old pool.'), said('c12', '2026-06-12T10:00:00Z', 'I swim on Thursdays now, it used to be Mondays.')].join('\n'));
  await keepsake.cli('import', file);
  await keepsake.lookAgain();
  await keepsake.click('nav-review');
  const rowOf = "[...document.querySelectorAll('[data-testid=\"review-row\"]')].find((row) => row.textContent.includes('Thursdays'))";
  await keepsake.until('the later statement waits', () => keepsake.run(`return Boolean(${rowOf})`), { within_ms: 60_000 });
  const earlier = (await keepsake.cli('memories', '--status', 'pending', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each)).find((each) => each.content.includes('old pool'));
  await keepsake.cli('approve', earlier.id);
  await keepsake.run(`${rowOf}.click()`);
  await keepsake.sees('memory-changes', 'If you approve this, the earlier statement is kept only as history.');
  await keepsake.screenshot('review-changes-light');
  await keepsake.press('a');
  await keepsake.until('the earlier one is history', async () => (await memories('superseded')).some((each) => each.includes('old pool')));
  await keepsake.press('u');
  await keepsake.until('and is back', async () => (await memories('active')).some((each) => each.includes('old pool')));
});
