// Connecting programs in the real window: Claude Code is connected, tried and disconnected, and its settings are the same to the byte
// afterwards. While the window is open, it answers the command line, and agents over HTTP once that is switched on.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';
import { freePort } from '../processes.mjs';

const FILE = resolve(import.meta.dirname, '../../fixtures/sessions/agents.jsonl');
const SETTINGS = '{\n  "mcpServers": { "other": { "command": "other" } }\n}\n';
const inRow = (id) => ({ css: `[data-program="claude-code"] [data-testid="${id}"]` });
const ROW = { css: '[data-program="claude-code"]' };

let keepsake;
const settings = () => readFile(join(keepsake.home, '.claude.json'), 'utf8');

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      await home.cli('import', FILE);
      await home.cli('run-jobs', '--until-idle');
    },
  });
  await mkdir(join(keepsake.home, '.claude'));
  await writeFile(join(keepsake.home, '.claude.json'), SETTINGS);
});
after(() => keepsake?.end());

test('a program is connected after its change was shown, tried, and disconnected to the byte', async () => {
  await keepsake.click('nav-settings');
  await keepsake.click(inRow('btn-connect-ask'));
  await keepsake.sees('connect-diff', 'mcpServers');
  await keepsake.screenshot('connect-light');
  assert.equal(await settings(), SETTINGS, 'it is only shown');
  const meanwhile = SETTINGS.replace('"other" }', '"another" }');
  await writeFile(join(keepsake.home, '.claude.json'), meanwhile);
  await keepsake.click('btn-connect-apply');
  await keepsake.sees('connect-dialog', 'have changed since these changes were shown');
  assert.equal(await settings(), meanwhile, 'what was not shown is not done');
  await keepsake.sees('connect-diff', 'another');
  await writeFile(join(keepsake.home, '.claude.json'), SETTINGS);
  await keepsake.click('btn-connect-apply');
  await keepsake.sees('connect-dialog', 'have changed since these changes were shown');
  await keepsake.sees('connect-diff', '"other" }');
  await keepsake.click('btn-connect-apply');
  await keepsake.sees(ROW, 'Connected');
  assert.match(await settings(), /"mcp"/);
  await keepsake.click(inRow('btn-connect-test'));
  await keepsake.sees(ROW, 'with 12 tools', { within_ms: 30_000 });
  await keepsake.screenshot('connect-tested-light');
  // An entry that another installation made.
  const connected = await settings();
  await writeFile(join(keepsake.home, '.claude.json'), connected.replace('"claude-code"', '"helper"'));
  await keepsake.click('nav-people');
  await keepsake.theme('dark');
  await keepsake.sees(ROW, 'Set up differently');
  await keepsake.click(inRow('btn-connect-update'));
  await keepsake.sees('connect-diff', 'helper');
  await keepsake.screenshot('connect-update-dark');
  await keepsake.click('btn-connect-apply');
  await keepsake.sees(ROW, 'Connected');
  assert.equal(await settings(), connected);
  await keepsake.click(inRow('btn-connect-ask'));
  await keepsake.sees('connect-diff', 'mcpServers');
  await keepsake.screenshot('disconnect-dark');
  await keepsake.click('btn-connect-apply');
  await keepsake.sees(ROW, 'Connect…');
  assert.equal(await settings(), SETTINGS);
});

test('the open window answers the command line through its socket', async () => {
  await keepsake.until('the socket is there', async () => existsSync(join(keepsake.dataDir, 'keepsake.sock')));
  const status = JSON.parse(await keepsake.cli('status', '--json'));
  assert.ok(status.counts.messages > 0);
});

test('agents are served over HTTP once that is switched on, at the port that was chosen', async () => {
  const port = await freePort();
  const { token } = JSON.parse(await keepsake.cli('agents', 'add', 'Porter', '--json'));
  const ask = () => fetch(`http://127.0.0.1:${port}/v1/context`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: '{}' });
  await assert.rejects(ask(), 'nothing listens before');
  await keepsake.fill('agent-server-port', String(port));
  await keepsake.press('Enter');
  await keepsake.click('agent-server');
  await keepsake.sees('panel', `http://127.0.0.1:${port}/mcp`);
  assert.equal((await ask()).status, 200);
  await keepsake.click('memory-router');
  await keepsake.sees('panel', 'It works once you have chosen a model');
  await keepsake.screenshot('agent-server-dark');
  await keepsake.click('memory-router');
  await keepsake.click('agent-server');
  await keepsake.until('nothing listens', async () => ask().then(() => false, () => true));
});
