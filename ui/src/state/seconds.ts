/** The time in whole seconds, for progress that a person watches. Ticks only while `isActive`. */
import { useEffect, useState } from 'react';

const TICK_MS = 1_000;

/** Milliseconds since the epoch, as of the last tick. */
export function useSeconds(isActive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isActive) return undefined;
    const tick = () => setNow(Date.now());
    tick();
    const timer = window.setInterval(tick, TICK_MS);
    return () => window.clearInterval(timer);
  }, [isActive]);
  return now;
}
