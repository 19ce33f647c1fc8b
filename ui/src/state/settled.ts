/** Values over time: one that has stopped changing (what a search box asks for), and a state that lasts. */
import { useEffect, useState } from 'react';

/** A value once it has stopped changing: what a search box asks for, what a cursor came to rest on. */
export function useSettled<T>(value: T, quiet_ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (Object.is(settled, value)) return undefined;
    const timer = window.setTimeout(() => setSettled(value), quiet_ms);
    return () => window.clearTimeout(timer);
  }, [value, settled, quiet_ms]);
  return settled;
}

/** Whether something has been so without a break for this long. What is over sooner is not told of: it would come and go. */
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
