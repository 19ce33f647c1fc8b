// The part of the W3C WebDriver protocol that the tests need, over fetch.

/** Names of keys → the code points that WebDriver gives them. Other keys are written as themselves. */
export const KEYS = {
  Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', Backspace: '\uE003', Delete: '\uE017', Space: ' ',
  ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015', Home: '\uE011', End: '\uE010',
  PageUp: '\uE00E', PageDown: '\uE00F', Shift: '\uE008', Control: '\uE009', Alt: '\uE00A', Meta: '\uE03D',
};

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export class WebDriverError extends Error {
  constructor({ error, message }) {
    super(`${error}: ${message}`);
    this.code = error;
  }
}

export class WebDriver {
  #base;

  constructor(port) {
    this.#base = `http://127.0.0.1:${port}`;
  }

  async #ask(method, path, body) {
    const response = await fetch(this.#base + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
      signal: AbortSignal.timeout(30_000),
    });
    const { value } = await response.json();
    if (!response.ok) throw new WebDriverError(value);
    return value;
  }

  status() {
    return this.#ask('GET', '/status');
  }

  async open(alwaysMatch) {
    const { sessionId } = await this.#ask('POST', '/session', { capabilities: { alwaysMatch } });
    this.#base += `/session/${sessionId}`;
  }

  /** Asks the window to close as a person would; answers the handles of those that are left. */
  closeWindow() {
    return this.#ask('DELETE', '/window');
  }

  closeSession() {
    return this.#ask('DELETE', '');
  }

  title() {
    return this.#ask('GET', '/title');
  }

  url() {
    return this.#ask('GET', '/url');
  }

  setSize(width, height) {
    return this.#ask('POST', '/window/rect', { width, height });
  }

  /** Runs the body of a function in the page; `arguments` holds the rest. */
  execute(script, ...args) {
    return this.#ask('POST', '/execute/sync', { script, args });
  }

  /** As `execute`, but awaits the promise that the body returns. */
  executeAsync(script, ...args) {
    const body = `const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);
      (async function () { ${script} }).apply(null, given).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    return this.#ask('POST', '/execute/async', { script: body, args }).then(({ value, error }) => {
      if (error !== undefined) throw new Error(error);
      return value;
    });
  }

  async findAll(css) {
    const found = await this.#ask('POST', '/elements', { using: 'css selector', value: css });
    return found.map((element) => element[ELEMENT]);
  }

  async active() {
    return (await this.#ask('GET', '/element/active'))[ELEMENT];
  }

  /** As a script argument. */
  static reference(element) {
    return { [ELEMENT]: element };
  }

  click(element) {
    return this.#ask('POST', `/element/${element}/click`);
  }

  /** Selects the text of a field, so that what is typed next replaces it. */
  select(element) {
    return this.execute('arguments[0].focus(); arguments[0].select()', { [ELEMENT]: element });
  }

  sendKeys(element, text) {
    return this.#ask('POST', `/element/${element}/value`, { text });
  }

  /** As the page shows it. WebKit's own "Get Element Text" answers nothing for rows that a list places itself. */
  text(element) {
    return this.execute('return arguments[0].innerText', { [ELEMENT]: element });
  }

  attribute(element, name) {
    return this.#ask('GET', `/element/${element}/attribute/${name}`);
  }

  isDisplayed(element) {
    return this.#ask('GET', `/element/${element}/displayed`);
  }

  accessibleName(element) {
    return this.#ask('GET', `/element/${element}/computedlabel`);
  }

  /** Presses keys together, the last one with the others held, and releases them: `chord('Control', 'k')`. */
  async chord(...names) {
    const codes = names.map((name) => KEYS[name] ?? name);
    const down = codes.map((value) => ({ type: 'keyDown', value }));
    const up = codes.toReversed().map((value) => ({ type: 'keyUp', value }));
    await this.#ask('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }] });
  }

  async screenshot() {
    return Buffer.from(await this.#ask('GET', '/screenshot'), 'base64');
  }
}
