// A terminal agent that was used before is offered at the first start. Once it is followed, what it writes is in Keepsake within
// seconds, in the real window.

import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const said = (number, text) =>
  `${JSON.stringify({ type: 'user', uuid: `u-${number}`, sessionId: 's-1', cwd: '/work/garden', timestamp: `2026-03-02T10:00:0${number}Z`, message: { role: 'user', content: text } })}\n`;

/** A change is collected for a second before it is read. */
const SECONDS_MS = 15_000;

let keepsake;
let session;
const messages = async () => {
  const listed = (await keepsake.cli('conversations', '--json')).split('\n').filter(Boolean);
  return listed.reduce((sum, line) => sum + JSON.parse(line).messages, 0);
};

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const folder = join(home.home, '.claude/projects/-work-garden');
      await mkdir(folder, { recursive: true });
      session = join(folder, 's-1.jsonl');
      await writeFile(session, said(1, 'I live in Utrecht.'));
    },
  });
});
after(() => keepsake?.end());

test('a program that was used is offered, and nothing is read before a yes', async () => {
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees('follow-offer', 'Claude Code: 1 session found');
    await keepsake.screenshot(`follow-${theme}`);
  }
  assert.equal(await messages(), 0);
});

test('what it writes is there within seconds', async () => {
  await keepsake.click('btn-follow');
  await keepsake.until('the session so far', async () => (await messages()) === 1, { within_ms: SECONDS_MS });
  await appendFile(session, said(2, 'I work as a nurse.').slice(0, 40));
  await appendFile(session, said(2, 'I work as a nurse.').slice(40));
  await keepsake.until('the line that was added', async () => (await messages()) === 2, { within_ms: SECONDS_MS });
});
