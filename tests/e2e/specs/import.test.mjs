// A folder with exports of several kinds, in the real window: a card each, what nothing reads is named, and what no file says is
// asked: who the owner is, once for all of them, and when a meeting was.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const cue = (number, at, speaker, text) => `${number}\n00:00:${String(at).padStart(2, '0')}.000 --> 00:00:${String(at + 3).padStart(2, '0')}.000\n${speaker}: ${text}\n`;
const FILES = {
  'Standup.vtt': ['WEBVTT\n', cue(1, 1, 'Bo Okoro', 'Morning everybody.'), cue(2, 5, 'Rui Costa', 'The lift is repaired.')].join('\n'),
  'WhatsApp Chat with Rui.txt': ['13/03/2026, 10:01 - Bo Okoro: Are you coming on Friday?', '13/03/2026, 10:02 - Rui Costa: Yes, at eight.', '14/03/2026, 11:00 - Bo Okoro: Good.'].join('\n'),
  'WhatsApp Chat with +44 7700 900123.txt': ['15/03/2026, 10:01 - +44 7700 900123: My name is Erik.', '15/03/2026, 10:02 - Bo Okoro: Which Erik?'].join('\n'),
  'holiday.xyz': 'nothing that anybody reads',
};

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const cards = () => keepsake.texts('source-file');
const card = (name) => ({ css: '[data-testid="source-file"]', text: name });

/** How a day is typed depends on the language of the window; what it says then does not. */
const enterDay = (day) =>
  keepsake.run(
    `const input = document.querySelector('[data-testid="source-meeting"]');
     Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, arguments[0]);
     input.dispatchEvent(new Event('input', { bubbles: true }));`,
    day,
  );

before(async () => {
  keepsake = await launch();
});
after(() => keepsake?.end());

test('a folder becomes a card for each export, and what nothing reads is named', async () => {
  const folder = join(keepsake.home, 'exports');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  await keepsake.click('nav-sources');
  await keepsake.find('dropzone');
  await keepsake.drop(folder);
  await keepsake.until('a card each', async () => (await cards()).length === 2);
  await keepsake.find(card('WhatsApp chat'));
  await keepsake.find(card('Meeting transcript'));
  await keepsake.sees('source-left-out', 'holiday.xyz');
  await keepsake.screenshot('import-folder-light');
});

test('when the meeting was is asked, and said', async () => {
  await keepsake.sees(card('Meeting transcript'), 'When was this meeting?');
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees(card('Meeting transcript'), 'When was this meeting?');
    assert.ok((await cards()).some((text) => text.includes('≈')), 'a guessed day is marked');
    await keepsake.screenshot(`import-meeting-${theme}`);
  }
  // A year of two digits is half typed.
  await enterDay('0012-12-03');
  assert.equal(await keepsake.attribute('btn-source-meeting', 'disabled'), 'true');
  await enterDay('2026-03-12');
  await keepsake.click('btn-source-meeting');
  await keepsake.sees(card('Meeting transcript'), 'The meeting was on 2026-03-12.');
});

test('who the owner is is asked once for all of them', async () => {
  await keepsake.click({ css: '[data-testid="source-owner"]', text: 'Bo Okoro' });
  await keepsake.until('nobody asks again', async () => (await cards()).filter((text) => text.includes('You are Bo Okoro')).length === 2);
  await keepsake.screenshot('import-answered-light');
});

test('times that give no zone are told of, and read by the one that is named', async () => {
  const chat = card('WhatsApp chat');
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees(chat, 'This file does not name a time zone');
    await keepsake.run(`[...document.querySelectorAll('[data-testid="source-file"] p')].find((each) => each.innerText.startsWith('This file does not name')).querySelector('button').click()`);
    await keepsake.fill('source-zone', 'Atlantis/Nowhere');
    assert.equal(await keepsake.attribute('btn-source-zone', 'disabled'), 'true');
    await keepsake.screenshot(`import-zone-${theme}`);
  }
  await keepsake.fill('source-zone', 'America/New_York');
  await keepsake.click('btn-source-zone');
  await keepsake.sees(chat, 'Its times are read as America/New York');
});

test('what is imported has the day that was said', async () => {
  await keepsake.click('btn-import');
  await keepsake.until('all conversations', async () => lines(await keepsake.cli('conversations', '--json')).length === 3);
  const standup = lines(await keepsake.cli('conversations', '--json')).find(({ title }) => title.includes('Standup'));
  assert.match(JSON.stringify(standup), /2026-03-12/);
  const chat = lines(await keepsake.cli('conversations', '--json')).find(({ title }) => title.includes('Rui'));
  assert.match(JSON.stringify(chat), /2026-03-14T15:00:00/, 'eleven in the morning in New York');
});

test('a meeting whose day nobody knows bears the mark of a guess at each of its messages', async () => {
  const file = join(keepsake.home, 'Retrospective.vtt');
  await writeFile(file, ['WEBVTT\n', cue(1, 1, 'Bo Okoro', 'Nobody wrote down when this was.'), cue(2, 5, 'Rui Costa', 'Some day in spring.')].join('\n'));
  await keepsake.click('nav-sources');
  await keepsake.drop(file);
  await keepsake.sees(card('Retrospective'), 'When was this meeting?', { within_ms: 20_000 });
  await keepsake.click('btn-source-meeting-skip');
  await keepsake.sees(card('Retrospective'), 'marked ≈');
  await keepsake.click({ css: '[data-testid="source-owner"]', text: 'Bo Okoro' });
  await keepsake.click('btn-import');
  await keepsake.until('its conversation', async () => lines(await keepsake.cli('conversations', '--json')).length === 4);
  await keepsake.click('nav-conversations');
  const times = (words) =>
    keepsake.until(`the times beside “${words}”`, () =>
      keepsake.run(
        `const all = [...document.querySelectorAll('[data-testid="message"]')];
         return all.some((each) => each.innerText.includes(arguments[0])) && all.flatMap((each) => [...each.querySelectorAll('time')].map((time) => time.innerText));`,
        words,
      ),
    );
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: 'Retrospective' });
  const guessed = await times('when this was');
  assert.ok(guessed.length === 2 && guessed.every((time) => time.startsWith('≈ ')), `${guessed}`);
  const marked = await keepsake.run(`return [...document.querySelectorAll('[data-testid="conversation-row"]')].filter((row) => row.querySelector('time').innerText.startsWith('≈ ')).map((row) => row.innerText)`);
  assert.ok(marked.some((row) => row.includes('Retrospective')) && !marked.some((row) => row.includes('WhatsApp')), `so does its row in the list, and none with a time of its own: ${marked}`);
  assert.ok(await keepsake.run(`return [...document.querySelectorAll('h2')].some((day) => day.innerText.startsWith('≈ '))`), 'and the line of its day');
  await keepsake.screenshot('message-inferred-light');
  await keepsake.run(`[...document.querySelectorAll('[data-testid="conversation-row"]')].find((row) => row.innerText.includes('Rui') && row.innerText.includes('WhatsApp')).click()`);
  const given = await times('Yes, at eight');
  assert.ok(given.length > 0 && !given.some((time) => time.includes('≈')), `control: ${given}`);
});

test('somebody who is known by a number is listed with the words that say their name', async () => {
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-people');
    await keepsake.until('the number with the name', async () => (await keepsake.texts('person-row')).some((row) => row.includes('900123') && row.includes('“My name is Erik”')), { within_ms: 30_000 });
    await keepsake.screenshot(`people-number-${theme}`);
  }
});

test('Settings say that the reader is in use', async () => {
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.sees('settings-reader', 'In use');
    await keepsake.run('document.querySelector(\'[data-testid="settings-reader"]\').scrollIntoView({ block: "center" })');
    await keepsake.screenshot(`settings-reader-${theme}`);
  }
});

test('an import is undone as a whole, after a look at what goes', async () => {
  const row = { css: '[data-testid="import-row"]', text: 'Retrospective' };
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees(row, 'Undo');
    await keepsake.click({ css: '[aria-label="Undo the import of Retrospective.vtt"]' });
    await keepsake.sees('erase-counts', 'message');
    await keepsake.screenshot(`import-undo-${theme}`);
    if (theme === 'dark') await keepsake.press('Escape');
  }
  await keepsake.click('btn-erase');
  await keepsake.sees('erase-receipt', 'Erased', { within_ms: 30_000 });
  assert.equal(lines(await keepsake.cli('conversations', '--json')).length, 3);
  await keepsake.cli('verify');
});
