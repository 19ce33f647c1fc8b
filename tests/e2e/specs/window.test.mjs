// The frame around the page: the window opens, is titled and sized as designed, and is closed to everything but its page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const OWN_PAGE = /^tauri:\/\/localhost\/?$/;

let keepsake;
before(async () => {
  keepsake = await launch();
});
after(() => keepsake?.end());

test('the window opens at its size, with its title and page', async () => {
  assert.match(await keepsake.url(), OWN_PAGE);
  assert.match(await keepsake.title(), /^Keepsake/);
  assert.deepEqual(await keepsake.run('return [innerWidth, innerHeight]'), [1280, 800]);
  const image = await keepsake.screenshot('window');
  assert.ok(image.length > 2_000, `a screenshot of ${image.length} bytes shows nothing`);
  console.log(`# the page had rendered ${Math.round(keepsake.started_ms)} ms after the start`);
});

test('the page holds no global API and cannot leave', async () => {
  assert.equal(await keepsake.run('return typeof window.__TAURI__'), 'undefined');
  assert.equal(await keepsake.run('return Object.isFrozen(Object.prototype)'), true);
  await keepsake.run('location.href = "https://example.invalid/"');
  await keepsake.run('location.href = "data:text/html,left"');
  assert.match(await keepsake.url(), OWN_PAGE);
});

test('the content security policy stops scripts, remote images and requests', async () => {
  const violations = await keepsake.runAsync(`
    const seen = [];
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.breached = true';
    document.head.append(script);
    const image = new Image();
    image.src = 'https://example.invalid/pixel.png';
    document.body.append(image);
    await fetch('https://example.invalid/').catch(() => {});
    await new Promise((resolve) => {
      const look = () => (seen.length >= 3 ? resolve() : requestAnimationFrame(look));
      look();
    });
    script.remove();
    image.remove();
    return [...seen, typeof window.breached];`);
  const [breached, ...directives] = violations.toReversed();
  assert.equal(breached, 'undefined', 'an inline script ran');
  assert.deepEqual(new Set(directives), new Set(['script-src-elem', 'img-src', 'connect-src']));
});

test('only the one command is granted', async () => {
  const refused = await keepsake.runAsync(`
    const ask = (command, payload) => window.__TAURI_INTERNALS__.invoke(command, payload).then(() => 'granted', () => 'refused');
    return [
      await ask('plugin:dialog|open', { options: {} }),
      await ask('plugin:notification|notify', { options: { title: 'x' } }),
      await ask('plugin:window|close', { label: 'main' }),
      await ask('plugin:event|emit', { event: 'x', payload: null }),
      await ask('rpc', { cmd: 'no_such_command', payload: {} }),
    ];`);
  assert.deepEqual(refused, Array(5).fill('refused'));
  const status = await keepsake.runAsync(`return await window.__TAURI_INTERNALS__.invoke('rpc', { cmd: 'app_status', payload: {} })`);
  assert.equal(typeof status.counts.pending, 'number', 'the one command answers');
});

test('it starts again after its window was closed, and logs no message text', async () => {
  await keepsake.restart();
  assert.match(await keepsake.title(), /^Keepsake/);
  const starts = (await keepsake.log()).match(/ started /g) ?? [];
  assert.equal(starts.length, 2, 'both starts are in the log');
});
