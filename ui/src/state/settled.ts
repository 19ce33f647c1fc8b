/** A value once it has stopped changing: what a search box asks for, what a cursor came to rest on. */
import { useEffect, useState } from 'react';

export function useSettled<T>(value: T, quiet_ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (Object.is(settled, value)) return undefined;
    const timer = window.setTimeout(() => setSettled(value), quiet_ms);
    return () => window.clearTimeout(timer);
  }, [value, settled, quiet_ms]);
  return settled;
}
