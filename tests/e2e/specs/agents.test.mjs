// Agents with a token in the real window: one is added and its token shown once, it is paused and resumed, it gets a new token, and it
// is removed. The command line sees each step.

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const FILE = resolve(import.meta.dirname, '../../fixtures/sessions/agents.jsonl');
const TOKEN = /^ksk_[0-9a-f]{64}$/;

const inCard = (id) => ({ css: `[data-agent="Porter"] [data-testid="${id}"]` });
const CARD = { css: '[data-testid="agent-card"][data-agent="Porter"]' };

let keepsake;
const agents = async () =>
  (await keepsake.cli('agents', 'list', '--json'))
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each));
const porter = async () => (await agents()).find(({ name }) => name === 'Porter');

/** Closes the token without copying it, which takes two attempts. */
async function closeToken() {
  await keepsake.click('btn-agent-token-done');
  await keepsake.sees('agent-token-dialog', 'You have not copied the token.');
  await keepsake.click('btn-agent-token-done');
  await keepsake.gone('agent-token-dialog');
}

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      await home.cli('import', FILE);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

let token;

test('an agent is added, and its token is shown once', async () => {
  assert.deepEqual(await agents(), []);
  await keepsake.click('nav-sessions');
  await keepsake.click('sessions-tab-agents');
  await keepsake.find('agent-card');
  await keepsake.press('n');
  await keepsake.find('agent-dialog');
  await keepsake.fill('agent-new-name', 'Porter');
  await keepsake.click('agent-users-others');
  await keepsake.click('btn-agent-save');
  await keepsake.sees('agent-dialog', 'For an agent that talks with other people, enter the channels where it does so');
  await keepsake.screenshot('agent-add-light');
  assert.deepEqual(await agents(), [], 'nothing is added before the form is right');
  await keepsake.fill('agent-new-channels', 'telegram, matrix:!lobby');
  await keepsake.click('btn-agent-save');
  await keepsake.sees('agent-token-dialog', 'It is shown only once');
  token = await keepsake.attribute('agent-token', 'value');
  assert.match(token, TOKEN);
  await keepsake.screenshot('agent-token-light');
  await closeToken();
  await keepsake.sees(CARD, 'Talks with other people, only in matrix:!lobby and telegram');
  await keepsake.sees(CARD, 'Token never used');
  assert.ok(!(await keepsake.run('return document.documentElement.outerHTML.includes(arguments[0])', token)), 'the token is nowhere in the page any more');
  const { access, visibility } = await porter();
  assert.deepEqual([visibility, access.channels, access.talks_with_others, access.is_paused], ['private', ['matrix:!lobby', 'telegram'], true, false]);
});

test('it is paused with its switch and resumed with undo', async () => {
  await keepsake.click(inCard('agent-pause'));
  await keepsake.until('it to be paused', async () => (await porter()).access.is_paused);
  await keepsake.sees(CARD, 'It receives nothing');
  await keepsake.press('u');
  await keepsake.until('it to be resumed', async () => !(await porter()).access.is_paused);
  await keepsake.cli('agents', 'pause', 'Porter');
  await keepsake.lookAgain();
  await keepsake.sees(CARD, 'It receives nothing');
  await keepsake.screenshot('agents-paused-light');
});

test('it gets a new token after a question, in the dark theme too', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-sessions');
  await keepsake.sees(CARD, 'It receives nothing');
  await keepsake.screenshot('agents-paused-dark');
  await keepsake.click(inCard('btn-agent-renew'));
  await keepsake.sees('agent-ask', 'stops working at once');
  await keepsake.click('btn-agent-ask');
  await keepsake.find('agent-token-dialog');
  const renewed = await keepsake.attribute('agent-token', 'value');
  assert.match(renewed, TOKEN);
  assert.notEqual(renewed, token);
  await keepsake.screenshot('agent-token-dark');
  await closeToken();
});

test('it is removed after a question', async () => {
  await keepsake.click(inCard('btn-agent-remove'));
  await keepsake.sees('agent-ask', 'Its token stops working at once.');
  assert.equal((await agents()).length, 1, 'nothing is removed before it is confirmed');
  await keepsake.click('btn-agent-ask');
  await keepsake.gone('agent-ask');
  await keepsake.until('it to be removed', async () => (await agents()).length === 0);
  await keepsake.gone(inCard('agent-access'));
});
