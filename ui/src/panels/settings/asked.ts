/** Handles a slow request to a model, which may be abandoned. An answer belongs to the object for which it was requested. */
import { useEffect, useRef, useState } from 'react';
import { errorMessage } from '../../state';

export type AskedState<T> = { readonly kind: 'idle' } | { readonly kind: 'asking'; readonly since: number } | { readonly kind: 'failed'; readonly message: string } | { readonly kind: 'done'; readonly result: T };

export interface Asked<T> {
  readonly state: AskedState<T>;
  readonly start: () => void;
  /** Drops the answer, or stops waiting for it. */
  readonly clear: () => void;
}

const IDLE = { kind: 'idle' } as const;

/**
 * When `of` changes, the answer is dropped. `onGivenUp` is called when a pending answer is no longer wanted; it must be stable.
 */
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
      (thrown: unknown) => end({ kind: 'failed', message: errorMessage(thrown) }),
    );
  };
  const clear = () => {
    if (waiting.current) onGivenUp?.();
    waiting.current = null;
    setAnswer({ of, state: IDLE });
  };
  return { state: answer.of === of ? answer.state : IDLE, start, clear };
}
