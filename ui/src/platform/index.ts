/**
 * Chooses the host once, at start.
 *
 * `?fake=1` works in development and in `vite build --mode fake` only: the condition is known when the page is built, so that
 * a shipped page does not contain the invented data.
 */
import type { Platform } from './types';

export { type Platform, RpcError } from './types';

const MAY_FAKE = import.meta.env.DEV || import.meta.env.MODE === 'fake';

let current: Platform | null = null;

/** The host in use. `openPlatform` or `setPlatform` must have been called. */
export function platform(): Platform {
  if (!current) throw new Error('No host yet: call openPlatform() first.');
  return current;
}

/** Puts a host in place; tests pass a fake one. */
export function setPlatform(next: Platform): void {
  current = next;
}

/** Finds out where the page runs and opens that host. */
export async function openPlatform(): Promise<Platform> {
  const query = new URLSearchParams(window.location.search);
  if (MAY_FAKE && query.get('fake') === '1') {
    const { createFakePlatform } = await import('./fake');
    current = createFakePlatform({
      candidates: Number(query.get('n') ?? '0'),
      firstRun: query.get('first') === '1',
      embeddingMissing: query.get('embedding') === 'missing',
      sessions: query.get('sessions') === '1',
      crowd: query.get('crowd') === '1',
      models: (['local', 'remote'] as const).find((state) => state === query.get('models')),
    });
  } else if ('__TAURI_INTERNALS__' in window) {
    current = (await import('./tauri')).createTauriPlatform();
  } else {
    const { createHttpPlatform, takeToken } = await import('./http');
    current = createHttpPlatform(takeToken(window.location, window.sessionStorage, window.history));
  }
  return current;
}
