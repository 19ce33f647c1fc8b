/** The time that components show. It ticks once a minute for all of them; tests and screenshots can stop it. */
import { createStore, useStore } from './store';

const TICK_MS = 60_000;

const clock = createStore(Date.now());

export function startClock(): () => void {
  const timer = window.setInterval(() => clock.set(Date.now()), TICK_MS);
  return () => window.clearInterval(timer);
}

/** Milliseconds since the epoch, as of the last tick. */
export const useNow = (): number => useStore(clock, (now) => now);
