/**
 * A browser on loopback as host.
 *
 * The one-time address contains the token in its fragment, which never leaves the browser. It is stored for this tab only and
 * removed from the address bar, so that it cannot be copied or bookmarked by accident.
 */
import type { Event, FileToken } from '../api/schema';
import { type Platform, RpcError, toRpcError } from './types';

const TOKEN_KEY = 'keepsake.token';
/** Delays between attempts to reconnect to the event stream; the last one repeats. */
const RECONNECT_MS = [250, 1_000, 3_000, 10_000];

/** Reads the token from `#token=…`, or the one stored for this tab. */
export function takeToken(location: Location, storage: Storage, history: History): string {
  const given = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (given) {
    storage.setItem(TOKEN_KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
    return given;
  }
  return storage.getItem(TOKEN_KEY) ?? '';
}

/** Splits a server-sent stream into the events of its `data:` lines; `rest` is the incomplete remainder. */
export function parseSse(buffer: string): { events: Event[]; rest: string } {
  const blocks = buffer.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  const events: Event[] = [];
  for (const block of blocks) {
    const data = block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    if (!data) continue;
    try {
      const parsed = JSON.parse(data) as Event | Event[];
      events.push(...(Array.isArray(parsed) ? parsed : [parsed]));
    } catch {
      // A line that is not JSON is a comment from a proxy; the stream continues.
    }
  }
  return { events, rest };
}

async function errorOf(response: Response): Promise<RpcError> {
  try {
    return toRpcError(await response.json());
  } catch {
    return new RpcError('internal', `The backend answered ${response.status}.`);
  }
}

export function createHttpPlatform(token: string): Platform {
  const authorization = { Authorization: `Bearer ${token}` };

  async function send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization }, credentials: 'omit' });
    } catch {
      throw new RpcError('unreachable', 'Keepsake does not answer. Is it still running? Your data is safe.');
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async function listenOnce(signal: AbortSignal, onOpen: () => void, listener: (event: Event) => void): Promise<void> {
    const response = await send('/events', { signal, headers: { Accept: 'text/event-stream' } });
    const reader = response.body?.getReader();
    if (!reader) return;
    onOpen();
    const decoder = new TextDecoder();
    let buffer = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const { events, rest } = parseSse(buffer + decoder.decode(value, { stream: true }));
      buffer = rest;
      for (const event of events) listener(event);
    }
  }

  async function takeFiles(files: File[]): Promise<FileToken[]> {
    const tokens: FileToken[] = [];
    for (const file of files) {
      const response = await send(`/files?name=${encodeURIComponent(file.name)}`, { method: 'POST', body: file });
      tokens.push((await response.json()) as FileToken);
    }
    return tokens;
  }

  return {
    kind: 'http',
    fileAccess: 'upload',
    async rpc(cmd, payload) {
      const response = await send('/rpc', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ cmd, payload }),
      });
      return response.json();
    },
    onEvent(listener) {
      const stop = new AbortController();
      let attempt = 0;
      let timer = 0;
      const connect = async () => {
        try {
          await listenOnce(
            stop.signal,
            () => {
              // Changes during the interruption are unknown, so everything is requested again.
              if (attempt > 0) listener({ type: 'changed', tags: ['*'] });
              attempt = 0;
            },
            listener,
          );
        } catch {
          // Refused or interrupted: tried again below.
        }
        if (stop.signal.aborted) return;
        const wait = RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)];
        attempt += 1;
        timer = window.setTimeout(() => void connect(), wait);
      };
      void connect();
      return () => {
        stop.abort();
        window.clearTimeout(timer);
      };
    },
    pickFiles: () =>
      new Promise((resolve, reject) => {
        const input = document.createElement('input');
        input.type = 'file';
        input.multiple = true;
        input.addEventListener('change', () => takeFiles([...(input.files ?? [])]).then(resolve, reject));
        input.addEventListener('cancel', () => resolve([]));
        input.click();
      }),
    pickTasksFile: async () => null,
    takeFiles,
    setTitle(title) {
      document.title = title;
    },
  };
}
