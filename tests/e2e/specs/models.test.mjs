// A language model chosen in the real window: entered by address, tried, set to propose beside the built-in engine, and every
// call it was sent shown word for word. The model is a small server of ours on loopback.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';
import { startModelServer } from '../model_server.mjs';

const NURSE = 'I work as a nurse';

let model;
let keepsake;
before(async () => {
  model = await startModelServer([{ words: NURSE, content: 'User works as a nurse', category: 'personal_info' }]);
  keepsake = await launch();
});
after(async () => {
  await keepsake?.end();
  await model?.close();
});

/**
 * How long the page may keep a person waiting, whatever the model's server does. It takes some tens of milliseconds on an idle
 * machine; one that is busy with builds takes longer, and a page that waits for the server takes for ever.
 */
const ANSWERS_WITHIN_MS = 3_000;

const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
const body = () => keepsake.run('return document.body.innerText');

test('a server is entered by its address, its models are listed, and one is chosen', async () => {
  await keepsake.click('nav-settings');
  await keepsake.click('settings-models');
  await keepsake.find('engine-built_in');
  await keepsake.run("document.querySelector('[data-testid=\"other-server\"]').open = true");
  await keepsake.click({ css: '[data-testid="other-server"] button, [data-testid="other-server"] label', text: 'OpenAI-compatible' });
  await keepsake.fill('other-address', model.url);
  await keepsake.click('btn-other-list');
  await keepsake.until('the list of models', async () => (await body()).includes('tiny-reader'));
  await keepsake.click('btn-model-use');
  await keepsake.sees('model-chosen', 'tiny-reader');
  const view = JSON.parse(await keepsake.cli('models', '--json'));
  assert.equal(view.settings.provider.model, 'tiny-reader');
  assert.equal(view.settings.engines, 'built_in', 'a chosen model reads nothing by itself');
  assert.equal(model.received.length, 0);
});

test('the test shows what was sent and what came back', async () => {
  await keepsake.click('btn-model-test');
  const usable = 'return document.querySelector(\'[data-testid="model-test-result"]\')?.dataset.good === "true"';
  await keepsake.until('a usable answer', () => keepsake.run(usable), { within_ms: 30_000 });
  await keepsake.run('document.querySelectorAll(\'[data-testid="model-test-result"] details\').forEach((each) => { each.open = true; })');
  await keepsake.until('what was sent, in full', async () => (await body()).includes('I moved to Lisbon in March'));
  assert.equal(model.received.length, 1);
  assert.ok(!JSON.stringify(model.received).includes('mara@example.org'), 'even the made-up address is masked');
  await keepsake.screenshot('settings-models-light');
});

test('what the model is good for is told by made-up conversations, and a task may have another model', async () => {
  await keepsake.run('document.querySelectorAll(\'[data-testid="model-test-result"] details\').forEach((each) => { each.open = false; })');
  await keepsake.click('btn-model-rate');
  // It knows one statement and says yes to everything: that is too little to look for facts, and no judge.
  await keepsake.until('the verdicts', async () => (await body()).includes('Not suitable for finding facts.'), { within_ms: 60_000 });
  const said = await body();
  for (const words of ['1 of 9 right', 'Checks proposals inconsistently', 'Not suitable for summarizing']) assert.ok(said.includes(words), `${words}: ${said}`);
  assert.equal((await keepsake.cli('memories', '--json')).trim(), '', 'nothing of it is kept');
  await keepsake.run('document.querySelector(\'[data-testid="model-rating"]\').scrollIntoView({ block: "center" })');
  await keepsake.screenshot('settings-models-rating-light');
  await keepsake.fill('model-context-tokens', '8,000');
  await keepsake.run("document.activeElement.blur(); document.querySelector('[data-testid=\"task-models\"]').open = true");
  await keepsake.until('the context to be stored', async () => JSON.parse(await keepsake.cli('models', '--json')).settings.provider.context_tokens === 8_000);
  await keepsake.find('task-models-judge');
  await keepsake.run('document.querySelector(\'[data-testid="task-models"]\').scrollIntoView({ block: "center" })');
  await keepsake.screenshot('settings-models-tasks-light');
});

test('both engines propose, and where they agree there is one candidate with two proposers', async () => {
  await keepsake.click('engine-both');
  await keepsake.until('the choice to be stored', async () => JSON.parse(await keepsake.cli('models', '--json')).settings.engines === 'both');
  const file = join(tmpdir(), `keepsake-talk-${process.pid}.jsonl`);
  const line = (id, role, author, text) =>
    JSON.stringify({ conversation: 'ward', title: 'On the ward', channel_type: 'chat', channel_id: 'ward', id, time: `2026-03-02T10:0${id}:00Z`, author, role, text });
  await writeFile(file, [line(1, 'owner', 'Mara', `${NURSE} on a children's ward. Write to mara@example.org.`), line(2, 'assistant', 'Nova', 'I see.')].join('\n'));
  await keepsake.cli('import', file);
  await keepsake.lookAgain();
  await keepsake.click('nav-review');
  await keepsake.until('one candidate by both', async () => {
    const about = lines(await keepsake.cli('memories', '--json')).filter(({ content }) => content.includes('nurse'));
    return about.length === 1 && about[0].proposers.length >= 2;
  }, { within_ms: 60_000 });
  await keepsake.sees('review-statement', 'nurse', { within_ms: 30_000 });
  await keepsake.until('both names on the screen', async () => (await body()).includes('tiny-reader'));
  await keepsake.screenshot('review-two-proposers-light');
});

test('what was sent to the model can be read word for word', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('activity-calls');
  await keepsake.find('call-row', { within_ms: 30_000 });
  await keepsake.click('call-row');
  await keepsake.find('call-detail');
  await keepsake.screenshot('calls-light');
  const sent = JSON.stringify(model.received);
  assert.ok(sent.includes('[EMAIL_1]') && !sent.includes('example.org'), 'only scrubbed text reached the model');
});

/** Imports one conversation with statements that the built-in engine proposes by itself. */
async function bring(name, statements) {
  const file = join(tmpdir(), `keepsake-${name}-${process.pid}.jsonl`);
  const line = (text, index) =>
    JSON.stringify({ conversation: name, title: name, channel_type: 'chat', channel_id: name, id: index, time: `2026-03-03T10:0${index}:00Z`, author: 'Mara', role: 'owner', text });
  await writeFile(file, statements.map(line).join('\n'));
  await keepsake.cli('import', file);
  await keepsake.lookAgain();
}

const pending = async () => lines(await keepsake.cli('memories', '--status', 'pending', '--json'));

/** What the job over `name` shows in Activity, and the buttons that it offers. */
const jobRow = (name) =>
  keepsake.run(
    `const row = [...document.querySelectorAll('[data-testid="job-row"]')].find((each) => each.innerText.includes(arguments[0]) && each.querySelector('[data-state="running"], [data-state="queued"], [data-state="dead"]'));
    return row && { state: row.querySelector('[data-state]').dataset.state, text: row.innerText, cancel: row.querySelector('[data-testid="btn-job-cancel"]')?.disabled === false }`,
    name,
  );

const cancelRow = (name) =>
  keepsake.run(
    `[...document.querySelectorAll('[data-testid="job-row"]')].find((each) => each.innerText.includes(arguments[0]) && each.querySelector('[data-testid="btn-job-cancel"]'))
      .querySelector('[data-testid="btn-job-cancel"]').click()`,
    name,
  );

/** Walks through the panels by keys, keeps a memory, and says how long the slowest answer and the longest gap between frames were. */
async function use() {
  const waiting = await pending();
  assert.ok(waiting.length > 0, 'there is something to approve');
  await keepsake.run(`
    window.frames_seen = { count: 0, longest_ms: 0, last: performance.now(), on: true };
    const frame = (now) => {
      const seen = window.frames_seen;
      seen.count += 1;
      seen.longest_ms = Math.max(seen.longest_ms, now - seen.last);
      seen.last = now;
      if (seen.on) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);`);
  let slowest_ms = 0;
  const timed = async (what, act, ask) => {
    const began = performance.now();
    await act();
    await keepsake.until(what, ask, { within_ms: ANSWERS_WITHIN_MS });
    slowest_ms = Math.max(slowest_ms, performance.now() - began);
  };
  const panel = () => keepsake.run('return document.querySelector(\'[data-testid="panel"]\')?.innerText ?? ""');
  for (const [key, title] of [['m', 'Memories'], ['c', 'Conversations'], ['s', 'Sources'], ['a', 'Activity'], ['r', 'Review']]) {
    await timed(`${title} by its key`, () => keepsake.press('g', key), async () => (await panel()).includes(title));
  }
  // A person's own words are shown without the marks around them.
  const statement = (await keepsake.text('review-statement')).replace(/^“|”$/g, '');
  await timed(
    'the candidate to be approved',
    () => keepsake.press('a'),
    async () => lines(await keepsake.cli('memories', '--status', 'active', '--json')).some(({ content }) => content.includes(statement)),
  );
  // The walk itself may be over after a few frames; a page that paints goes on painting.
  await keepsake.until('frames to be painted', () => keepsake.run('return window.frames_seen.count > 5'), { within_ms: ANSWERS_WITHIN_MS });
  const frames = await keepsake.run('window.frames_seen.on = false; return window.frames_seen');
  console.log(`# ${frames.count} frames, at most ${Math.round(frames.longest_ms)} ms between two; the slowest answer took ${Math.round(slowest_ms)} ms`);
  assert.ok(frames.longest_ms < ANSWERS_WITHIN_MS, `${frames.longest_ms} ms without a frame`);
}

test('while the model hangs the page answers and paints, and the job can be cancelled', async () => {
  const before = (await pending()).length;
  model.fault = 'hang';
  await bring('Harbour', ['I live in Bergen.', 'I have a dog named Pixel.', 'I love sailing.', 'My sister lives in Oslo.', 'I collect old radios.', 'I play the violin.']);
  await keepsake.until('the model to be asked and to hang', () => model.hanging === 1, { within_ms: 60_000 });
  await keepsake.until('what the built-in engine found', async () => (await pending()).length > before, { within_ms: 60_000 });
  await use();
  assert.equal(model.hanging, 1, 'control: the model kept hanging all the while');
  await keepsake.click('nav-activity');
  await keepsake.click('activity-jobs');
  await keepsake.until('the job to show as running, with a way to end it', async () => {
    const row = await jobRow('Harbour');
    return row?.state === 'running' && row.cancel;
  });
  await keepsake.screenshot('jobs-model-hangs-light');
  // The next question, about people, is answered.
  model.fault = null;
  await cancelRow('Harbour');
  await keepsake.until('the request to be ended', () => model.hanging === 0 && model.left === 1);
  await keepsake.until('the job to be gone from what runs', async () => !(await jobRow('Harbour')));
  assert.ok((await body()).includes('Canceled. No partial results were kept.'));
});

for (const [fault, place, statements] of [
  ['huge', 'Workshop', ['I own a lathe.', 'I love carving spoons.', 'My brother lives in Turin.']],
  ['error', 'Garden', ['I grow tomatoes on my balcony.', 'I have a cat named Miso.', 'I hate coriander.']],
  ['cut', 'Library', ['I read a novel every week.', 'I study Norwegian.', 'My mother lives in Porto.']],
]) {
  test(`while the model answers with a fault (${fault}) the page answers and paints, and the job waits with a way to end it`, async () => {
    const [before, asked] = [(await pending()).length, model.received.length];
    model.fault = fault;
    await bring(place, statements);
    await keepsake.until('the model to be asked', () => model.received.length > asked, { within_ms: 60_000 });
    await keepsake.until('what the built-in engine found', async () => (await pending()).length > before, { within_ms: 60_000 });
    await use();
    await keepsake.click('nav-activity');
    await keepsake.click('activity-jobs');
    // Between two attempts it waits; during one it runs. Either way it can be ended.
    await keepsake.until('the job to wait for its next attempt, with a way to end it', async () => {
      const row = await jobRow(place);
      return row?.state === 'queued' && /Next attempt .*\d of \d/s.test(row.text) && row.cancel;
    }, { within_ms: 30_000 });
    await keepsake.screenshot(`jobs-model-${fault}-light`);
    await cancelRow(place);
    await keepsake.until('the job to be gone from what waits', async () => !(await jobRow(place)));
    const theirs = lines(await keepsake.cli('memories', '--json')).filter(({ proposers, evidence }) =>
      proposers.some((each) => each.includes('tiny-reader')) && evidence.some(({ source }) => source.conversation.includes(place)));
    assert.deepEqual(theirs, [], 'nothing of the faulty answers was kept');
  });
}

test('once the model is well again it is believed', async () => {
  model.fault = null;
  await bring('Ward two', [`${NURSE} in the night shift.`]);
  await keepsake.until('a candidate of the model', async () =>
    lines(await keepsake.cli('memories', '--json')).some(({ proposers, evidence }) =>
      proposers.some((each) => each.includes('tiny-reader')) && evidence.some(({ source }) => source.conversation.includes('Ward two'))), { within_ms: 60_000 });
});

test('a server on another computer is refused until the person allows it', async () => {
  await keepsake.click('nav-settings');
  await keepsake.click('settings-models');
  await keepsake.run("document.querySelector('[data-testid=\"other-server\"]').open = true");
  await keepsake.fill('other-address', 'https://models.example/v1');
  await keepsake.fill('other-model', 'large');
  await keepsake.run("document.querySelector('[data-testid=\"btn-other-use\"]')?.click()");
  await keepsake.until('the reason on the screen', async () => /this computer/i.test(await body()));
  assert.equal(JSON.parse(await keepsake.cli('models', '--json')).settings.provider.model, 'tiny-reader', 'nothing was changed');
});

test('the panels about models are shown in the dark theme too', async () => {
  await keepsake.theme('dark');
  await keepsake.click('settings-models');
  await keepsake.find('engine-both');
  await keepsake.screenshot('settings-models-dark');
  await keepsake.click('nav-activity');
  await keepsake.click('activity-calls');
  await keepsake.click('call-row');
  await keepsake.screenshot('calls-dark');
  await keepsake.click('nav-sources');
  await keepsake.find('watched');
  await keepsake.screenshot('sources-watched-dark');
});
