// The audit in the real window: one button, counts with intervals, a finding that is acted on and undone.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const said = async (name, time, text, visibility) => {
        const file = join(home.home, `${name}.jsonl`);
        await writeFile(file, JSON.stringify({ conversation: name, title: name, channel_type: 'chat', channel_id: name, visibility, id: 1, time, author: 'Mara', role: 'owner', text }));
        await home.cli('import', file);
        await home.cli('run-jobs', '--until-idle');
      };
      // Fewer people may see the newer one, so that the older one stays in use when both are approved.
      await said('then', '2026-03-02T10:00:00Z', 'I live in Utrecht.', 'public');
      await said('now', '2026-05-02T10:00:00Z', 'I live in Rotterdam.', 'private');
      await home.cli('approve', ...lines(await home.cli('memories', '--json')).map(({ id }) => id));
    },
  });
});
after(() => keepsake?.end());

const inUse = async () => lines(await keepsake.cli('memories', '--status', 'active', '--json')).map(({ content }) => content).toSorted();

test('one button looks through the memories and says how many are at fault', async () => {
  await keepsake.click('nav-activity');
  await keepsake.click('activity-audit');
  await keepsake.click('btn-audit-run');
  await keepsake.sees('audit-looked', 'All 2 memories were checked', { within_ms: 30_000 });
  await keepsake.sees('audit-shares', 'Contradictions');
  await keepsake.sees('audit-finding', 'Both cannot be true at the same time.');
  await keepsake.screenshot('audit-light');
});

test('a finding is acted on by its button, and undo takes it back', async () => {
  await keepsake.click('btn-audit-act');
  await keepsake.sees('audit-finding', 'Done');
  await keepsake.until('only the newer one in use', async () => (await inUse()).join() === 'User: “I live in Rotterdam”');
  await keepsake.click('btn-undo');
  await keepsake.until('both in use again', async () => (await inUse()).length === 2);
  assert.deepEqual(await inUse(), ['User: “I live in Rotterdam”', 'User: “I live in Utrecht”']);
});

test('the same in the dark theme', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-activity');
  await keepsake.click('activity-audit');
  await keepsake.click('btn-audit-run');
  await keepsake.find('audit-finding');
  await keepsake.screenshot('audit-dark');
});
