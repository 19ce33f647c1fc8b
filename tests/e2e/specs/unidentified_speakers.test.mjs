// Speakers whom a transcript does not name, in the real window: asked about once, named, proposed about, and taken back.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const cue = (number, at, speaker, text) => `${number}\n00:00:${String(at).padStart(2, '0')}.000 --> 00:00:${String(at + 3).padStart(2, '0')}.000\n${speaker}: ${text}\n`;
const STANDUP = ['WEBVTT\n', cue(1, 1, 'Speaker 1', 'Morning everybody. I moved to Porto last week.'), cue(2, 5, 'Bo Okoro', 'I work as a nurse in Leeds.'), cue(3, 9, 'Speaker 2', 'I play the violin in an orchestra.'), cue(4, 13, 'Speaker 1', 'Then we meet at ten from now on.')].join('\n');

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const people = async () => lines(await keepsake.cli('people', '--json')).map((row) => row.name).toSorted();

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'Standup.vtt');
      await writeFile(file, STANDUP);
      await home.cli('import', file);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a speaker without a name is nobody: no candidate, no person, one question', async () => {
  await keepsake.click('nav-review');
  await keepsake.find('review-row');
  assert.deepEqual((await keepsake.texts('review-row')).filter((row) => row.includes('Speaker')), [], 'nothing is proposed about them');
  await keepsake.click('nav-people');
  await keepsake.find('person-row');
  assert.deepEqual((await keepsake.texts('person-row')).filter((row) => row.includes('Speaker')), []);
  await keepsake.sees('voices-waiting', '2 unidentified speakers in 1 meeting');
  await keepsake.screenshot('people-unidentified-speakers-light');
  await keepsake.click('voices-waiting');
  await keepsake.sees('voices-bar', '2 unidentified speakers');
  await keepsake.screenshot('unidentified-speakers-bar-light');
});

test('named, they are people and what they said is proposed', async () => {
  await keepsake.click('btn-voices-ask');
  await keepsake.sees('voices-dialog', 'I moved to Porto last week.');
  await keepsake.fill('voice-name', 'Rui Costa');
  await keepsake.sees('voices-dialog', 'New person: Rui Costa');
  await keepsake.screenshot('unidentified-speakers-dialog-light');
  await keepsake.press('Control+Enter');
  await keepsake.sees('toast', 'Identified one speaker');
  await keepsake.sees('message', 'Rui Costa');
  await keepsake.sees('voices-bar', '1 unidentified speaker');
  await keepsake.screenshot('unidentified-speakers-named-light');
  await keepsake.click('nav-review');
  await keepsake.until('what Rui said of himself', async () => (await keepsake.texts('review-row')).some((row) => row.includes('Rui Costa') && row.includes('Porto')));
  assert.deepEqual(await people(), ['Bo Okoro', 'Rui Costa']);
});

test('taken back, it is as if nobody had said so', async () => {
  await keepsake.press('u');
  await keepsake.until('nobody of that name', async () => !(await people()).includes('Rui Costa'));
  await keepsake.until('nothing about him', async () => !(await keepsake.texts('review-row')).some((row) => row.includes('Rui Costa')));
  await keepsake.click('nav-people');
  await keepsake.sees('voices-waiting', '2 unidentified speakers in 1 meeting');
});

test('in the dark as well, and left without a name it is not asked again', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-people');
  await keepsake.screenshot('people-unidentified-speakers-dark');
  await keepsake.click('voices-waiting');
  await keepsake.sees('voices-bar', '2 unidentified speakers');
  await keepsake.screenshot('unidentified-speakers-bar-dark');
  await keepsake.click('btn-voices-ask');
  await keepsake.find('voice-name');
  await keepsake.screenshot('unidentified-speakers-dialog-dark');
  await keepsake.press('Escape');
  await keepsake.click('btn-voices-leave');
  await keepsake.until('no question', async () => (await keepsake.texts('voices-bar')).length === 0);
  await keepsake.restart();
  await keepsake.click('nav-people');
  await keepsake.find('person-row');
  assert.deepEqual(await keepsake.texts('voices-waiting'), []);
});
