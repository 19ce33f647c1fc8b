/**
 * A minimal external store for React.
 *
 * It contains what a key press changes (cursor, selection, notices, place), so that a key press re-renders only the affected
 * rows: components read through narrow selectors that return primitives or objects of stable identity.
 */
import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get(): T;
  set(next: T): void;
  update(change: (current: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Subscribes to the result of `select`, which must be a primitive or the same object as long as nothing changed. */
export function useStore<T, R>(store: Pick<Store<T>, 'get' | 'subscribe'>, select: (value: T) => R): R {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
