/** Values over time: a value that has stopped changing, and a state that lasts. */
import { useEffect, useState } from 'react';

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
