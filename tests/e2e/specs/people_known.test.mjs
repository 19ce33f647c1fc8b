// What is known of a person in the real window: a profile with its lines and versions, a gap that becomes a task in a file of the
// person's own, where a conversation stands, and an erasure that says when the last file is free of it.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';
import { start, stop } from '../processes.mjs';

const line = (conversation, time, [author, role, handle], text, { type, visibility, title }) =>
  JSON.stringify({ conversation, title, channel_type: type, channel_id: conversation, visibility, id: `${conversation}-${time}`, time: `2026-${time}:00Z`, author, author_handle: handle, role, text });

const MARA = ['Mara', 'owner', 'mara@example.org'];
const ANA = ['Ana Reyes', 'person', '@ana:example.org'];
const BEN = ['Ben Hale', 'person', '@ben:example.org'];
const NOVA = ['Nova', 'assistant', 'nova'];

const DM = { type: 'matrix', visibility: 'private', title: 'Ana' };
const ROOM = { type: 'matrix', visibility: 'public', title: 'Garden room' };
const CHAT = { type: 'chat', visibility: 'private', title: 'Notes' };
const OPEN_CHAT = { type: 'chat', visibility: 'public', title: 'Public notes' };

/** In what only Ana wrote, and in what was said in private. */
const CANARY = 'xylokarpzebra';

const FIRST = [
  line('dm-ana', '03-02T10:00', ANA, `From now on please keep your answers short. Thank you for the ${CANARY} book.`, DM),
  line('dm-ana', '03-02T10:02', MARA, "Gladly. I'll send you the address list by Friday.", DM),
  line('room', '03-02T12:00', ANA, 'I can bring two chairs.', ROOM),
  line('room', '03-02T12:01', BEN, 'And I bring the tables.', ROOM),
  line('notes-1', '03-03T09:00', MARA, 'Please export my notes as PDF.', OPEN_CHAT),
  line('notes-1', '03-03T09:01', NOVA, "Sorry, I can't export your notes as PDF.", OPEN_CHAT),
  line('notes-2', '03-05T09:00', MARA, `Please export my notes as PDF, the ${CANARY} ones too.`, CHAT),
  line('notes-2', '03-05T09:01', NOVA, "Sorry, I can't export your notes as PDF.", CHAT),
];
const LATER = [line('dm-ana', '03-20T10:00', ANA, 'From now on please keep your answers long and detailed.', DM), line('dm-ana', '03-20T10:02', MARA, 'Understood.', DM)];

let keepsake;
let tasks;
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const profile = async () => lines(await keepsake.cli('profile', 'Ana Reyes', '--history', '--json')).map(({ content, status, origin }) => `${content}: ${status}, ${origin}`);

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      tasks = join(home.home, 'todo.md');
      await writeFile(tasks, '# Mine\n\n- [ ] Buy soil\n');
      for (const [name, rows] of [['first', FIRST], ['later', LATER]]) {
        const file = join(home.home, `${name}.jsonl`);
        await writeFile(file, rows.join('\n'));
        await home.cli('import', file);
        await home.cli('run-jobs', '--until-idle');
      }
    },
  });
});
after(() => keepsake?.end());

async function openAna() {
  await keepsake.click('nav-people');
  await keepsake.click('people-tab-people');
  await keepsake.click({ css: '[data-testid="person-row"]', text: 'Ana Reyes' });
  await keepsake.sees('person-name', 'Ana Reyes');
  await keepsake.find('profile-entry');
}

test('a profile says what holds, what shows it, and what was believed before', async () => {
  await openAna();
  await keepsake.sees('profile-entry', 'long and detailed');
  await keepsake.click('profile-toggle');
  await keepsake.sees('quote', 'long and detailed');
  await keepsake.sees('profile-history', 'keep your answers short');
  await keepsake.sees('promise', 'address list');
  await keepsake.screenshot('person-profile-light');
  await keepsake.click('quote');
  await keepsake.until('the conversation at that line', () => keepsake.run('return document.querySelector(\'[data-testid="message"][aria-current="true"]\')?.innerText.includes("long and detailed") ?? false'));
});

test('on another day it shows what was true then', async () => {
  await openAna();
  await keepsake.click('btn-profile-as-of');
  await keepsake.find('profile-day');
  await keepsake.run(`
    const field = document.querySelector('[data-testid="profile-day"]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '2026-03-10');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return field.value;`);
  await keepsake.click('as-of-held');
  await keepsake.sees('profile-on-day', 'keep your answers short');
  assert.ok(!(await keepsake.text('profile-on-day')).includes('detailed'), 'the later wish was not there yet');
  await keepsake.screenshot('person-other-day-light');
  // That day nothing had been read: it was imported today.
  await keepsake.click('as-of-believed');
  await keepsake.sees('profile-on-day', 'Keepsake knew nothing on that day.');
  await keepsake.click({ css: 'button', text: 'Back to today' });
  await keepsake.sees('profile-entry', 'long and detailed');
});

test('what is wrong is said to be wrong, taken back, and worded anew', async () => {
  await openAna();
  await keepsake.click('profile-toggle');
  const before = await profile();
  await keepsake.click('btn-profile-wrong');
  await keepsake.until('it to be debunked', async () => (await profile()).some((row) => row.includes('long and detailed') && row.endsWith('debunked, built_in')));
  await keepsake.press('u');
  await keepsake.until('all to be as before', async () => JSON.stringify(await profile()) === JSON.stringify(before));
  await keepsake.until('the entry to hold again', async () => (await keepsake.texts('profile-entry')).some((text) => text.includes('long and detailed')));
  if ((await keepsake.findAll('btn-profile-correct')).length === 0) await keepsake.click('profile-toggle');
  await keepsake.click('btn-profile-correct');
  await keepsake.fill('profile-input', 'Prefers long answers about plants');
  await keepsake.press('Control+Enter');
  await keepsake.sees('profile-entry', 'Your wording');
  await keepsake.until('it to be kept', async () => (await profile()).includes('Prefers long answers about plants: current, person'));
});

test('a gap is confirmed by key and stands in the person’s own file, its box is read back', async () => {
  await keepsake.click('people-tab-gaps');
  await keepsake.sees('gap-need', 'xport');
  await keepsake.screenshot('people-gaps-light');
  await keepsake.press('a');
  await keepsake.find('tasks-dialog');
  await keepsake.fill('tasks-path', tasks);
  await keepsake.screenshot('people-gaps-file-light');
  await keepsake.click('btn-tasks-save');
  await keepsake.gone('tasks-dialog');
  await keepsake.sees('tasks-file', 'todo.md');
  const text = await readFile(tasks, 'utf8');
  assert.ok(text.startsWith('# Mine\n\n- [ ] Buy soil\n'), 'what was there is untouched');
  const task = text.split('\n').find((each) => each.includes('<!-- keepsake task_'));
  assert.match(task, /^- \[ \] .*notes as PDF/i);
  assert.ok(text.includes("Sorry, I can't export your notes as PDF."), 'what was said in public is quoted');
  assert.ok(!text.includes(CANARY), 'what was said in private is not');

  await keepsake.click('gaps-tasks');
  await keepsake.sees('gap-task', 'To do: its box is unchecked');
  await writeFile(tasks, text.replace(task, task.replace('- [ ]', '- [x]')));
  await keepsake.run("window.dispatchEvent(new Event('focus'))");
  await keepsake.gone('gap-row');
  await keepsake.click('gaps-done');
  await keepsake.sees('gap-task', 'Done: its box was found checked');
  await keepsake.screenshot('people-gaps-done-light');
});

test('a conversation says where it stands, with its reasons', async () => {
  await keepsake.click('nav-conversations');
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: 'Ana' });
  await keepsake.find('standing');
  await keepsake.sees('standing', '1 open promise');
  await keepsake.press('s');
  await keepsake.sees('standing-detail', 'address list');
  await keepsake.screenshot('conversation-status-light');
  await keepsake.run("document.documentElement.dataset.theme = 'dark'");
  await keepsake.screenshot('conversation-status-dark');
  await keepsake.run("document.documentElement.dataset.theme = 'light'");
  await keepsake.press('s');
  await keepsake.gone('standing-detail');
});

test('a person is erased after the counts were shown; while somebody reads the file it waits, and then says that it is done', async () => {
  // Another program in the middle of reading.
  const reader = start('python3', ['-c', `
import sqlite3, sys
db = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True, isolation_level=None)
db.execute('BEGIN')
print(db.execute('SELECT count(*) FROM interactions').fetchone()[0], flush=True)
sys.stdin.read()`, join(keepsake.dataDir, 'keepsake.db')], { env: process.env, stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve) => reader.stdout.once('data', resolve));
  try {
    await openAna();
    await keepsake.click('btn-person-more');
    await keepsake.click('menu-erase');
    // Hers in the room, and the conversation with her alone.
    await keepsake.sees('erase-counts', '5 messages');
    await keepsake.screenshot('erase-person-light');
    await keepsake.press('Enter');
    assert.ok((await keepsake.findAll('erase-dialog')).length === 1, 'no key erases by accident');
    assert.ok((await keepsake.cli('search', CANARY, '--json')).includes(CANARY), 'control: it is there to be found');
    await keepsake.click('btn-erase');
    await keepsake.sees('erase-receipt', 'another program still has the data file open');
    await keepsake.screenshot('erase-pending-light');
  } finally {
    await stop(reader);
  }
  await keepsake.sees('erase-receipt', 'none contains any of the erased data', { within_ms: 30_000 });
  await keepsake.screenshot('erase-receipt-light');
  await keepsake.click({ css: '[data-testid="erase-receipt"] footer button', text: 'Close' });
  await keepsake.gone('erase-receipt');
  await keepsake.until('Ana to be gone', async () => !(await keepsake.texts('person-row')).some((text) => text.includes('Ana Reyes')));
  const people = lines(await keepsake.cli('people', '--json')).map(({ name }) => name);
  assert.ok(!people.includes('Ana Reyes') && people.includes('Ben Hale'), 'what others said stays');
});

test('a conversation is erased from its menu', async () => {
  await keepsake.click('nav-conversations');
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: 'Notes' });
  await keepsake.click('btn-conversation-more');
  await keepsake.click('menu-erase');
  await keepsake.sees('erase-counts', '2 messages');
  await keepsake.run("document.documentElement.dataset.theme = 'dark'");
  await keepsake.screenshot('erase-conversation-dark');
  await keepsake.click('btn-erase');
  await keepsake.sees('erase-receipt', '2 messages');
  await keepsake.screenshot('erase-receipt-dark');
  await keepsake.run("document.documentElement.dataset.theme = 'light'");
  await keepsake.click({ css: '[data-testid="erase-receipt"] footer button', text: 'Close' });
  await keepsake.until('it to be gone', async () => !lines(await keepsake.cli('conversations', '--json')).some(({ title }) => title === 'Notes'));
});

test('the same in the dark theme and in a small window', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-people');
  await keepsake.click('people-tab-people');
  await keepsake.click({ css: '[data-testid="person-row"]', text: 'Mara' });
  await keepsake.sees('person-name', 'Mara');
  await keepsake.screenshot('person-dark');
  await keepsake.click('people-tab-gaps');
  await keepsake.click('gaps-done');
  await keepsake.screenshot('people-gaps-dark');
  await keepsake.resize(960, 600);
  await keepsake.screenshot('people-gaps-small');
  await keepsake.click('people-tab-people');
  await keepsake.screenshot('person-small');
});
