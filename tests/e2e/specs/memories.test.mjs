// Memories in the real window: to whom one was given, what is erased for good and what is left of it, the filters; and the places
// beside it that say when work goes on and where a search begins.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const LINES = [
  ['c1', 'm1', '2026-03-02T10:00:00Z', 'I live in Porto. I prefer blue paper for every letter.'],
  ['c3', 'm3', '2026-03-03T10:00:00Z', '```\nI live in Lisbon with my two cats.\n```'],
  // At the time of the first, or this would be known to replace it.
  ['c2', 'm2', '2026-03-02T10:00:00Z', 'I live in Utrecht. The spare key hangs behind the clock.'],
].map(([conversation, id, time, text]) => JSON.stringify({ conversation, channel_type: 'chat', channel_id: conversation, title: `Talk ${conversation}`, id, time, author: 'Mara', role: 'owner', text }));

let keepsake;
const cli = (...args) => keepsake.cli(...args);
const memories = async () =>
  (await cli('memories', '--json'))
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each));

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'chat.jsonl');
      await writeFile(file, LINES.join('\n'));
      await home.cli('import', file);
      await home.cli('run-jobs', '--until-idle');
      const found = (await home.cli('memories', '--json')).split('\n').filter(Boolean);
      await home.cli('approve', ...found.map((each) => JSON.parse(each).id));
      await home.cli('context', '--agent', 'coder', '--query', 'paper');
    },
  });
});
after(() => keepsake?.end());

test('a memory says to which agents it was given', async () => {
  await keepsake.click('nav-memories');
  await keepsake.click({ css: '[data-testid="memory-row"]', text: 'blue paper' });
  await keepsake.sees('memory-reads', 'Served to agents once');
  await keepsake.run('document.querySelector(\'[data-testid="memory-reads"] > summary\').click()');
  await keepsake.sees('memory-reads', 'coder');
  await keepsake.screenshot('memory-reads-light');
});

test('what cannot both be so is found, and the filter is taken off again', async () => {
  await keepsake.click('facet-conflict');
  await keepsake.click({ css: '[role="menuitemcheckbox"]', text: 'In conflict' });
  await keepsake.until('the two towns', async () => (await keepsake.text('memories-count')) === '2');
  await keepsake.press('Escape');
  await keepsake.screenshot('memories-conflict-light');
  await keepsake.click('btn-clear-filters');
});

test('the You page says what is known, asks about the two towns, and goes back to another day', async () => {
  await keepsake.click('nav-you');
  await keepsake.sees('you-page', 'blue paper');
  await keepsake.sees('you-conflict', 'Both cannot be true');
  const said = await keepsake.run(`return document.querySelector('[data-testid="you-page"]').innerText.split('I live in Porto').length - 1`);
  assert.equal(said, 1, 'what stands in a contradiction is not said again below');
  await keepsake.screenshot('you-light');
  const day = '[data-testid="you-day"]';
  await keepsake.run(`const slider = document.querySelector('${day}'); Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, '0'); slider.dispatchEvent(new Event('input', { bubbles: true }))`);
  await keepsake.sees('you-as-of', 'What was true on');
  await keepsake.click('btn-you-today');
  await keepsake.sees('you-conflict', 'Both cannot be true');
  await keepsake.click('nav-memories');
});

test('what was put in the trash is erased for good, with a list of what goes', async () => {
  await keepsake.click({ css: '[data-testid="memory-row"]', text: 'blue paper' });
  await keepsake.click('btn-memory-archive');
  await keepsake.click('facet-status');
  await keepsake.click({ css: '[role="menuitemcheckbox"]', text: 'Trash' });
  await keepsake.click({ css: '[role="menuitemcheckbox"]', text: 'Approved' });
  await keepsake.press('Escape');
  await keepsake.click('btn-memory-erase');
  await keepsake.sees('erase-counts', '1 memory');
  await keepsake.sees('erase-counts', 'access log entr');
  await keepsake.screenshot('memory-erase-light');
  await keepsake.press('Escape');
  await keepsake.theme('dark');
  await keepsake.click('nav-memories');
  await keepsake.click('btn-memory-erase');
  await keepsake.sees('erase-counts', '1 memory');
  await keepsake.screenshot('memory-erase-dark');
  await keepsake.click('btn-erase');
  await keepsake.sees('erase-receipt', 'none contains any of the erased data');
  assert.equal(await keepsake.run('return document.querySelectorAll(\'[data-testid="btn-undo"]\').length'), 0, 'no notice offers it back');
  await keepsake.screenshot('memory-erased-dark');
  assert.deepEqual((await memories()).filter(({ content }) => content.includes('blue paper')), [], 'no memory is left');
  assert.match(await cli('search', 'blue paper', '--json'), /blue paper/, 'the message stays');
  await keepsake.click({ css: '[data-testid="erase-receipt"] button', text: 'Close' });
});

test('a pause says when it ends, and an empty search what there is to begin with', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('btn-pause');
  await keepsake.click('pause-tomorrow');
  // Shortly after midnight the next morning is today's, and "tomorrow" is not said.
  await keepsake.sees('paused', 'until');
  await keepsake.sees('paused', '8:00');
  await keepsake.screenshot('paused-dark');
  await keepsake.click('btn-pause');
  await keepsake.click('nav-search');
  await keepsake.sees('search-suggest', 'Results open here');
  await keepsake.screenshot('search-empty-dark');
  await keepsake.theme('light');
  await keepsake.click('nav-search');
  await keepsake.sees('search-suggest', 'Results open here');
  await keepsake.screenshot('search-empty-light');
});

test('words that are selected in a conversation are remembered by one key, and undo takes that back', async () => {
  await keepsake.click('nav-conversations');
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: 'Talk c2' });
  await keepsake.sees('message', 'I live in Utrecht');
  await keepsake.run(`
    const texts = document.createTreeWalker(document.querySelector('[data-testid="message"] [data-start]'), NodeFilter.SHOW_TEXT);
    const words = 'The spare key hangs behind the clock';
    const range = document.createRange();
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const at = node.data.indexOf(words);
      if (at < 0) continue;
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
    }
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);`);
  await keepsake.press('m');
  const kept = async () => (await memories()).filter(({ content, status }) => content.includes('“The spare key hangs behind the clock”') && status === 'active').length;
  await keepsake.until('the words are a memory', async () => (await kept()) === 1);
  await keepsake.screenshot('remembered-light');
  await keepsake.press('u');
  await keepsake.until('it is taken back', async () => (await kept()) === 0);
});

test('what a gate stopped is kept by its button, in both themes, and undo takes that back', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('activity-gate');
  await keepsake.sees('gate-row', 'Lisbon');
  await keepsake.screenshot('gate-light');
  await keepsake.theme('dark');
  await keepsake.click('nav-activity');
  await keepsake.click('activity-gate');
  await keepsake.sees('gate-row', 'Lisbon');
  await keepsake.screenshot('gate-dark');
  await keepsake.click('gate-keep');
  const kept = async () => (await memories()).filter(({ content, status }) => content.includes('Lisbon') && status === 'active').length;
  await keepsake.until('it is a memory', async () => (await kept()) === 1);
  await keepsake.screenshot('gate-kept-dark');
  await keepsake.press('u');
  await keepsake.until('it is taken back', async () => (await kept()) === 0);
  await keepsake.theme('light');
});
