// The application as a person has it: a screen, a session bus, the real window, and hands.
//
// WebKitWebDriver opens the program itself (what tauri-driver would ask of it), so nothing stands between.
// Every wait asks for a condition until a deadline; nothing sleeps.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { freePort, start, stop, until } from './processes.mjs';
import { KEYS, WebDriver } from './webdriver.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const ARTIFACTS = join(ROOT, 'e2e-artifacts');
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
export const APP = process.env.KEEPSAKE_APP ?? join(TARGET, 'debug/keepsake-app');
export const CLI = process.env.KEEPSAKE_CLI ?? join(TARGET, 'debug/keepsake');

/** WebKit's own: with `1` the page is put together with OpenGL, whoever works it out. With `0` as this computer suits it. */
export const WITH_OPENGL = 'WEBKIT_FORCE_COMPOSITING_MODE';

/** The unit of /proc/<pid>/stat: Linux has counted a hundred a second on every machine for decades. */
const TICK_MS = 10;

/** A virtual screen of its own, larger than any window in the tests. */
const SCREEN = [1600, 1200];
const SCREEN_PY = join(import.meta.dirname, 'screen.py');
async function openScreen(env) {
  const screen = start('Xvfb', ['-displayfd', '3', '-screen', '0', `${SCREEN.join('x')}x24`, '-nolisten', 'tcp', '-noreset'], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let number = '';
  screen.stdio[3].on('data', (data) => (number += data));
  await until('Xvfb to name its display', () => number.includes('\n') || assert.equal(screen.exitCode, null, 'Xvfb ended'));
  return { display: `:${number.trim()}`, stop: () => stop(screen) };
}

/**
 * A picture may show what was there before: the window is drawn some frames after the page changed, and a theme fades in. So it is taken
 * until two in a row are the same; what never rests, a clock or a bar that moves, is taken as it comes.
 */
const PICTURES_MAX = 6;

/** A picture of an empty window is smaller. */
const PICTURE_BYTES_MIN = 15_000;
const SETTLED = `
  const running = document.getAnimations().filter((each) => each.playState === 'running' && each.effect?.getComputedTiming().endTime !== Infinity);
  return Promise.allSettled(running.map((each) => each.finished)).then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));`;

/**
 * A session bus that starts no services: the desktop's own (portals, accessibility, secrets) would make what the window
 * does depend on the machine.
 */
const BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/**
 * Opens Keepsake in an empty home. `theme` is the desktop's (`light` or `dark`), `env` is added to the environment, `prepare`
 * is called before the window opens (say, to import through the command line). Always `await keepsake.end()` afterwards.
 */
export async function launch({ theme = 'light', env = {}, prepare = async () => {} } = {}) {
  assert.ok(existsSync(APP), `${APP} is not there; \`make e2e\` builds it, KEEPSAKE_APP names another`);
  const home = await mkdtemp(join(tmpdir(), 'keepsake-e2e-'));
  const runtime = join(home, 'runtime');
  await mkdir(runtime, { mode: 0o700 });
  await writeFile(join(home, 'bus.conf'), BUS);
  const clean = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    // The model is prepared once, in the developer's own home.
    KEEPSAKE_MODEL_DIR: modelDir(),
    NO_AT_BRIDGE: '1',
    GSETTINGS_BACKEND: 'memory',
    GTK_THEME: theme === 'dark' ? 'Adwaita:dark' : 'Adwaita',
    LIBGL_ALWAYS_SOFTWARE: '1',
    TAURI_WEBVIEW_AUTOMATION: 'true',
    // As most computers draw, though here the processor works it out; without OpenGL WebDriver waits in vain for a screenshot.
    [WITH_OPENGL]: '1',
    ...env,
  };
  const screen = await openScreen(clean);
  const keepsake = new Keepsake(home, { ...clean, DISPLAY: screen.display }, screen);
  try {
    await prepare(keepsake);
    await keepsake.open();
  } catch (error) {
    await keepsake.end();
    throw error;
  }
  return keepsake;
}

export function modelDir() {
  const data = process.env.XDG_DATA_HOME || join(process.env.HOME ?? '', '.local/share');
  return process.env.KEEPSAKE_MODEL_DIR || join(data, 'keepsake/models/keepsake-sentences-2');
}

export class Keepsake {
  #driver;
  #bus;
  #screen;
  #env;

  constructor(home, env, screen) {
    this.home = home;
    this.dataDir = join(home, 'data');
    this.#env = env;
    this.#screen = screen;
  }

  /** Starts the program on its data directory and waits until the page has painted. Measures how long that took. */
  async open() {
    const port = await freePort();
    const bus = `--config-file=${join(this.home, 'bus.conf')}`;
    const command = [bus, '--', 'WebKitWebDriver', '--host=127.0.0.1', `--port=${port}`];
    await mkdir(ARTIFACTS, { recursive: true });
    const noise = await open(join(ARTIFACTS, 'desktop.log'), 'a');
    this.#bus = start('dbus-run-session', command, { env: this.#env, stdio: ['ignore', noise.fd, noise.fd] });
    await noise.close();
    this.#driver = new WebDriver(port);
    await until('WebKitWebDriver', () => this.#driver.status());
    const started = performance.now();
    await this.#driver.open({
      'webkitgtk:browserOptions': { binary: APP, args: ['--data-dir', this.dataDir] },
    });
    await until('the page to render', () => this.run('return (document.getElementById("root") ?? document.body).childElementCount > 0'));
    this.started_ms = performance.now() - started;
    this.started_at = started;
  }

  /** Processor time that the program and the processes of its page have used so far, ms; from /proc, so on Linux only. */
  async cpu_ms() {
    let ticks = 0;
    for (const { name, fields } of await this.#processes()) {
      if (/^(dbus|WebKitWebDriver)/.test(name)) continue;
      ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks * TICK_MS;
  }

  /** The processes of the session: id, name, and the fields of /proc/<pid>/stat after the name. On Linux only. */
  async #processes() {
    const found = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // it may have ended meanwhile
      const [, name, rest] = stat.match(/^\d+ \((.*)\) (.*)$/s) ?? [];
      const fields = rest?.split(' ') ?? [];
      if (Number(fields[3]) === this.#bus.pid) found.push({ pid: Number(pid), name, fields });
    }
    return found;
  }

  /** Closes the window as a person would, waits for the program to end, and starts it again on the same data. */
  async restart() {
    await this.close();
    await this.open();
  }

  /** Closes the window; the program ends with it. */
  async close() {
    if (!this.#bus) return;
    try {
      await this.#driver.closeWindow();
    } finally {
      await this.#driver.closeSession().catch(() => {}); // gone with its window
      await stop(this.#bus);
      this.#bus = undefined;
    }
  }

  /** Kills the program with SIGKILL, as a system without memory does. What is left of its session ends as well. */
  async kill() {
    const program = (await this.#processes()).find(({ name }) => name === 'keepsake-app');
    process.kill(program.pid, 'SIGKILL');
    await stop(this.#bus);
    this.#bus = undefined;
  }

  /** Ends everything and removes the home. */
  async end() {
    if (this.#bus) await stop(this.#bus);
    await this.#screen.stop();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs the command line on the same data; answers its standard output. */
  async cli(...args) {
    const command = ['--data-dir', this.dataDir, ...args];
    const { stdout } = await promisify(execFile)(CLI, command, { env: this.#env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  /** Changes the database, or a copy of it, past everything that guards it, as another program would. */
  async alter(sql, file = join(this.dataDir, 'keepsake.db')) {
    const script = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])';
    await promisify(execFile)('python3', ['-c', script, file, sql]);
  }

  /** Has the window see what the command line wrote, as it does whenever a person turns to it. */
  async lookAgain() {
    await this.runAsync(`await window.__TAURI_INTERNALS__.invoke('rpc', { cmd: 'app_status', payload: {} })`);
  }

  /** Drops files on the window, from outside as a file manager does. */
  async drop(...files) {
    await promisify(execFile)('python3', [join(import.meta.dirname, 'drop.py'), '20', ...files], { env: this.#env });
  }

  /** The content of the program's log files. */
  async log() {
    const dir = join(this.dataDir, 'logs');
    const texts = await Promise.all((await readdir(dir)).map((file) => readFile(join(dir, file), 'utf8')));
    return texts.join('');
  }

  title() {
    return this.#driver.title();
  }

  url() {
    return this.#driver.url();
  }

  resize(width, height) {
    return this.#driver.setSize(width, height);
  }

  /** Runs the body of a function in the page. */
  run(script, ...args) {
    return this.#driver.execute(script, ...args);
  }

  /** As `run`, for a body that awaits. */
  runAsync(script, ...args) {
    return this.#driver.executeAsync(script, ...args);
  }

  /** Waits for a condition; `ask` may throw until it holds. */
  until(what, ask, options) {
    return until(what, ask, options);
  }

  /**
   * Waits for one visible element. `wanted` is a test id (`'candidate'`), or `{ css }`, with `name` for its accessible name
   * (exact) and `text` for a part of its text.
   */
  async find(wanted, options) {
    const [element] = await until(
      `${JSON.stringify(wanted)} to be visible`,
      async () => {
        const all = await this.findAll(wanted);
        return all.length > 0 && all;
      },
      options,
    );
    return element;
  }

  /** All visible elements that match now, perhaps none. */
  async findAll(wanted) {
    const { css, name, text } = typeof wanted === 'string' ? { css: `[data-testid="${wanted}"]` } : wanted;
    const found = [];
    for (const element of await this.#driver.findAll(css ?? 'button, a, input, textarea, select, [role]')) {
      if (text !== undefined && !(await this.#driver.text(element)).includes(text)) continue;
      if (name !== undefined && (await this.#driver.accessibleName(element)) !== name) continue;
      if (await this.#driver.isDisplayed(element)) found.push(element);
    }
    return found;
  }

  /** Waits until nothing visible matches. */
  async gone(wanted, options) {
    await until(`${JSON.stringify(wanted)} to be gone`, async () => (await this.findAll(wanted)).length === 0, options);
  }

  async click(wanted, options) {
    await this.#retry(wanted, (element) => this.#driver.click(element), options);
  }

  /** Replaces the content of a field. */
  async fill(wanted, text, options) {
    await this.#retry(
      wanted,
      async (element) => {
        // WebDriver's own "clear" empties the field behind the page's back. If the page draws itself again before the first key,
        // the old text returns and the new one is appended to it.
        await this.#driver.select(element);
        await this.#driver.sendKeys(element, text === '' ? KEYS.Backspace : text);
      },
      options,
    );
  }

  /** Types into whatever has the focus. */
  async type(text) {
    await this.#driver.sendKeys(await this.#driver.active(), text);
  }

  /** Presses keys one after another: `press('j', 'a', 'Escape')`; a chord is written `'Control+k'`. */
  async press(...keys) {
    for (const key of keys) {
      const names = key.length > 1 ? key.split('+') : [key];
      for (const name of names) assert.ok(name.length === 1 || name in KEYS, `unknown key ${name}`);
      await this.#driver.chord(...names);
    }
  }

  text(wanted, options) {
    return this.#retry(wanted, (element) => this.#driver.text(element), options);
  }

  attribute(wanted, name, options) {
    return this.#retry(wanted, (element) => this.#driver.attribute(element, name), options);
  }

  /** Waits until the element's text contains `part`. */
  async sees(wanted, part, options) {
    await until(`${JSON.stringify(wanted)} to say ${JSON.stringify(part)}`, async () => (await this.text(wanted)).includes(part), options);
  }

  /** Saves what the window shows as e2e-artifacts/<name>.png and answers the image: once nothing moves and it is drawn. */
  async screenshot(name) {
    let image = Buffer.alloc(0);
    for (let taken = 0; taken < PICTURES_MAX; taken += 1) {
      await this.run(SETTLED);
      const next = await this.#driver.screenshot();
      if (next.equals(image)) break;
      image = next;
    }
    await writeFile(join(ARTIFACTS, `${name}.png`), image);
    assert.ok(image.length > PICTURE_BYTES_MIN, `${name} shows something`);
    return image;
  }

  /** The text of everything with this test id, visible or scrolled away. */
  texts(id) {
    return this.run(`return [...document.querySelectorAll('[data-testid="${id}"]')].map((each) => each.innerText)`);
  }

  /** Chooses a theme in Settings, as a person does. */
  async theme(name) {
    await this.click('nav-settings');
    await this.click('settings-general');
    await this.click(`settings-theme-${name}`);
    await this.until(`the ${name} theme`, () => this.run('return document.documentElement.dataset.theme === arguments[0]', name));
  }

  /** What stands on the screen, four bytes a pixel: the window as a person sees it, and nothing around it. */
  async screen() {
    const all = { env: this.#env, encoding: 'buffer', maxBuffer: 4 * SCREEN[0] * SCREEN[1] + 1 };
    const { stdout } = await promisify(execFile)('python3', [SCREEN_PY, '0', '0', ...SCREEN.map(String)], all);
    return stdout;
  }

  /** Watches a part of the screen, `{ left, top, width, height }` in the page, and answers a function that ends it and answers when it changed, ms since 1970. */
  async watchScreen({ left, top, width, height }) {
    const [windowLeft, windowTop] = await this.run('return [screenX, screenY]');
    const part = [windowLeft + left, windowTop + top, width, height].map((number) => String(Math.round(number)));
    const watch = start('python3', [SCREEN_PY, ...part, 'watch'], { env: this.#env, stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    watch.stdout.on('data', (data) => (said += data));
    return async () => {
      await stop(watch);
      return said.split('\n').filter(Boolean).map(Number);
    };
  }

  /** The page may replace an element between finding and using it; then it is found again. */
  #retry(wanted, use, options) {
    return until(
      `${JSON.stringify(wanted)} to be usable`,
      async () => ({ value: await use(await this.find(wanted, { within_ms: 1_000 })) }),
      options,
    ).then(({ value }) => value);
  }
}
