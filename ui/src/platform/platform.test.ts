import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHttpPlatform, parseSse, takeToken } from './http';
import { RpcError, toRpcError } from './types';

describe('the token', () => {
  const take = (hash: string, kept: string | null) => {
    const storage = new Map(kept === null ? [] : [['keepsake.token', kept]]);
    const replaced: string[] = [];
    const token = takeToken(
      { hash, pathname: '/', search: '' } as Location,
      { getItem: (key: string) => storage.get(key) ?? null, setItem: (key: string, value: string) => void storage.set(key, value) } as unknown as Storage,
      { replaceState: (_: unknown, __: string, url: string) => void replaced.push(url) } as unknown as History,
    );
    return { token, replaced, kept: storage.get('keepsake.token') };
  };
  test('is taken from the address, kept for the tab and removed from the bar', () => expect(take('#token=abc', null)).toEqual({ token: 'abc', replaced: ['/'], kept: 'abc' }));
  test('is remembered after a reload', () => expect(take('', 'abc')).toEqual({ token: 'abc', replaced: [], kept: 'abc' }));
  test('a new one replaces the old', () => expect(take('#token=new', 'old').kept).toBe('new'));
  test('may be missing', () => expect(take('', null).token).toBe(''));
});

describe('the event stream', () => {
  const changed = { type: 'changed', tags: ['jobs'] };
  test.each([
    ['one event', `data: ${JSON.stringify(changed)}\n\n`, [changed], ''],
    ['several in one', `data: ${JSON.stringify([changed, changed])}\n\n`, [changed, changed], ''],
    ['half an event waits', `data: {"type"`, [], 'data: {"type"'],
    ['comments and other fields are no events', `: hello\nevent: x\n\ndata: ${JSON.stringify(changed)}\r\n\r\n`, [changed], ''],
    ['what is no JSON is passed over', `data: hello\n\n`, [], ''],
  ])('%s', (_, buffer, events, rest) => expect(parseSse(buffer)).toEqual({ events, rest }));
});

describe('errors', () => {
  test.each([
    [{ code: 'not_found', message: 'Gone.' }, 'not_found', 'Gone.'],
    [new Error('x'), 'internal', 'x'],
    ['broken', 'internal', 'broken'],
    [undefined, 'internal', 'The backend did not answer.'],
  ])('%j becomes a code and a message', (thrown, code, message) => {
    const error = toRpcError(thrown);
    expect([error.code, error.message]).toEqual([code, message]);
  });

  const answering = async (response: () => Promise<Response>): Promise<unknown> => {
    const original = globalThis.fetch;
    globalThis.fetch = response as typeof fetch;
    try {
      return await createHttpPlatform('t')
        .rpc('app_status', {})
        .catch((thrown: unknown) => thrown);
    } finally {
      globalThis.fetch = original;
    }
  };
  test('of the backend keep their code', async () => {
    const error = await answering(async () => new Response('{"code":"conflict","message":"Changed."}', { status: 409 }));
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: 'conflict', message: 'Changed.' });
  });
  test('of a proxy are named by status', async () => expect(await answering(async () => new Response('<html>', { status: 502 }))).toMatchObject({ code: 'internal' }));
  test('of a backend that is gone say what to do', async () =>
    expect(
      await answering(async () => {
        throw new TypeError('failed');
      }),
    ).toMatchObject({ code: 'unreachable' }));
});

describe('the page keeps to its security policy', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|css)$/.test(name) && !name.includes('.test.'))
    .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }));
  const found = (pattern: RegExp, except: readonly string[] = []) => files.filter(({ name, text }) => !except.includes(name) && pattern.test(text)).map(({ name }) => name);

  test('only one file knows the desktop shell', () => expect(found(/['"]@tauri-apps\//, ['platform/tauri.ts', 'platform/types.ts'])).toEqual([]));
  test('no text ever becomes markup', () => expect(found(/dangerouslySetInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\(/)).toEqual([]));
  // Addresses that the program asks, and those of the invented host, which is not shipped.
  const named = ['panels/sources/live/mailProviders.ts', 'platform/fake/liveSources.ts'];
  test('nothing is fetched from elsewhere', () => expect(found(/https?:\/\/(?!127\.0\.0\.1|ipc\.localhost|example\.invalid)/, named)).toEqual([]));
  test('the page has no inline script and no inline style', () => {
    const page = readFileSync('index.html', 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });
  test('the lock file names no host', () => expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved"|registry/));
});
