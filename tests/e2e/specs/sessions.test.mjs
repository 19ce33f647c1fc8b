// Sessions in the real window: they stand there when a file was read, each field leads where it was said, the tiers are what the command
// line gives an agent, and what an agent may do is chosen here and seen there.

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const FILE = resolve(import.meta.dirname, '../../fixtures/sessions/agents.jsonl');

let keepsake;
const lines = async (...args) =>
  (await keepsake.cli(...args, '--json'))
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each));

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      await home.cli('import', FILE);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a session stands with its fields, and a line leads where it was said', async () => {
  assert.equal((await lines('summaries')).length, 3);
  await keepsake.click('nav-sessions');
  await keepsake.click({ css: '[data-testid="session-row"]', text: 'failing build' });
  await keepsake.sees('session-title', 'Can you fix the failing build of the parser?');
  await keepsake.sees('session-detail', 'Run the tests of the parser');
  await keepsake.screenshot('sessions-light');
  await keepsake.click({ css: '[data-testid="session-item"]', text: 'pin the OpenSSL version' });
  await keepsake.until('the line to be shown', () => keepsake.run('return document.body.textContent.includes("We decided to pin the OpenSSL version")'));
});

test('the tiers are what an agent is given, with their budget', async () => {
  await keepsake.click('nav-sessions');
  await keepsake.click('sessions-tab-tiers');
  const [told] = await lines('tiers');
  await keepsake.until('the shared tier', async () => {
    const shown = await keepsake.run('return [...document.querySelectorAll(\'[data-tier="shared"] [data-testid="tier-line"]\')].map((line) => line.textContent)');
    return told.tiers[0].text === shown.map((line) => `${line}\n`).join('');
  });
  await keepsake.screenshot('tiers-light');
  await keepsake.click('tiers-role-guest');
  await keepsake.until('a guest to be told nothing of it', () => keepsake.run('return document.querySelectorAll(\'[data-tier="shared"] [data-testid="tier-line"]\').length === 0'));
  await keepsake.click('tiers-role-own');
});

test('what an agent may do is chosen here, holds there, and is taken back', async () => {
  await keepsake.click('nav-sessions');
  await keepsake.click('sessions-tab-agents');
  const goals = { css: '[data-agent="Nova"] [data-testid="agent-goals"]' };
  const holds = async () => (await lines('agents')).find(({ name }) => name === 'Nova').holds_goals;
  await keepsake.click(goals);
  await keepsake.until('it to hold goals', holds);
  await keepsake.press('u');
  await keepsake.until('it to hold none', async () => !(await holds()));
  await keepsake.cli('context', '--agent', 'Nova');
  await keepsake.click('sessions-tab-sessions');
  await keepsake.click('sessions-tab-agents');
  await keepsake.sees('agent-read', 'Context');
  await keepsake.theme('dark');
  await keepsake.click('nav-sessions');
  await keepsake.screenshot('agents-dark');
  await keepsake.click('sessions-tab-tiers');
  await keepsake.find('tier-line');
  await keepsake.screenshot('tiers-dark');
  await keepsake.click('sessions-tab-sessions');
  await keepsake.find('session-row');
  await keepsake.screenshot('sessions-dark');
});
