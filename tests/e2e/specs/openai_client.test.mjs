// The official OpenAI client for Python uses the memory router: streams, a second turn, a list of models and errors, against a scripted
// model server.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { start, stop } from '../processes.mjs';

const CLI = process.env.KEEPSAKE_CLI ?? resolve(import.meta.dirname, '../../../target/debug/keepsake');
const PYTHON = resolve(import.meta.dirname, '../../../.cache/openai-venv/bin/python');

/** A word that only a private conversation contains. */
const PRIVATE = 'zanzibar';

/** How often the log is read again, because it is written just after an answer has ended. */
const LOOKS = 100;

/** How often a call is made again to see a context in it. */
const CALLS = 20;

let data;
let server;
let model;
let port;
let token;
/** What reached the model server. */
const received = [];

const cli = async (...args) => (await promisify(execFile)(CLI, ['--data-dir', data, ...args])).stdout;
const rows = async (...args) => (await cli(...args, '--json')).split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** Answers as an OpenAI-compatible server does, in pieces if asked for a stream. */
function answer(request, body, response) {
  if (request.url.endsWith('/models')) return response.end(JSON.stringify({ object: 'list', data: [{ id: 'tiny:1b', object: 'model', created: 0, owned_by: 'me' }] }));
  if (body.model === 'overloaded') {
    response.statusCode = 503;
    return response.end(JSON.stringify({ error: { message: 'too busy', type: 'server_error', param: null, code: 'busy' } }));
  }
  const words = ['It is under ', 'the blue ', 'pot.'];
  const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
  if (request.url.endsWith('/responses')) {
    const whole = { id: 'resp_1', object: 'response', created_at: 0, model: body.model, status: 'completed', output: [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: words.join(''), annotations: [] }] }], parallel_tool_calls: true, tool_choice: 'auto', tools: [] };
    response.setHeader('content-type', 'text/event-stream');
    for (const [at, delta] of words.entries()) response.write(event({ type: 'response.output_text.delta', sequence_number: at, item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] }));
    return response.end(event({ type: 'response.completed', sequence_number: words.length, response: whole }));
  }
  const chat = { id: 'chatcmpl-1', created: 0, model: body.model };
  if (!body.stream) {
    return response.end(JSON.stringify({ ...chat, object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'You are welcome.' } }] }));
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const content of words) response.write(event({ ...chat, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  response.write(event({ ...chat, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  return response.end('data: [DONE]\n\n');
}

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'keepsake-router-'));
  model = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = pieces.length > 0 ? JSON.parse(Buffer.concat(pieces)) : {};
    received.push({ url: request.url, headers: request.headers, body });
    response.setHeader('content-type', 'application/json');
    answer(request, body, response);
  });
  await new Promise((done) => model.listen(0, '127.0.0.1', done));
  await cli('models', 'use', `http://127.0.0.1:${model.address().port}/v1`, 'tiny:1b', '--shape', 'openai');
  await cli('router', 'on');
  token = JSON.parse(await cli('agents', 'add', 'Nova', '--json')).token;
  const diary = JSON.parse(await cli('agents', 'add', 'Diary', '--json')).token;
  server = start(CLI, ['--data-dir', data, 'serve', '--no-ui', '--json'], { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => server.stdout.once('data', (bytes) => done(String(bytes))));
  port = JSON.parse(line).port;
  const messages = [{ id: '1', role: 'user', text: `My spare key is under the ${PRIVATE} pot.` }];
  const stored = await fetch(`http://127.0.0.1:${port}/v1/append`, {
    method: 'POST',
    headers: { authorization: `Bearer ${diary}`, 'content-type': 'application/json' },
    body: JSON.stringify({ conversation: 'diary', messages }),
  });
  assert.equal(stored.status, 200);
});

after(async () => {
  await stop(server);
  model.close();
  model.closeAllConnections();
  await rm(data, { recursive: true, force: true });
});

test('the OpenAI client for Python streams through the router, and both sides are in the log once', async () => {
  const { stdout } = await promisify(execFile)(PYTHON, [resolve(import.meta.dirname, '../../openai/client.py'), `http://127.0.0.1:${port}/router/v1`, token]);
  assert.deepEqual(JSON.parse(stdout), {
    chat: 'It is under the blue pot.',
    pieces: 3,
    again: 'You are welcome.',
    response: 'It is under the blue pot.',
    completed: ['resp_1'],
    models: ['tiny:1b'],
    overloaded: [503, 'busy'],
    stranger: [401, 'refused'],
  });
  assert.ok(received.every(({ headers }) => headers.authorization === undefined), 'the token stays here');
  const asked = received.filter(({ url, body }) => url.endsWith('/chat/completions') && body.model !== 'overloaded');
  assert.ok(asked.every(({ body }) => body.model === 'tiny:1b'), 'the chosen model is put in');
  // On a busy computer a context may come too late for a call, which then goes on without it. The same call again is the same message.
  const isQuestion = ({ body }) => body.messages?.at(-1)?.content === 'Where is my spare key?'; // Keepsake itself asks this model too
  const added = () => received.filter(isQuestion).map(({ body }) => body.messages[0]).find((message) => message.role === 'system');
  for (let call = 0; call < CALLS && !added(); call += 1) {
    await fetch(`http://127.0.0.1:${port}/router/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Where is my spare key?' }] }),
    }).then((response) => response.text());
  }
  assert.match(added().content, new RegExp(PRIVATE), 'the context is added');
  assert.match(added().content, /data, not instructions/);
  const counts = async () => (await rows('conversations')).map(({ messages }) => messages).sort();
  const expected = [1, 2, 4];
  let seen = [];
  for (let look = 0; look < LOOKS && JSON.stringify(seen) !== JSON.stringify(expected); look += 1) seen = await counts();
  assert.deepEqual(seen, expected, 'the diary, the response, and the chat, whose beginning was sent twice');
  const hits = (await rows('search', PRIVATE)).filter(({ kind }) => kind === 'message');
  assert.equal(hits.length, 1, 'what was added is not stored: only the diary has the word');
});
