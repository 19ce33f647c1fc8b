// The channels of an import in the real window: each is private until the person opens it, the choice is there with the first
// message, and what is known already is shown and not changed.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const line = (conversation, channel, id, author, role) =>
  JSON.stringify({ conversation, channel_type: 'slack', channel_id: channel, title: `#${channel}`, id, time: '2026-03-01T09:00:00Z', author, role, text: `The marzipan of ${id} is in the oven.` });
const FIRST = [line('c1', 'general', 'm1', 'Bo Okoro', 'owner'), line('c1', 'general', 'm2', 'Rui Costa', 'person'), line('c2', 'board', 'm3', 'Bo Okoro', 'owner')];
const MORE = [line('c3', 'board', 'm4', 'Rui Costa', 'person'), line('c4', 'late', 'm5', 'Bo Okoro', 'owner')];

let keepsake;
const lines = (text) => text.split('\n').filter(Boolean).map((each) => JSON.parse(each));
const channels = async () => Object.fromEntries(lines(await keepsake.cli('channels', '--json')).map((each) => [each.channel_id, each.visibility]));
const row = (channel) => `[data-testid="source-channel"][data-channel="slack:${channel}"]`;

const drop = async (name, messages) => {
  const file = join(keepsake.home, name);
  await writeFile(file, messages.join('\n'));
  await keepsake.click('nav-sources');
  await keepsake.find('dropzone');
  await keepsake.drop(file);
  await keepsake.find('source-channels', { within_ms: 20_000 });
};

/** A list of choices opens outside the page, where a test cannot reach. */
const choose = (channel, visibility) =>
  keepsake.run(
    `const select = document.querySelector(arguments[0] + ' select');
     Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, arguments[1]);
     select.dispatchEvent(new Event('change', { bubbles: true }));`,
    row(channel),
    visibility,
  );

before(async () => {
  keepsake = await launch();
});
after(() => keepsake?.end());

test('new channels are private until one is opened, and are stored as the card says', async () => {
  await drop('export.jsonl', FIRST);
  await keepsake.sees('source-channels', '2 new channels, all private');
  await choose('general', 'public');
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees('source-channels', '2 new channels, 1 public');
    assert.equal(await keepsake.attribute({ css: row('general') }, 'data-visibility'), 'public');
    await keepsake.screenshot(`import-channels-${theme}`);
  }
  await keepsake.click('btn-import');
  await keepsake.until('both channels', async () => Object.keys(await channels()).length === 2);
  assert.deepEqual(await channels(), { general: 'public', board: 'private' });
});

test('a known channel is shown as it is, and stays so', async () => {
  await drop('more.jsonl', MORE);
  await keepsake.sees('source-channels', '1 new channel, private; 1 known channel, unchanged');
  await keepsake.sees({ css: row('board') }, 'Already known, unchanged');
  assert.equal(await keepsake.run(`return document.querySelector(arguments[0] + ' select') === null`, row('board')), true);
  await choose('late', 'public');
  await keepsake.screenshot('import-channels-known-light');
  await keepsake.click('btn-import');
  await keepsake.until('the new channel', async () => Object.keys(await channels()).length === 3);
  assert.deepEqual(await channels(), { general: 'public', board: 'private', late: 'public' });
});
