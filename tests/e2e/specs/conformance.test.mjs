// The conformance suite of the Model Context Protocol against Keepsake's own `/mcp`, for every revision that Keepsake claims.
//
// The suite is written for a server with tools, resources and prompts of the suite's own (`test_simple_text`, `slow_compute`, …). A
// server with its own tools cannot pass the checks that need these, nor those for what it does not offer: log levels, subscriptions
// and the extension for tasks, all optional. They are listed in `tests/conformance/fixtures.json`. Every other check must succeed,
// and a listed one that succeeds fails the test, so that the list stays true.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { startProxy } from '../../conformance/proxy.mjs';
import { start, stop } from '../processes.mjs';

const CLI = process.env.KEEPSAKE_CLI ?? resolve(import.meta.dirname, '../../../target/debug/keepsake');
const SUITE = resolve(import.meta.dirname, '../../conformance');
const FIXTURES = JSON.parse(await readFile(join(SUITE, 'fixtures.json'), 'utf8'));

/** The suite takes two seconds; longer than this is a hang. */
const SUITE_MAX_MS = 120_000;

/** How the suite is told which scenarios a revision has. It has no frozen list for the oldest one. */
const REVISIONS = {
  '2025-06-18': ['--suite', 'active', '--spec-version', '2025-06-18'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
};

let data;
let server;
let port;
/** A token of an agent each run: the suite calls as fast as it can, and the rate of one agent is limited. */
const tokens = {};

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'keepsake-conformance-'));
  for (const revision of Object.keys(REVISIONS)) {
    const { stdout } = await promisify(execFile)(CLI, ['--data-dir', data, 'agents', 'add', `Nova ${revision}`, '--json']);
    tokens[revision] = JSON.parse(stdout).token;
  }
  server = start(CLI, ['--data-dir', data, 'serve', '--no-ui', '--json'], { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => server.stdout.once('data', (bytes) => done(String(bytes))));
  port = JSON.parse(line).port;
});

after(async () => {
  await stop(server);
  await rm(data, { recursive: true, force: true });
});

/** Runs the suite. Returns the outcome of every check, as `scenario / check` and its status. */
async function run(revision, withToken) {
  const results = await mkdtemp(join(tmpdir(), 'keepsake-conformance-results-'));
  const proxy = await startProxy(port, withToken ? tokens[revision] : null);
  try {
    const node = join(SUITE, 'node_modules/node/bin/node');
    const suite = join(SUITE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const args = [suite, 'server', '--url', proxy.url, '--output-dir', results, ...REVISIONS[revision]];
    // It fails as soon as one check does; which one is read below.
    await promisify(execFile)(node, args, { timeout: SUITE_MAX_MS, maxBuffer: 64 * 1024 * 1024 }).catch(() => undefined);
    const checks = [];
    for (const folder of await readdir(results)) {
      const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      for (const check of JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8'))) {
        checks.push({ name: `${scenario} / ${check.id}`, status: check.status, why: check.errorMessage ?? '' });
      }
    }
    return checks;
  } finally {
    await proxy.close();
    await rm(results, { recursive: true, force: true });
  }
}

for (const revision of Object.keys(REVISIONS)) {
  test(`the conformance suite of ${revision} passes, but for checks that need the suite's own tools`, async () => {
    const checks = await run(revision, true);
    const failed = checks.filter((check) => check.status === 'FAILURE');
    const { fixtures, passed } = FIXTURES[revision];
    assert.deepEqual(
      failed.filter((check) => !fixtures.includes(check.name)).map((check) => `${check.name}: ${check.why}`),
      [],
    );
    const names = new Set(failed.map((check) => check.name));
    assert.deepEqual(fixtures.filter((name) => !names.has(name)), [], 'these succeed now; take them off the list');
    assert.equal(checks.filter((check) => check.status === 'SUCCESS').length, passed, 'every check that is not listed ran');
  });
}

test('without a token the suite fails, so it does reach the server', async () => {
  const checks = await run('2025-11-25', false);
  const initialized = checks.find((check) => check.name.endsWith('/ server-initialize'));
  assert.equal(initialized?.status, 'FAILURE', JSON.stringify(checks.slice(0, 3)));
});
