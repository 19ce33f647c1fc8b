/**
 * Chooses the host once, at startup.
 *
 * `?fake=1` works only in development and in `vite build --mode fake`. The condition is evaluated at build time, so that a
 * release build does not contain the invented data.
 */
import type { Platform } from './types';

export { type Platform, RpcError } from './types';

const MAY_FAKE = import.meta.env.DEV || import.meta.env.MODE === 'fake';

let current: Platform | null = null;

/** The current host. `openPlatform` or `setPlatform` must have been called. */
export function platform(): Platform {
  if (!current) throw new Error('No host yet: call openPlatform() first.');
  return current;
}

/** Sets the host; tests pass a fake one. */
export function setPlatform(next: Platform): void {
  current = next;
}

/** Detects where the page runs and opens that host. */
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
