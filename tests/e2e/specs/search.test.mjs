// Search in the real window, by keyboard: the palette, the page, a result that opens at its very line in a long conversation, and the way
// back to the same results.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures/topics');
/** Longer than any view, and than the page of messages that is fetched first. */
const LONG_MESSAGES = 600;
const AT = 420;
const LINE = 'An albatross nests behind the lighthouse every spring.';

const walk = Array.from({ length: LONG_MESSAGES }, (_, index) =>
  JSON.stringify({
    conversation: 'walk', title: 'Long walk', channel_type: 'dm', channel_id: 'ida', visibility: 'private', id: `walk-${index}`,
    time: new Date(Date.UTC(2026, 0, 5, 8) + index * 60_000).toISOString(),
    author: index % 2 === 0 ? 'Ida' : 'Mara', author_handle: index % 2 === 0 ? 'ida' : 'mara', role: index % 2 === 0 ? 'person' : 'owner',
    text: index === AT ? LINE : index === AT - 1 ? 'What is that bird over there?' : index % 20 === 0 ? `The shore again, and the shore ${index} steps on.` : `Step ${index}, and the path goes on along the shore.`,
  }),
);

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const count = (id) => keepsake.run(`return document.querySelectorAll('[data-testid="${id}"]').length`);
const active = () => keepsake.run(`return document.querySelector('[data-testid="search-row"][data-active]')?.innerText ?? null`);
const value = (id) => keepsake.run(`return document.querySelector('[data-testid="${id}"]')?.value ?? null`);
const focus = () => keepsake.run('return document.activeElement?.dataset?.testid ?? null');
const shoot = (name) => keepsake.screenshot(`search-${name}`);

/** What is typed before the field has the focus goes elsewhere. */
const openPalette = async () => {
  await keepsake.press('Control+k');
  await keepsake.until('the palette to have the focus', async () => (await focus()) === 'palette-box');
};

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'walk.jsonl');
      await writeFile(file, walk.join('\n'));
      await home.cli('import', file);
      const dinner = join(home.home, 'dinner.jsonl');
      await writeFile(dinner, JSON.stringify({ ...JSON.parse(walk[1]), conversation: 'dinner', title: 'Dinner', id: 'dinner-1', text: 'I am allergic to walnuts.' }));
      await home.cli('import', dinner);
      for (const name of ['home', 'garden', 'work']) await home.cli('import', join(FIXTURES, `${name}.jsonl`));
      await home.cli('run-jobs', '--until-idle');
      const memories = lines(await home.cli('memories', '--json'));
      const allergy = memories.find(({ content }) => content.includes('walnuts'));
      await home.cli('approve', ...new Set([memories[0].id, allergy.id]));
    },
  });
});
after(() => keepsake?.end());

test('Ctrl K finds pages, commands, people and topics, and Escape gives the focus back', async () => {
  await keepsake.find('nav-review');
  await openPalette();
  await shoot('palette-light');
  await keepsake.type('memo');
  await keepsake.until('Memories to be first', async () => (await keepsake.attribute({ css: '[data-testid="palette-row"][aria-selected="true"]' }, 'data-item')) === 'action go.memories');
  await keepsake.press('Enter');
  await keepsake.gone('palette');
  await keepsake.find('memories-search');
  await keepsake.click('memories-search');
  await openPalette();
  await keepsake.type('worktop');
  await keepsake.find({ css: '[data-testid="palette-row"][data-item^="topic "]' });
  await shoot('palette-found-light');
  await keepsake.press('Escape');
  await keepsake.gone('palette');
  assert.equal(await focus(), 'memories-search');
  await openPalette();
  await keepsake.type('Ana');
  await keepsake.click({ css: '[data-testid="palette-row"][data-item^="person "]', text: 'Ana' });
  await keepsake.sees('person-name', 'Ana');
});

test('a result opens at its very line, marked and in view, and Back leads to the same results', async () => {
  await keepsake.press('Control+Shift+f');
  await keepsake.until('the box to have the focus', async () => (await focus()) === 'search-box');
  await shoot('empty-light');
  await keepsake.type('albatross lighthouse type:message');
  await keepsake.find({ css: '[data-testid="search-row"]', text: 'albatross nests' });
  await keepsake.sees('search-around', 'What is that bird over there?');
  assert.deepEqual(await keepsake.run(`return [...document.querySelector('[data-testid="search-row"][data-active]').querySelectorAll('mark')].map((mark) => mark.textContent)`), ['albatross', 'lighthouse']);
  await shoot('results-light');
  await keepsake.press('Enter');
  await keepsake.until('the results to have the focus', async () => (await focus()) === 'search-list');
  const chosen = await active();
  await keepsake.press('Enter');
  const marked = '[data-testid="message"][data-current]';
  await keepsake.sees({ css: marked }, LINE);
  const { inView, others } = await keepsake.run(`
    const message = document.querySelector('${marked}').getBoundingClientRect();
    const view = document.querySelector('[data-testid="conversation-messages"]').getBoundingClientRect();
    return { inView: message.top >= view.top && message.bottom <= view.bottom, others: document.querySelectorAll('${marked}').length };`);
  assert.ok(inView, 'the line is in view');
  assert.equal(others, 1, 'and no other is marked');
  await shoot('opened-light');
  await keepsake.press('Alt+ArrowLeft');
  await keepsake.find('search-list');
  assert.equal(await value('search-box'), 'albatross lighthouse type:message');
  await keepsake.until('the cursor to stand where it stood', async () => (await active()) === chosen);
});

test('a whole question finds the line that answers it, and says why', async () => {
  await keepsake.fill('search-box', 'What is that bird over there?');
  const answer = { css: '[data-testid="search-row"]', text: 'albatross nests' };
  await keepsake.find(answer, { within_ms: 10_000 });
  await keepsake.click(answer);
  assert.match(await keepsake.text('search-why'), /message next to it|something similar/);
  await shoot('question-light');
});

test('a question about an attribute finds what was approved of it, and says so', async () => {
  await keepsake.fill('search-box', 'What am I allergic to?');
  const answer = { css: '[data-testid="search-row"]', text: 'walnuts' };
  await keepsake.find(answer, { within_ms: 10_000 });
  assert.match(await active(), /Known fact[^]*walnuts/, 'it comes first');
  await keepsake.click(answer);
  assert.match(await keepsake.text('search-why'), /an approved fact about your question/);
  await shoot('attribute-light');
});

test('facets, kinds and operators narrow, all of it in the box', async () => {
  await keepsake.fill('search-box', 'shore');
  await keepsake.find('search-row');
  assert.equal(await keepsake.text('search-count'), '100 best results');
  assert.ok((await count('search-row')) < 40, 'of a hundred results those in view are drawn');
  await keepsake.click('facet-author');
  await shoot('facet-light');
  await keepsake.click({ css: '[role="menuitemcheckbox"]', text: 'Ida' });
  await keepsake.until('the operator in the box', async () => (await value('search-box')) === 'shore person:Ida');
  await keepsake.press('Escape');
  await keepsake.find({ css: '[data-testid="search-row"]', text: 'Ida' });
  assert.ok(!(await keepsake.run(`return [...document.querySelectorAll('[data-testid="search-row"]')].some((row) => row.innerText.startsWith('Message\\nMara'))`)));
  await keepsake.fill('search-box', 'worktop type:top');
  await keepsake.find('search-suggestions');
  await keepsake.press('ArrowDown', 'Enter');
  await keepsake.until('the value to be completed', async () => (await value('search-box')).trim() === 'worktop type:topic');
  await keepsake.find({ css: '[data-testid="search-row"] [data-kind="topic"]' });
  await shoot('topics-light');
  await keepsake.press('Enter', 'Enter');
  await keepsake.find('topic-title');
  await keepsake.click('btn-search-back');
  await keepsake.find({ css: '[data-testid="search-row"] [data-kind="topic"]' });
});

test('nothing found says so and leads on', async () => {
  await keepsake.fill('search-box', 'xyzzy channel:dm');
  await keepsake.sees('search-empty', 'No results');
  await shoot('nothing-light');
  await keepsake.click({ css: '[data-testid="search-empty"] button' });
  assert.equal(await value('search-box'), 'xyzzy');
});

test('a question that nothing answers says so, and sets the nearest lines apart', async () => {
  await keepsake.fill('search-box', 'what is the capital of Mongolia and who governs it');
  await keepsake.sees('search-nearest', 'No good match');
  await keepsake.until('at most three lines', async () => (await count('search-row')) <= 4);
  await keepsake.find('search-around');
  assert.equal(await count('search-why'), 0, 'a message that nothing speaks for has no heading for reasons');
  await shoot('nearest-light');
});

test('the same in the dark theme and in a small window', async () => {
  await keepsake.runAsync(`
    const ask = (cmd, payload) => window.__TAURI_INTERNALS__.invoke('rpc', { cmd, payload });
    await ask('settings_set', { ...(await ask('settings_get', {})), theme: 'dark' });`);
  await keepsake.until('the dark theme', () => keepsake.run(`return document.documentElement.dataset.theme === 'dark'`));
  await keepsake.fill('search-box', 'kitchen worktop');
  await keepsake.find('search-row');
  await shoot('results-dark');
  await keepsake.resize(960, 600);
  await shoot('results-small');
  await openPalette();
  await keepsake.type('worktop');
  await keepsake.find({ css: '[data-testid="palette-row"][data-item^="topic "]' });
  await shoot('palette-small');
  await keepsake.press('Escape');
});
