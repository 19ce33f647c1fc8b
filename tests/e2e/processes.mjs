// Child processes that cannot outlive the tests: each is the head of its own process group, and only those groups are ended.

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

const running = new Set();

/** Starts a program as the head of a new process group. `stdio` as for node:child_process. */
export function start(command, args, { env, stdio }) {
  const child = spawn(command, args, { env, stdio, detached: true });
  child.exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
    child.once('error', (error) => resolve(error.message));
  });
  running.add(child);
  child.exited.then(() => running.delete(child));
  return child;
}

/** Ends a program and everything that it started; resolves when its head has ended. */
export async function stop(child) {
  signal(child, 'SIGTERM');
  const killer = setTimeout(() => signal(child, 'SIGKILL'), 3_000);
  await child.exited;
  clearTimeout(killer);
  signal(child, 'SIGKILL'); // what stayed behind in the group
}

function signal(child, name) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

process.on('exit', () => running.forEach((child) => signal(child, 'SIGKILL')));
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1));

/** A port on 127.0.0.1 that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Asks until the answer is truthy, and answers it. Fails at the deadline with what was waited for. */
export async function until(what, ask, { within_ms = 10_000, every_ms = 40 } = {}) {
  const deadline = performance.now() + within_ms;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${within_ms} ms for ${what}${last ? `; last: ${last.message}` : ''}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, every_ms));
  }
}
