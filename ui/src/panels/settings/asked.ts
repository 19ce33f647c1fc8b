/** A slow request to a model: sent, pending, abandoned. An answer belongs to the object it was requested for. */
import { useEffect, useRef, useState } from 'react';
import { saidBy } from './models';

export type AskedState<T> = { readonly kind: 'idle' } | { readonly kind: 'asking'; readonly since: number } | { readonly kind: 'failed'; readonly message: string } | { readonly kind: 'done'; readonly result: T };

export interface Asked<T> {
  readonly state: AskedState<T>;
  readonly start: () => void;
  /** Drops the answer, or stops waiting for it. */
  readonly clear: () => void;
}

const IDLE = { kind: 'idle' } as const;

/** A different `of` drops the answer. `onGivenUp` must be stable; it is called when the pending answer is no longer wanted. */
export function useAsked<T>(of: string, ask: () => Promise<T>, onGivenUp?: () => void): Asked<T> {
  const [answer, setAnswer] = useState<{ of: string; state: AskedState<T> }>({ of, state: IDLE });
  /** The pending request. */
  const waiting = useRef<symbol | null>(null);
  useEffect(
    () => () => {
      if (waiting.current) onGivenUp?.();
      waiting.current = null;
    },
    [onGivenUp],
  );
  const start = () => {
    const mine = Symbol(of);
    waiting.current = mine;
    const end = (state: AskedState<T>) => {
      if (waiting.current !== mine) return;
      waiting.current = null;
      setAnswer({ of, state });
    };
    setAnswer({ of, state: { kind: 'asking', since: Date.now() } });
    ask().then(
      (result) => end({ kind: 'done', result }),
      (thrown: unknown) => end({ kind: 'failed', message: saidBy(thrown) }),
    );
  };
  const clear = () => {
    if (waiting.current) onGivenUp?.();
    waiting.current = null;
    setAnswer({ of, state: IDLE });
  };
  return { state: answer.of === of ? answer.state : IDLE, start, clear };
}
