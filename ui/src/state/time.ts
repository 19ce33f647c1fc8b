/** Time as the page sees it: the clock of components, values that settle, states that last, and the next paint. */
import { useEffect, useState } from 'react';
import { createStore, useStore } from './store';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Maximum delay until the next frame; a hidden window gets no frames. */
const FRAME_MAX_MS = 100;

/** The time that components show. It ticks once a minute for all of them; tests and screenshots can stop it. */
const clock = createStore(Date.now());

export function startClock(): () => void {
  const timer = window.setInterval(() => clock.set(Date.now()), MINUTE_MS);
  return () => window.clearInterval(timer);
}

/** Milliseconds since the epoch, as of the last tick. */
export const useNow = (): number => useStore(clock, (now) => now);

/** The time in whole seconds, for progress that a person watches. Ticks only while `isActive`. */
export function useSeconds(isActive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isActive) return undefined;
    const tick = () => setNow(Date.now());
    tick();
    const timer = window.setInterval(tick, SECOND_MS);
    return () => window.clearInterval(timer);
  }, [isActive]);
  return now;
}

/** A value once it has stopped changing: the text of a search box, the row where a cursor rests. */
export function useSettled<T>(value: T, quiet_ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (Object.is(settled, value)) return undefined;
    const timer = window.setTimeout(() => setSettled(value), quiet_ms);
    return () => window.clearTimeout(timer);
  }, [value, settled, quiet_ms]);
  return settled;
}

/** Whether something has been true without interruption for this long. Shorter states are ignored, because they would flicker. */
export function useLasting(is: boolean, least_ms: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    if (!is) return undefined;
    const timer = window.setTimeout(() => setLasting(true), least_ms);
    return () => {
      window.clearTimeout(timer);
      setLasting(false);
    };
  }, [is, least_ms]);
  return is && lasting;
}

/** Resolves in the task after the next frame, so that an action is shown first and then sent. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, FRAME_MAX_MS);
    requestAnimationFrame(() => {
      window.clearTimeout(timer);
      window.setTimeout(resolve);
    });
  });
}
