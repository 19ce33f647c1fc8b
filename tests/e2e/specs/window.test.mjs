// The frame around the page: the window opens, is titled and sized as designed, and is closed to everything but its page.

import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { WITH_OPENGL, launch } from '../keepsake.mjs';

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

/** Letters have other edges where they are drawn in another way. */
const SAME_SHARE_MIN = 0.98;
/** In one of red, green and blue: more than an edge, less than another colour. */
const FAR = 96;

/** What the screen shows once it rests. */
async function picture(shown) {
  let last = Buffer.alloc(0);
  return shown.until('the screen to rest', async () => {
    const next = await shown.screen();
    const rests = next.equals(last);
    last = next;
    return rests && next;
  });
}

test('with OpenGL and without, the screen shows the same page', async () => {
  const shows = async (shown) => {
    await shown.find('nav-settings');
    await shown.press('g', ',');
    await shown.sees('panel', 'Settings');
    return picture(shown);
  };
  // The screen of the tests has no graphics processor.
  const without = await launch({ env: { [WITH_OPENGL]: '0' } });
  try {
    const [plain, composed] = [await shows(without), await shows(keepsake)];
    assert.match(await without.log(), /drawn without OpenGL/);
    assert.doesNotMatch(await keepsake.log(), /drawn without OpenGL/);
    assert.equal(plain.length, composed.length);
    let same = 0;
    let drawn = 0;
    for (let at = 0; at < plain.length; at += 4) {
      const bytes = [0, 1, 2].map((channel) => [plain[at + channel], composed[at + channel]]);
      if (bytes.every(([a, b]) => Math.abs(a - b) <= FAR)) same += 4;
      if (bytes.some(([a]) => a > FAR)) drawn += 4;
    }
    assert.ok(drawn > plain.length / 3, 'control: the window, which is light, is on the screen');
    assert.ok(same >= SAME_SHARE_MIN * plain.length, `${(100 * same) / plain.length} % of the screen is the same`);
  } finally {
    await without.end();
  }
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

test('only asking and listening are granted', async () => {
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
  assert.equal(typeof status.counts.pending, 'number', 'asking is answered');
});

test('a file that is dropped on the window is looked into, and the page learns its name and not where it lies', async () => {
  const dir = await mkdtemp(join(keepsake.home, 'secret-place-'));
  const file = join(dir, 'old talks (1) é.jsonl');
  const message = { conversation: 'talk', title: 'Talk', channel_type: 'chat', channel_id: 'talk', id: 1, time: '2026-03-02T10:00:00Z', author: 'Mara', role: 'owner', text: 'I live in Bergen.' };
  await writeFile(file, `${JSON.stringify(message)}\n`);
  await keepsake.drop(file);
  await keepsake.sees('source-file', 'old talks (1) é.jsonl', { within_ms: 20_000 });
  await keepsake.until('the look into it', async () => (await keepsake.attribute('source-file', 'data-status')) === 'ready');
  await keepsake.screenshot('sources-dropped-light');
  assert.ok(!(await keepsake.run('return document.documentElement.outerHTML')).includes('secret-place'), 'where it lies is not in the page');
  assert.equal((await keepsake.cli('memories', '--json')).trim(), '', 'nothing is imported before the person says so');
  assert.match(await keepsake.url(), OWN_PAGE, 'the window did not open the file in place of its page');

  await keepsake.runAsync(`
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    window.heard = [];
    const id = transformCallback((raw) => 'message' in raw && window.heard.push(raw.message));
    await invoke('listen', { channel: '__CHANNEL__:' + id });`);
  await keepsake.drop(file);
  await keepsake.until('the shell to tell of the drop', () => keepsake.run(`return window.heard.some(({ type }) => type === 'files_dropped')`));
  const heard = JSON.stringify(await keepsake.run('return window.heard'));
  assert.ok(heard.includes('old talks (1)'), 'control: the name is told');
  assert.ok(!heard.includes('secret-place') && !heard.includes(keepsake.home), 'the folder is not');
});

test('the page hears what happens, and never where dropped files lie', async () => {
  // `tauri://drag-drop` names paths. Whoever may listen to one of Tauri's events may listen to each, so none is granted.
  const refused = await keepsake.runAsync(`
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    const listen = (event, target) => invoke('plugin:event|listen', { event, target, handler: transformCallback(() => {}) })
      .then(() => 'granted', (problem) => String(problem));
    const targets = [{ kind: 'Any' }, { kind: 'Window', label: 'main' }, { kind: 'Webview', label: 'main' }, { kind: 'WebviewWindow', label: 'main' }];
    const events = ['tauri://drag-drop', 'tauri://drag-enter', 'tauri://drag-over', 'keepsake'];
    return await Promise.all(events.flatMap((event) => targets.map((target) => listen(event, target))));`);
  for (const answer of refused) assert.match(answer, /not allowed|not found/, 'listening to a Tauri event');

  // The control: with a channel of its own the same page does hear, so that refusing is not all that was shown.
  const heard = await keepsake.runAsync(`
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    const first = new Promise((resolve) => {
      window.heardId = transformCallback((raw) => 'message' in raw && resolve(raw.message));
    });
    await invoke('listen', { channel: '__CHANNEL__:' + window.heardId });
    const settings = await invoke('rpc', { cmd: 'settings_get', payload: {} });
    await invoke('rpc', { cmd: 'settings_set', payload: { ...settings, extract_on_import: !settings.extract_on_import } });
    return await first;`);
  assert.equal(heard.type, 'changed');
  assert.ok(heard.tags.includes('settings'), `a change of the settings was heard as ${JSON.stringify(heard)}`);
});

test('it starts again after its window was closed, and logs no message text', async () => {
  await keepsake.restart();
  assert.match(await keepsake.title(), /^Keepsake/);
  const starts = (await keepsake.log()).match(/ started /g) ?? [];
  assert.equal(starts.length, 2, 'both starts are in the log');
});
