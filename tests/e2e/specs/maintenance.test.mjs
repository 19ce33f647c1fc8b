// The nightly cycle in the real window: begun by hand, worked by the window's own queue, told of in a digest, and a parked candidate back
// in Review.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

let keepsake;
const json = async (...args) => JSON.parse(await keepsake.cli(...args, '--json'));

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const file = join(home.home, 'chat.jsonl');
      const line = (id, author, role, text) => JSON.stringify({ conversation: 'chat', title: 'Lunch', channel_type: 'chat', channel_id: 'chat', id, time: `2026-03-02T10:0${id}:00Z`, author, role, text });
      await writeFile(file, [line(1, 'Mara', 'owner', "I'm allergic to peanuts."), line(2, 'Nova', 'assistant', 'I will keep that in mind.')].join('\n'));
      await home.cli('import', file);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a cycle is begun, worked and told of', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('activity-night');
  await keepsake.sees('night', 'No overnight run yet');
  await keepsake.click('btn-night-start');
  await keepsake.sees('night-digest', '2 messages', { within_ms: 60_000 });
  await keepsake.sees('night-digest', '1 proposal to review');
  await keepsake.screenshot('maintenance-light');
  const digest = await json('digest');
  assert.deepEqual([digest.new.messages, digest.waiting.review], [2, 1], 'the command line tells the same');
});

test('when it runs is chosen and holds', async () => {
  await keepsake.fill('night-days', '30');
  await keepsake.press('Enter');
  await keepsake.click('night-automatic');
  await keepsake.until('it to be switched off', () => keepsake.run(`return document.querySelector('[data-testid="night-hour"]').disabled`));
  await keepsake.click('night-automatic');
  await keepsake.click('activity-jobs');
  await keepsake.click('activity-night');
  await keepsake.until('the days to be kept', () => keepsake.run(`return document.querySelector('[data-testid="night-days"]').value === '30'`));
});

test('the same in the dark theme and in a small window', async () => {
  await keepsake.theme('dark');
  await keepsake.resize(960, 600);
  await keepsake.click('nav-activity');
  await keepsake.find('night-digest');
  await keepsake.screenshot('maintenance-dark-small');
});
