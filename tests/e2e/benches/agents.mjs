// `make bench`: ten agents append and ask at once while the queue works on what they append, and a hook of a terminal agent runs
// at each prompt. The store holds 100,000 messages. Every acknowledged message has to be stored, once.
//
// A minute by default; SECONDS=600 is the length that the limits are written for. Each agent pauses between two turns, as one that
// waits for its model does. All of the text is invented here.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';

import { start, stop } from '../processes.mjs';

const CLI = process.env.KEEPSAKE_CLI ?? resolve(import.meta.dirname, '../../../target/release/keepsake');
const SECONDS = Number(process.env.SECONDS ?? 60);
const MESSAGES = Number(process.env.MESSAGES ?? 100_000);
const AGENTS = 10;
const CONVERSATIONS = 200;
/** Between two turns of an agent. A model answers no faster. */
const PAUSE_MS = Number(process.env.PAUSE_MS ?? 1_000);
/** Hooks are programs of their own, so fewer are run. */
const HOOKS = 40;
/** How long the store may take to read what was imported, before anything is measured. */
const SETTLED_MAX_MS = 20 * 60_000;

const PLACES = 'Lisbon Oslo Kyoto Bergen Porto Quito Riga Ghent Tartu Cusco Hanoi Split Leeds Turin Basel Malmo'.split(' ');
const THINGS = 'trains bakeries libraries mountains harbours gardens violins puzzles bridges markets lighthouses notebooks'.split(' ');
const pick = (list, n) => list[n % list.length];
const line = (n) => `Note ${n}: the ${pick(THINGS, n)} of ${pick(PLACES, Math.floor(n / 12))} open at ${7 + (n % 5)} and close when it gets dark.`;

const data = await mkdtemp(join(tmpdir(), 'keepsake-agents-'));
const cli = async (...args) => (await promisify(execFile)(CLI, ['--data-dir', data, ...args], { maxBuffer: 1 << 28 })).stdout;
const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const figures = (values) => `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms (${values.length})`;

const file = join(data, 'import.jsonl');
const out = createWriteStream(file);
for (let n = 0; n < MESSAGES; n += 1) {
  const conversation = `c${n % CONVERSATIONS}`;
  const row = { conversation, channel_type: 'chat', channel_id: conversation, id: `m${n}`, time: new Date(1_700_000_000_000 + n * 60_000).toISOString(), author: n % 9 ? 'Ana' : 'Mara', role: n % 9 ? 'person' : 'owner', text: line(n) };
  if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain');
}
out.end();
await once(out, 'finish');

const tokens = [];
for (let n = 0; n < AGENTS; n += 1) tokens.push(JSON.parse(await cli('agents', 'add', `agent${n}`, '--json')).token);
const server = start(CLI, ['--data-dir', data, 'serve', '--no-ui', '--json'], { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
const { port, token } = JSON.parse(String(await new Promise((done) => server.stdout.once('data', done))));
const sockets = new Agent({ keepAlive: true, maxSockets: 2 * AGENTS });

function post(path, key, body) {
  return new Promise((done, failed) => {
    const text = JSON.stringify(body);
    const asked = request({ agent: sockets, host: '127.0.0.1', port, path, method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } }, (answer) => {
      let got = '';
      answer.on('data', (part) => (got += part));
      answer.on('end', () => (answer.statusCode === 200 ? done(JSON.parse(got)) : failed(new Error(`${path}: ${answer.statusCode} ${got}`))));
    });
    asked.on('error', failed);
    asked.end(text);
  });
}

try {
  // What was imported is not read by the models: this is a store that has long been read.
  const settings = await post('/rpc', token, { cmd: 'settings_get', payload: {} });
  await post('/rpc', token, { cmd: 'settings_set', payload: { ...settings, extract_on_import: false } });
  await cli('import', file);
  const began = Date.now();
  for (;;) {
    const { counts } = await post('/rpc', token, { cmd: 'app_status', payload: {} });
    if (counts.messages >= MESSAGES && counts.jobs === 0) break;
    assert.ok(Date.now() - began < SETTLED_MAX_MS, `still ${counts.jobs} jobs`);
    await new Promise((done) => setTimeout(done, 2_000));
  }
  await post('/rpc', token, { cmd: 'settings_set', payload: settings });
  console.log(`${MESSAGES} messages settled in ${((Date.now() - began) / 1000).toFixed(0)} s; ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`);

  const times = { append: [], context: [] };
  let acknowledged = 0;
  const timed = async (kind, path, key, body) => {
    const from = performance.now();
    const answer = await post(path, key, body);
    times[kind].push(performance.now() - from);
    return answer;
  };
  const until = Date.now() + SECONDS * 1000;
  const live = tokens.map(async (key, agent) => {
    for (let turn = 0; Date.now() < until; turn += 1) {
      const n = agent * 100_003 + turn * 7;
      const messages = [
        { id: `u${turn}`, role: 'user', text: `In ${pick(PLACES, n)} I would like to see the ${pick(THINGS, n)} once more, number ${n}.` },
        { id: `a${turn}`, role: 'assistant', text: `Noted: the ${pick(THINGS, n)} of ${pick(PLACES, n)}.` },
      ];
      const { stored } = await timed('append', '/v1/append', key, { conversation: `talk-${Math.floor(turn / 20)}`, messages });
      acknowledged += stored;
      await timed('context', '/v1/context', key, { task: `When do the ${pick(THINGS, n + 1)} of ${pick(PLACES, n + 3)} open?` });
      await new Promise((done) => setTimeout(done, PAUSE_MS * (0.5 + ((n % 10) / 10))));
    }
  });
  const hooks = [];
  for (let n = 0; n < HOOKS && Date.now() < until; n += 1) {
    const from = performance.now();
    const hook = execFile(CLI, ['--data-dir', data, 'hook', 'claude-code', 'user-prompt-submit', '--agent', 'claude-code']);
    hook.stdin.end(JSON.stringify({ session_id: 's', prompt: `What is there to see in ${pick(PLACES, n)}?` }));
    await once(hook, 'exit');
    hooks.push(performance.now() - from);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  await Promise.all(live);
  console.log(`append   ${figures(times.append)}`);
  console.log(`context  ${figures(times.context)}`);
  console.log(`hook     ${figures(hooks)}`);
  const { counts } = await post('/rpc', token, { cmd: 'app_status', payload: {} });
  console.log(`${acknowledged} messages acknowledged, ${counts.messages - MESSAGES} stored; load ${loadavg()[0].toFixed(1)}`);
  assert.equal(counts.messages - MESSAGES, acknowledged);
} finally {
  sockets.destroy();
  await stop(server);
  await rm(data, { recursive: true, force: true });
}
