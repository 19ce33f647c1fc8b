// People and the privacy boundary in the real window: two handles of one person are linked by hand and seen as one, a public
// channel is shown what it may be told and not what was said in private, and unlinking brings everything back as it was.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const SECRET = 'The clinic called: Robin starts the treatment on Monday';
const SAID_OPENLY = 'The mill festival begins at noon';

const line = (conversation, id, { author, handle, role = 'person' }, text, more) =>
  JSON.stringify({ conversation, title: more.title, channel_type: more.type, channel_id: conversation, visibility: more.visibility, id, time: `2026-03-02T1${id.length}:0${id.at(-1)}:00Z`, author, author_handle: handle, role, text });

const MARA = { author: 'Mara', handle: 'mara@example.org', role: 'owner' };
const ROBIN_MAIL = { author: 'Robin Hale', handle: 'robin@example.org' };
const ROBIN_ROOM = { author: 'rob', handle: '@rob:example.org' };
const NOOR = { author: 'Noor Aziz', handle: '@noor:example.org' };

const NOOR_MAIL = { author: 'Noor Aziz', handle: 'noor@example.org' };

const MAIL = { title: 'Robin', type: 'email', visibility: 'private' };
const ROOM = { title: 'Mill festival', type: 'matrix', visibility: 'public' };

const TALK = [
  line('mail-robin', 'a1', ROBIN_MAIL, `${SECRET}.`, MAIL),
  line('mail-robin', 'a2', MARA, 'I will drive you there. I live in Utrecht, it is no detour.', MAIL),
  line('mail-robin', 'a3', ROBIN_MAIL, 'Thank you, that helps a lot.', MAIL),
  line('mail-noor', 'c1', NOOR_MAIL, 'Write to me there if it is urgent: I am @noor:example.org on Matrix.', { ...MAIL, title: 'Noor' }),
  line('mail-noor', 'c2', MARA, 'Thank you, I will.', { ...MAIL, title: 'Noor' }),
  line('room-mill', 'b1', NOOR, `${SAID_OPENLY}.`, ROOM),
  line('room-mill', 'b2', ROBIN_ROOM, 'I can bring the tables.', ROOM),
  line('room-mill', 'b3', MARA, 'I play the cello, so I will be on the stage.', ROOM),
];

const PEOPLE = 5;

let keepsake;
before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'talk.jsonl');
      await writeFile(file, TALK.join('\n'));
      await home.cli('import', file);
      await home.cli('run-jobs', '--until-idle');
      const ids = lines(await home.cli('memories', '--status', 'pending', '--json')).map(({ id }) => id);
      assert.ok(ids.length >= 2, 'both places led to something that can be told or withheld');
      await home.cli('approve', ...ids);
    },
  });
});
after(() => keepsake?.end());

function lines(text) {
  return text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
}
const body = () => keepsake.run('return document.body.innerText');
const people = async () => lines(await keepsake.cli('people', '--json'));
const rowTexts = () => keepsake.run('return [...document.querySelectorAll(\'[data-testid="person-row"]\')].map((row) => row.innerText)');

async function openPerson(name) {
  await keepsake.click({ css: '[data-testid="person-row"]', text: name });
  await keepsake.sees('person-name', name);
  await keepsake.find('person-line');
}

let rowsBefore;
let peopleBefore;

test('each handle is somebody of their own until the person says otherwise', async () => {
  await keepsake.click('nav-people');
  await keepsake.find('person-row');
  rowsBefore = await rowTexts();
  peopleBefore = await people();
  assert.equal(rowsBefore.length, PEOPLE, 'the owner, Robin by mail, rob in the room, Noor in both places');
  assert.equal(peopleBefore.length, PEOPLE);
  await openPerson('Robin Hale');
  await keepsake.sees('person-line', 'that helps a lot');
  await keepsake.screenshot('people-light');
});

test('two handles are linked by hand, after what that would do was shown', async () => {
  await keepsake.press('l');
  await keepsake.find('link-dialog');
  await keepsake.fill('link-other', 'rob');
  await keepsake.click({ css: '[role="option"]', text: '@rob:example.org' });
  await keepsake.sees('link-preview', 'One person with 2 accounts');
  await keepsake.screenshot('people-link-dialog-light');
  assert.deepEqual(await people(), peopleBefore, 'nothing is linked before it is confirmed');
  await keepsake.click('btn-link-confirm');
  await keepsake.gone('link-dialog');
  await keepsake.until('one person with both handles', async () => (await keepsake.findAll('person-handle')).length === 2);
  const linked = (await people()).find(({ handles, is_owner }) => !is_owner && handles.length === 2);
  assert.deepEqual(linked.handles.map(({ handle, verified }) => [handle, verified]).toSorted(), [['@rob:example.org', true], ['robin@example.org', true]]);
  assert.equal((await rowTexts()).length, PEOPLE - 1);
  await keepsake.until('what they wrote in the room beside what they wrote by mail', async () => (await body()).includes('I can bring the tables'));
  await keepsake.screenshot('people-linked-light');
});

test('a public channel is shown what it may be told, and nothing that was said in private', async () => {
  await keepsake.press('v');
  await keepsake.find('view-withheld');
  await keepsake.fill('view-channel', 'Mill');
  await keepsake.click({ css: '[role="option"]', text: 'Mill festival' });
  await keepsake.sees('view-text', SAID_OPENLY);
  const told = await keepsake.text('view-text');
  assert.ok(told.includes('cello'), 'what was said openly may be told there');
  assert.ok(!told.includes(SECRET) && !told.includes('Utrecht'), 'the private line and what came of it are absent');
  await keepsake.sees('view-withheld', 'Only you see this');
  await keepsake.sees('view-withheld', 'private, but this place is public');
  await keepsake.screenshot('view-as-public-light');

  // The control: in the private place itself the same line is there, so that its absence above was the boundary's doing.
  await keepsake.fill('view-channel', 'Robin');
  await keepsake.click({ css: '[role="option"]', text: 'Email' });
  await keepsake.sees('view-text', SECRET);
  assert.ok((await keepsake.text('view-text')).includes('Utrecht'));
  await keepsake.screenshot('view-as-private-light');
});

test('what opening a channel would do is counted before it is done, and can be undone', async () => {
  await keepsake.click('privacy-tab-channels');
  await keepsake.click({ css: '[data-testid="channel-row"]', text: 'Robin' });
  await keepsake.click('visibility-public');
  await keepsake.sees('visibility-effect', '1 conversation with 3 messages becomes public');
  await keepsake.screenshot('privacy-channels-light');
  const visibility = async () => lines(await keepsake.cli('conversations', '--json')).find(({ title }) => title === 'Robin').visibility;
  assert.equal(await visibility(), 'private', 'counting changes nothing');
  await keepsake.click('btn-visibility-apply');
  await keepsake.until('it to be public', async () => (await visibility()) === 'public');
  await keepsake.press('u');
  await keepsake.until('it to be private again', async () => (await visibility()) === 'private');
  await keepsake.click('privacy-tab-agents');
  await keepsake.fill('agent-name', 'helpdesk');
  await keepsake.click('btn-agent-add');
  await keepsake.find('agent-row');
  await keepsake.screenshot('privacy-agents-light');
});

test('unlinking brings everything back as it was', async () => {
  await keepsake.click('nav-people');
  await openPerson('Robin Hale');
  await keepsake.click('btn-unlink');
  await keepsake.until('two people again', async () => (await keepsake.findAll('person-row')).length === PEOPLE);
  await keepsake.until('every person as before the link', async () => JSON.stringify(await people()) === JSON.stringify(peopleBefore));
  assert.deepEqual(await rowTexts(), rowsBefore, 'and so on the screen');
});

test('a suggestion is answered by keyboard, taken back, and answered again', async () => {
  const status = async () => lines(await keepsake.cli('links', '--json')).find(({ strength }) => strength === 'declared')?.status;
  assert.equal(await status(), 'open', 'one handle was named by its owner in another place');
  await keepsake.click('people-tab-links');
  await keepsake.sees('link-question', 'Is Noor Aziz the same person in both places?');
  await keepsake.sees('link-for', '@noor:example.org');
  await keepsake.sees('link-preview', 'One person with 2 accounts');
  await keepsake.screenshot('people-suggestions-light');
  await keepsake.press('d');
  await keepsake.until('two people', async () => (await status()) === 'different');
  await keepsake.gone('link-row');
  await keepsake.press('u');
  await keepsake.until('no answer', async () => (await status()) === 'open');
  await keepsake.sees('link-question', 'Noor Aziz');
  await keepsake.press('s');
  await keepsake.until('one person', async () => (await status()) === 'same');
  assert.equal((await people()).length, PEOPLE - 1);
  await keepsake.click('links-answered');
  await keepsake.sees('link-question', 'Noor Aziz');
  await keepsake.press('p');
  await keepsake.until('the link undone', async () => (await status()) === 'open');
  assert.deepEqual(await people(), peopleBefore, 'and everybody is as before');
  await keepsake.click('people-tab-people');
});

test('the new panels are shown in the dark theme and in a small window', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-people');
  await openPerson('Robin Hale');
  await keepsake.screenshot('people-dark');
  await keepsake.click('people-tab-links');
  await keepsake.screenshot('people-suggestions-dark');
  await keepsake.click('nav-privacy');
  await keepsake.click('privacy-tab-channels');
  await keepsake.click('channel-row');
  await keepsake.screenshot('privacy-channels-dark');
  await keepsake.click('privacy-tab-view');
  await keepsake.find('view-withheld');
  await keepsake.screenshot('view-as-dark');
  await keepsake.resize(960, 600);
  await keepsake.screenshot('view-as-small');
  await keepsake.click('privacy-tab-channels');
  await keepsake.screenshot('privacy-channels-small');
  await keepsake.click('nav-people');
  await keepsake.click('people-tab-people');
  await openPerson('Robin Hale');
  await keepsake.screenshot('people-small');
});
