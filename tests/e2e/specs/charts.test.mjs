// Charts in the real window: what lies around a person and a topic, and what was said over time. Each is walked through by keys, leads
// where it says, and has a table with the same in it; what is off the record is marked.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const row = (conversation, id, time, author, role, text, channel) =>
  JSON.stringify({ conversation, title: conversation, channel_type: channel, channel_id: conversation, visibility: 'private', id, time, author, author_handle: author.toLowerCase(), role, text });

/** Thirty conversations over two years with Ana and four others, more than one graph has room for. */
const MANY = Array.from({ length: 30 }, (_, at) => {
  const day = new Date(Date.UTC(2024, 0, 10 + at * 24)).toISOString().slice(0, 10);
  const friend = ['Ben', 'Cleo', 'Dora', 'Emil'][at % 4];
  return [
    row(`Evening ${at}`, `m${at}-1`, `${day}T18:00:00Z`, 'Ana', 'person', `We met for the ${at}th time.`, at % 3 ? 'whatsapp' : 'matrix'),
    row(`Evening ${at}`, `m${at}-2`, `${day}T18:01:00Z`, 'Mara', 'owner', 'See you soon.', at % 3 ? 'whatsapp' : 'matrix'),
    row(`Evening ${at}`, `m${at}-3`, `${day}T18:02:00Z`, friend, 'person', 'Until then.', at % 3 ? 'whatsapp' : 'matrix'),
  ].join('\n');
});

let keepsake;
const json = async (...args) => JSON.parse(await keepsake.cli(...args, '--json'));
const count = (id) => keepsake.run(`return document.querySelectorAll('[data-testid="${id}"]').length`);
const focused = () => keepsake.run('return document.activeElement?.dataset.node ?? document.activeElement?.dataset.testid ?? ""');

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'many.jsonl');
      await writeFile(file, MANY.join('\n'));
      await home.cli('import', file);
      for (const name of ['home', 'garden', 'work']) await home.cli('import', join(import.meta.dirname, `../../fixtures/topics/${name}.jsonl`));
      await home.cli('run-jobs', '--until-idle');
      const { id } = (await home.cli('conversations', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each)).find(({ title }) => title === 'Evening 3');
      await home.cli('private', id, 'on');
      // What read it shows nothing until it is made anew.
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

async function openAna() {
  await keepsake.click('nav-people');
  await keepsake.click({ css: '[data-testid="person-row"]', text: 'Ana' });
  await keepsake.sees('person-name', 'Ana');
  await keepsake.click('person-part-graph');
  await keepsake.find('graph-node');
}

test('what lies around a person is drawn as far as it can be read, and the rest is counted', async () => {
  await openAna();
  const person = (await keepsake.cli('people', '--json')).split('\n').filter(Boolean).map((each) => JSON.parse(each)).find(({ name }) => name === 'Ana').id;
  const graph = await json('graph', '--person', person);
  assert.equal(await count('graph-node'), graph.nodes.length, 'the window draws what the command line answers');
  assert.ok(graph.nodes.length <= 60);
  await keepsake.sees('graph', 'Evening');
  const overlaps = await keepsake.run(`
    const boxes = [...document.querySelectorAll('[data-node]')].map((each) => each.getBoundingClientRect());
    return boxes.some((a, at) => boxes.slice(at + 1).some((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));`);
  assert.equal(overlaps, false, 'no name lies on another');
  await keepsake.screenshot('graph-person-light');
});

test('keys walk through it, say why, and open', async () => {
  await openAna();
  await keepsake.run('document.querySelector("[data-node]").focus()');
  const middle = await focused();
  await keepsake.press('ArrowRight');
  const right = await focused();
  assert.notEqual(right, middle);
  await keepsake.press('ArrowDown');
  await keepsake.press('ArrowLeft');
  assert.equal(await focused(), middle, 'back in the middle');
  const place = await keepsake.run('return [...document.querySelectorAll("[data-node]")].find((each) => each.dataset.kind === "conversation").dataset.node');
  await keepsake.run('[...document.querySelectorAll("[data-node]")].find((each) => each.dataset.node === arguments[0]).focus()', place);
  await keepsake.sees('graph-why', 'Ana wrote');
  await keepsake.press('Enter');
  await keepsake.find('conversation-messages');
});

test('the table has the same connections', async () => {
  await openAna();
  const lines = await keepsake.run('return document.querySelectorAll("[data-edge]").length');
  await keepsake.click('graph-table');
  await keepsake.find('graph-rows');
  assert.equal(await count('graph-row'), lines);
  await keepsake.screenshot('graph-table-light');
  await keepsake.click('graph-picture');
});

test('a topic has its graph', async () => {
  await keepsake.click('nav-topics');
  await keepsake.find('topic-row');
  await keepsake.click('topic-part-graph');
  await keepsake.find('graph-node');
  await keepsake.sees('graph', 'Conversations');
  await keepsake.screenshot('graph-topic-light');
  await keepsake.click('topic-part-text');
});

test('what was said over time sums to what is stored, marks what is off the record, and leads to its conversations', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('activity-time');
  await keepsake.find('time-stretch');
  const answer = await json('timeline');
  const stored = answer.messages.reduce((sum, each) => sum + each.total, 0);
  const shown = await keepsake.run(`
    return [...document.querySelectorAll('[data-testid="time-stretch"]')]
      .map((each) => Number((/: ([\\d,]+) message/.exec(each.getAttribute('aria-label')) ?? [, '0'])[1].replace(',', ''))).reduce((sum, each) => sum + each, 0);`);
  assert.equal(shown, stored, 'the bars hold every message');
  await keepsake.sees('time-off-record', '3');
  await keepsake.screenshot('time-light');
  await keepsake.run('document.querySelector(\'[data-testid="time-plot"]\').focus()');
  await keepsake.press('Home');
  await keepsake.press('Enter');
  await keepsake.find('conversations-period');
  await keepsake.until('only the first evening', async () => (await count('conversation-row')) < 5);
  await keepsake.screenshot('conversations-period-light');
  await keepsake.click('btn-period-clear');
  await keepsake.until('all conversations again', async () => (await count('conversation-row')) > 5);
});

test('a person’s lines have their own timeline', async () => {
  await openAna();
  await keepsake.click('person-part-lines');
  await keepsake.find('time-stretch');
  await keepsake.screenshot('time-person-light');
  await keepsake.click('time-table');
  await keepsake.find('time-row');
  await keepsake.click('time-picture');
});

test('the same in the dark theme and in a small window', async () => {
  await keepsake.theme('dark');
  await openAna();
  await keepsake.screenshot('graph-person-dark');
  await keepsake.click('nav-activity');
  await keepsake.find('time-stretch');
  await keepsake.screenshot('time-dark');
  await keepsake.resize(960, 600);
  await keepsake.screenshot('time-small');
  await openAna();
  await keepsake.screenshot('graph-small');
});
