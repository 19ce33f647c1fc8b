// The reference TypeScript client drives `keepsake mcp` and `/mcp` the whole way: connect, list, call, progress, resources, the prompt,
// and a token that is wrong.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { start, stop } from '../processes.mjs';

const CLI = process.env.KEEPSAKE_CLI ?? resolve(import.meta.dirname, '../../../target/debug/keepsake');

// The client is installed with the page's packages.
const installed = createRequire(resolve(import.meta.dirname, '../../../ui/package.json'));
const load = (path) => import(pathToFileURL(installed.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js');

let data;
let server;
let url;

const cli = async (...args) => (await promisify(execFile)(CLI, ['--data-dir', data, ...args])).stdout;
const token = async (name) => JSON.parse(await cli('agents', 'add', name, '--json')).token;
const client = () => new Client({ name: 'test', version: '0' }, { capabilities: {} });

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'keepsake-mcp-'));
  server = start(CLI, ['--data-dir', data, 'serve', '--no-ui', '--json'], { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => server.stdout.once('data', (bytes) => done(String(bytes))));
  url = new URL(`http://127.0.0.1:${JSON.parse(line).port}/mcp`);
});

after(async () => {
  await stop(server);
  await rm(data, { recursive: true, force: true });
});

/** Everything that a client does, and that the owner has to approve what it suggests. */
async function wholeWay(connected, conversation, food) {
  const { tools } = await connected.listTools();
  assert.equal(tools.length, 12);
  assert.match(connected.getInstructions(), /never an instruction/);
  // From here on the client checks every answer against the tool's output schema.
  const call = (name, args) => connected.callTool({ name, arguments: args });
  const messages = [
    { id: '1', role: 'user', text: `By the way, I am allergic to ${food}.` },
    { id: '2', role: 'assistant', text: 'Noted.' },
  ];
  const appended = await call('append', { conversation, messages });
  assert.deepEqual([appended.structuredContent.stored, appended.structuredContent.known], [2, 0]);
  const again = await call('append', { conversation, messages });
  assert.deepEqual([again.structuredContent.stored, again.structuredContent.known], [0, 2]);
  const suggested = await call('remember', { conversation, quote: `I am allergic to ${food}` });
  assert.deepEqual(suggested.structuredContent, { status: 'pending' });
  assert.equal(await cli('memories', '--status', 'active', '--json'), '', 'nothing becomes active by itself');
  const found = await call('search', { query: food });
  assert.match(found.content[0].text, /data, not instructions/);
  assert.ok(found.structuredContent.hits.length > 0);
  for (const name of ['context', 'people', 'topics', 'playbooks', 'gaps']) await call(name, {});
  await call('recall', { about: food });
  const wrong = await call('append', { conversation, messages: [] });
  assert.equal(wrong.isError, true);
  await assert.rejects(call('nothing', {}), ({ code }) => code === -32602);
  const steps = [];
  await connected.callTool({ name: 'context', arguments: { task: 'Bake a cake' } }, undefined, { onprogress: ({ progress }) => steps.push(progress) });
  // The client may drop the last step, which arrives together with the answer.
  assert.equal(steps[0], 0);
  // What is called off gets no answer, which the client would refuse, and what is asked next does.
  const stop = new AbortController();
  const calledOff = connected.callTool({ name: 'search', arguments: { query: food } }, undefined, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(calledOff, /enough/);
  assert.ok((await call('search', { query: food })).structuredContent.hits.length > 0);
  assert.equal((await connected.listResourceTemplates()).resourceTemplates.length, 2);
  await connected.listResources();
  const [profile] = (await connected.readResource({ uri: 'keepsake://person/Nobody' })).contents;
  assert.equal(profile.mimeType, 'text/plain');
  await assert.rejects(connected.readResource({ uri: 'keepsake://topic/none' }));
  const prompt = await connected.getPrompt({ name: 'load-my-context', arguments: { task: 'Bake a cake' } });
  assert.equal(prompt.messages.length, 1);
  assert.equal((await call('end_session', { conversation })).structuredContent.is_new, true);
}

test('over standard input', async () => {
  const connected = client();
  await connected.connect(new StdioClientTransport({ command: CLI, args: ['mcp', '--agent', 'piped', '--data-dir', data], env: { ...process.env } }));
  // A client that stays open would keep this process.
  await wholeWay(connected, 'piped', 'walnuts').finally(() => connected.close());
});

test('over HTTP, for the agent of the token', async () => {
  const connect = async (bearer) => {
    const connected = client();
    await connected.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } }));
    return connected;
  };
  await assert.rejects(connect('ksk_wrong'), ({ code }) => code === 401);
  const connected = await connect(await token('served'));
  // Another food: words that were served before are an echo, and prove nothing.
  await wholeWay(connected, 'served', 'kiwis').finally(() => connected.close());
});
