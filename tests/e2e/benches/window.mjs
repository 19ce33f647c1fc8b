// `make bench`: how soon the real window can be used with a large store, and how long a key takes to show.
//
// 100,000 messages in 200 conversations, every ninth the owner's and each of those something to remember that nothing else
// says, so that Review has its ten thousand candidates. All of it is invented here.
//
// A time depends on the machine and on what else it does. So the load is printed beside each figure, and a key whose handler
// changes one word is measured in the same window: what is above that floor is the page's own.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { WITH_OPENGL, launch } from '../keepsake.mjs';

const MESSAGES = 100_000;
const CONVERSATIONS = 200;
/** Fewer are another case than the one that is measured. */
const CANDIDATES_MIN = 10_000;
/** One in so many messages is the owner's: somewhat more than are needed, for what the rules hold back. */
const OWNER_EVERY = 9;
const KEY_PRESSES = 60;
/**
 * As fast as X repeats a key that is held. Pressed without a pause, as the driver can, several presses share a frame and what is
 * measured is how long they queue; that is printed as well.
 */
const HELD_KEY_MS = 40;

/** Starts that are measured, each on the data of the one before. */
const STARTS = 3;

/** Frames of a list that scrolls by a screen each. */
const SCROLL_FRAMES = 90;
/** How long the page is watched after a series of decisions: longer than it waits before it asks for the whole list again. */
const WATCHED_MS = 6_000;
/** By then notices have gone, scroll bars have faded and the list was asked again: a window that nobody touches is at rest. */
const REST_MS = 12_000;
/** How long the window is left alone to see what it does by itself. */
const IDLE_MS = 20_000;

const ADJECTIVES = 'quiet early dark spicy wooden foggy old handmade salty narrow sunny silver crooked warm empty green'.split(' ');
const THINGS = ('trains bakeries libraries mountains harbours gardens violins puzzles bridges markets lighthouses notebooks kites ' +
  'museums canals orchards staircases maps radios lanterns').split(' ');
const PLACES = 'Lisbon Oslo Kyoto Bergen Porto Quito Riga Ghent Tartu Cusco Hanoi Split Leeds Turin Basel Malmo'.split(' ');
const KIN = 'sister brother aunt uncle cousin mother father grandmother'.split(' ');

/** The owner's n-th statement. Its number is its own, so that no two say the same. */
function statement(n) {
  const pick = (list, step) => list[Math.floor(n / step) % list.length];
  const place = pick(PLACES, 3);
  const object = `${pick(ADJECTIVES, 1)} ${pick(THINGS, 16)}`;
  const number = 2_100 + n;
  return [
    `I love the ${object} of route ${number} in ${place}.`,
    `My ${pick(KIN, 4)} lives in house ${number} near the ${object} in ${place}.`,
    `I collect ${object} of series ${number} from ${place}.`,
    `I work on project ${number} about ${object} in ${place}.`,
  ][n % 4];
}

function* messages() {
  const each = MESSAGES / CONVERSATIONS;
  for (let index = 0; index < MESSAGES; index += 1) {
    const conversation = Math.floor(index / each);
    const isOwner = index % OWNER_EVERY === 0;
    yield {
      conversation: `bench-${conversation}`,
      title: `Conversation ${conversation}`,
      channel_type: 'chat',
      channel_id: `bench-${conversation}`,
      id: `bench-${index}`,
      time: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
      author: isOwner ? 'Mara' : 'Nova',
      role: isOwner ? 'owner' : 'assistant',
      text: isOwner ? statement(index / OWNER_EVERY) : `Noted under number ${index}: the weather report, the timetable and the shopping list are attached.`,
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
  const pending = (await keepsake.cli('memories', '--status', 'pending', '--json')).split('\n').filter(Boolean).length;
  assert.ok(pending >= CANDIDATES_MIN, `only ${pending} of ${CANDIDATES_MIN} candidates arrived: Review would be measured with a short queue`);
  return pending;
}

const load = () => `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`;

async function timed(what, work) {
  const started = performance.now();
  await work();
  console.log(`window: ${what} took ${((performance.now() - started) / 1_000).toFixed(1)} s (${load()})`);
}

/**
 * In the page: from the key event to the task after the frame that shows its effect, by the page's own clock. A timer and no
 * message: WebKit leads those through another process, and what the page does after the frame comes before them. `FLOOR_KEY`
 * has no action; its handler changes one word, which no renderer can do for less.
 */
const FLOOR_KEY = '9';
const KEYS = { [FLOOR_KEY]: 'one word changed, the floor', j: 'next', k: 'previous', a: 'approve' };
const WATCH_KEYS = `
  window.keyTimes = [];
  window.keyPressed = [];
  const word = document.createElement('output');
  word.style.cssText = 'position:fixed;inset:auto 0 0 auto;width:40px;height:16px;contain:strict';
  document.body.append(word);
  addEventListener('keydown', (event) => {
    const pressed = event.timeStamp;
    if (event.key === '${FLOOR_KEY}') word.textContent = String(pressed);
    requestAnimationFrame(() => setTimeout(() => {
      window.keyTimes.push(performance.now() - pressed);
      window.keyPressed.push(performance.timeOrigin + pressed);
    }));
  }, true);`;

/** In the page: where a key shows, the word or the beginning of the statement, so far as no two of them are the same. */
const SHOWN = `
  const { left, top, width } = document.querySelector(arguments[0] === '${FLOOR_KEY}' ? 'output' : '[data-testid="review-statement"]').getBoundingClientRect();
  return { left, top: top + 5, width: Math.min(width, 360), height: 10 };`;
/** Until the screen is watched, ms. */
const WATCHING_MS = 500;

/**
 * From the key event to the change on the screen itself. Only where each press has a change of its own; where several share a
 * frame nobody can say which of them it shows.
 */
function onScreen(pressed, changed) {
  if (changed.length !== pressed.length) return `on the screen ${changed.length} changes`;
  return `on the screen ${summary(pressed.map((at, nth) => changed[nth] - at))}`;
}

/** In the page: the gaps between frames while the list scrolls by a screen a frame, and while nothing happens. */
const SCROLL = `
  const list = document.querySelector('[data-testid="review-list"]');
  const gaps = [];
  await new Promise((resolve) => {
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      list.scrollTop += list.clientHeight;
      if (gaps.length < ${SCROLL_FRAMES}) requestAnimationFrame(step);
      else resolve();
    };
    requestAnimationFrame(step);
  });
  return gaps.slice(1);`;
const WATCH_PAUSES = `
  const until = performance.now() + ${WATCHED_MS};
  const gaps = [];
  await new Promise((resolve) => {
    let last = performance.now();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (now < until) setTimeout(() => channel.port2.postMessage(0), 4);
      else resolve();
    };
    channel.port2.postMessage(0);
  });
  return Math.max(...gaps);`;

async function opened(keepsake) {
  await keepsake.until('the first candidate', () => keepsake.run('return document.querySelector(\'[data-testid="review-row"]\') !== null'), { within_ms: 30_000, every_ms: 20 });
  return { rendered_ms: keepsake.started_ms, usable_ms: performance.now() - keepsake.started_at };
}

function summary(times_ms) {
  const sorted = times_ms.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  return `median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms`;
}

let pending = 0;
/** As this computer suits it, unless it is asked for. */
const env = { [WITH_OPENGL]: process.env[WITH_OPENGL] ?? '0' };
console.log(`window: ${WITH_OPENGL}=${env[WITH_OPENGL]}`);
const keepsake = await launch({ env, prepare: async (opened) => void (pending = await prepare(opened)) });
try {
  // The virtual screen is new as well: for the first window on it the display's server sets up its own drawing, which on a desktop it
  // did long before.
  const first = await opened(keepsake);
  console.log(`window: on a screen that was just made, rendered after ${first.rendered_ms.toFixed(0)} ms, first candidates after ${first.usable_ms.toFixed(0)} ms (${load()})`);
  const starts = [];
  for (let again = 0; again < STARTS; again += 1) {
    await keepsake.restart();
    starts.push(await opened(keepsake));
  }
  const list = (name) => starts.map((start) => start[name].toFixed(0)).join(', ');
  console.log(`window: rendered after ${list('rendered_ms')} ms, first candidates after ${list('usable_ms')} ms, with ${MESSAGES} messages stored (${load()})`);
  await keepsake.run(WATCH_KEYS);
  // In the first seconds the local model is loaded and the other panels' code is fetched; the same keys then, and at rest.
  for (const [wait_ms, pause_ms, how, keys] of [
    [0, HELD_KEY_MS, 'held right after the start', ['j']],
    [REST_MS, HELD_KEY_MS, 'held', Object.keys(KEYS)],
    [0, 0, 'without a pause', Object.keys(KEYS)],
  ]) {
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
    for (const key of keys) {
      const what = KEYS[key];
      await keepsake.run('window.keyTimes.length = 0; window.keyPressed.length = 0');
      const changes = await keepsake.watchScreen(await keepsake.run(SHOWN, key));
      await new Promise((resolve) => setTimeout(resolve, WATCHING_MS));
      for (let press = 0; press < KEY_PRESSES; press += 1) {
        const next = performance.now() + pause_ms;
        await keepsake.press(key);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
      }
      const times = await keepsake.until('keys to be painted', async () => {
        const all = await keepsake.run('return window.keyTimes');
        return all.length >= KEY_PRESSES && all;
      });
      await new Promise((resolve) => setTimeout(resolve, WATCHING_MS));
      const screen = onScreen(await keepsake.run('return window.keyPressed'), await changes());
      console.log(`window: key ${key} (${what}), ${how}, to paint with ${pending} candidates: ${summary(times)}; ${screen} (${load()})`);
    }
  }
  const pause_ms = await keepsake.runAsync(WATCH_PAUSES);
  console.log(`window: longest pause of the page in ${WATCHED_MS / 1_000} s after the last decision, the list asked again: ${pause_ms.toFixed(0)} ms (${load()})`);
  console.log(`window: frames of the list scrolled by a screen each: ${summary(await keepsake.runAsync(SCROLL))} (${load()})`);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const used_ms = await keepsake.cpu_ms();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = (await keepsake.cpu_ms()) - used_ms;
  console.log(`window: ${((100 * idle) / IDLE_MS).toFixed(1)} % of a core while nothing happens, over ${IDLE_MS / 1_000} s (${load()})`);
} finally {
  await keepsake.end();
}
