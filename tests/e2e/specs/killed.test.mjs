// The window's program is killed while an agent writes through it: whatever was acknowledged is stored, once, and the agent goes on, with
// the window and without it.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { CLI, launch, modelDir } from '../keepsake.mjs';

const KILLS = 3;
// Answers before a kill, and the calls made while it happens and after it.
const BEFORE = 12;
const DURING = 4;
const AFTER = 6;

// The client is installed with the page's packages.
const installed = createRequire(resolve(import.meta.dirname, '../../../ui/package.json'));
const load = (path) => import(pathToFileURL(installed.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');

let keepsake;
let client;
let transport;
before(async () => {
  keepsake = await launch();
  // The page is there before the window answers other programs.
  await keepsake.until('the window to answer others', () => existsSync(join(keepsake.dataDir, 'keepsake.sock')));
  transport = new StdioClientTransport({
    command: CLI,
    args: ['mcp', '--agent', 'nova', '--data-dir', keepsake.dataDir],
    env: { PATH: process.env.PATH, HOME: keepsake.home, KEEPSAKE_MODEL_DIR: modelDir() },
  });
  client = new Client({ name: 'test', version: '0' }, { capabilities: {} });
  await client.connect(transport);
});
after(async () => {
  await client?.close();
  await keepsake?.end();
});

let said = 0;
const acknowledged = [];

/** Appends one message, which must be acknowledged as stored now or by a call whose answer was lost. */
async function append() {
  const id = String((said += 1));
  const messages = [{ id, role: 'user', text: `Line ${id} of the talk.` }];
  const { isError, structuredContent } = await client.callTool({ name: 'append', arguments: { conversation: 'talk', messages } });
  assert.ok(!isError && structuredContent.stored + structuredContent.known === 1, `${id}: ${JSON.stringify(structuredContent)}`);
  acknowledged.push(id);
}

/** Appends one after the other. */
async function appendMany(count) {
  for (let made = 0; made < count; made += 1) await append();
}

/** Whether the agent's own process has the database open. */
async function opensItself() {
  const open = `/proc/${transport.pid}/fd`;
  const files = await Promise.all((await readdir(open)).map((fd) => readlink(join(open, fd)).catch(() => '')));
  return files.some((file) => file === join(keepsake.dataDir, 'keepsake.db'));
}

/** Whether the window answers other programs. A killed one leaves its socket behind, which nobody answers. */
const answers = () =>
  new Promise((done) => {
    const socket = connect(join(keepsake.dataDir, 'keepsake.sock'));
    const end = (isOpen) => {
      socket.destroy();
      done(isOpen);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });

test('whatever the window acknowledged is stored once, however often it is killed', async () => {
  for (let round = 0; round < KILLS; round += 1) {
    await appendMany(BEFORE);
    assert.equal(await opensItself(), false, 'control: the window has the database, and the agent writes through it');
    await Promise.all([keepsake.kill(), ...Array.from({ length: DURING }, append)]);
    await appendMany(AFTER);
    assert.equal(await opensItself(), true, 'without the window the agent opens it itself');
    await keepsake.open();
    // The agent gives the database back before the window answers; a call in between would make it open the database again.
    await keepsake.until('the window to take the work over', async () => !(await opensItself()) && (await answers()));
  }
  const [talk, ...others] = (await keepsake.cli('conversations', '--json')).trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(others, []);
  assert.equal(acknowledged.length, KILLS * (BEFORE + DURING + AFTER));
  assert.equal(talk.messages, acknowledged.length, 'each is stored, and none twice');
  await keepsake.cli('verify');
});
