// `make bench`: how soon the real window can be used with a large store, and how long a key takes to show.
//
// 100,000 messages in 200 conversations, every tenth the owner's and most of those something to remember, so that Review has
// its thousands of candidates. All of it is invented here.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

import { launch } from '../keepsake.mjs';

const MESSAGES = 100_000;
const CONVERSATIONS = 200;
const KEY_PRESSES = 40;

const VERBS = ['love', 'enjoy', 'prefer', 'like', 'adore'];
const ADJECTIVES = 'quiet early dark spicy wooden foggy old handmade salty narrow sunny silver crooked warm empty green'.split(' ');
const THINGS = ('trains bakeries libraries mountains harbours gardens violins puzzles bridges markets lighthouses notebooks kites ' +
  'museums canals orchards staircases maps radios lanterns').split(' ');
const PLACES = 'Lisbon Oslo Kyoto Bergen Porto Quito Riga Ghent Tartu Cusco Hanoi Split Leeds Turin Basel Malmo'.split(' ');

function* messages() {
  const each = MESSAGES / CONVERSATIONS;
  for (let index = 0; index < MESSAGES; index += 1) {
    const conversation = Math.floor(index / each);
    const isOwner = index % 10 === 0;
    const pick = (list, step) => list[Math.floor(index / step) % list.length];
    const said = `I ${pick(VERBS, 10)} ${pick(ADJECTIVES, 50)} ${pick(THINGS, 800)} in ${pick(PLACES, 8_000)}.`;
    yield {
      conversation: `bench-${conversation}`,
      title: `Conversation ${conversation}`,
      channel_type: 'chat',
      channel_id: `bench-${conversation}`,
      id: `bench-${index}`,
      time: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
      author: isOwner ? 'Mara' : 'Nova',
      role: isOwner ? 'owner' : 'assistant',
      text: isOwner ? said : `Noted under number ${index}: the weather report, the timetable and the shopping list are attached.`,
    };
  }
}

async function prepare(keepsake) {
  const path = join(keepsake.home, 'bench.jsonl');
  const file = createWriteStream(path);
  for (const message of messages()) {
    if (!file.write(`${JSON.stringify(message)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  await timed(`import of ${MESSAGES} messages`, () => keepsake.cli('import', path, '--me', 'Mara'));
  await timed('built-in extraction and its queue', () => keepsake.cli('run-jobs', '--until-idle'));
}

async function timed(what, work) {
  const started = performance.now();
  await work();
  console.log(`window: ${what} took ${((performance.now() - started) / 1_000).toFixed(1)} s`);
}

/** In the page: from the key event to the frame after the one that shows its effect, measured by the page's own clock. */
const WATCH_KEYS = `
  window.keyTimes = [];
  addEventListener('keydown', (event) => {
    const pressed = event.timeStamp;
    requestAnimationFrame(() => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => window.keyTimes.push(performance.now() - pressed);
      painted.port2.postMessage(0);
    });
  }, true);`;

function summary(times_ms) {
  const sorted = times_ms.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  return `median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms`;
}

const keepsake = await launch({ prepare });
try {
  const starts = [keepsake.started_ms];
  for (let again = 0; again < 2; again += 1) {
    await keepsake.restart();
    starts.push(keepsake.started_ms);
  }
  console.log(`window: rendered after ${starts.map((ms) => ms.toFixed(0)).join(', ')} ms with ${MESSAGES} messages stored`);
  const { counts } = await keepsake.runAsync("return await window.__TAURI_INTERNALS__.invoke('rpc', { cmd: 'app_status', payload: {} })");
  await keepsake.find('review-row', { within_ms: 30_000 });
  await keepsake.run(WATCH_KEYS);
  for (const key of ['j', 'a']) {
    await keepsake.run('window.keyTimes.length = 0');
    for (let press = 0; press < KEY_PRESSES; press += 1) await keepsake.press(key);
    const times = await keepsake.until('keys to be painted', async () => {
      const all = await keepsake.run('return window.keyTimes');
      return all.length >= KEY_PRESSES && all;
    });
    console.log(`window: key ${key} to paint with ${counts.pending} candidates: ${summary(times)}`);
  }
} finally {
  await keepsake.end();
}
