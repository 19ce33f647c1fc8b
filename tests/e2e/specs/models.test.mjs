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

test('both engines propose, and where they agree there is one candidate with two proposers', async () => {
  await keepsake.click('engine-both');
  await keepsake.until('the choice to be stored', async () => JSON.parse(await keepsake.cli('models', '--json')).settings.engines === 'both');
  const file = join(tmpdir(), `keepsake-talk-${process.pid}.jsonl`);
  const line = (id, role, author, text) =>
    JSON.stringify({ conversation: 'ward', title: 'On the ward', channel_type: 'chat', channel_id: 'ward', id, time: `2026-03-02T10:0${id}:00Z`, author, role, text });
  await writeFile(file, [line(1, 'owner', 'Mara', `${NURSE} on a children's ward. Write to mara@example.org.`), line(2, 'assistant', 'Nova', 'I see.')].join('\n'));
  await keepsake.cli('import', file);
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
  await keepsake.click('settings-general');
  await keepsake.click('settings-theme-dark');
  await keepsake.until('the dark theme', () => keepsake.run("return document.documentElement.dataset.theme === 'dark'"));
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
