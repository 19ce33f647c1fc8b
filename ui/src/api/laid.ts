/**
 * What a person decided about rows, laid over the answers at hand until those can contain it.
 *
 * The way of `optimistic.ts` for every list but that of memories: a decision says which fields of which rows it changes. A layer
 * lies over an answer that was asked for before the backend had done it, an undo is one more layer, and a refusal takes its layer
 * off; so a key is judged by what was decided last, however late the answers come. Pure but for the store.
 */
import { useMemo } from 'react';
import { createStore, useStore } from '../state/store';
import { nextTick, stampOf } from './optimistic';

/** What a decision makes of one row, and what an undo puts back; `null` where the row leaves its list. */
export interface Change<T extends object = object> {
  readonly id: string;
  readonly to: Partial<T> | null;
  readonly from: Partial<T>;
}

export interface Layer {
  readonly fields: ReadonlyMap<string, object | null>;
  /** The tick at which the backend had done it; null while it is under way. */
  readonly settled: number | null;
}

/** Settled layers beyond these are in every answer by now: lists that are laid over are asked again with each change. */
const LAYERS_MAX = 500;

const layers = createStore<readonly Layer[]>([]);

const NOTHING = { settle: () => undefined, lift: () => undefined };

const isOver = (layer: Layer, stamp: number) => layer.settled === null || layer.settled > stamp;

/** Lays a decision, or with `isBack` its undo, over every answer. Returns how to settle it and how to take it off. */
export function lay(changes: readonly Change[], isBack = false) {
  if (changes.length === 0) return NOTHING;
  let layer: Layer = { fields: new Map(changes.map((change) => [change.id, isBack ? change.from : change.to])), settled: null };
  layers.update((all) => [...(all.length < LAYERS_MAX ? all : all.filter((each, at) => each.settled === null || at > LAYERS_MAX / 2)), layer]);
  return {
    /** The backend has done it: answers that are asked for from now on contain it. */
    settle() {
      const before = layer;
      layer = { ...before, settled: nextTick() };
      layers.update((all) => all.map((each) => (each === before ? layer : each)));
    },
    /** It was not done. */
    lift() {
      layers.update((all) => all.filter((each) => each !== layer));
    },
  };
}

/** The rows as the person has left them; a row that nothing lies over is the same object. Pure. */
export function withLayers<T extends object>(rows: readonly T[], stamp: number, over: readonly Layer[], idOf: (row: T) => string): readonly T[] {
  const open = over.filter((layer) => isOver(layer, stamp));
  if (open.length === 0) return rows;
  return rows.flatMap((row) => {
    const id = idOf(row);
    let shown: T | null = row;
    for (const { fields } of open) {
      const change = fields.get(id);
      if (change !== undefined) shown = change === null ? null : differs(shown ?? row, change) ? { ...(shown ?? row), ...change } : (shown ?? row);
    }
    return shown === null ? [] : [shown];
  });
}

const differs = (row: object, change: object) => Object.entries(change).some(([name, value]) => !Object.is((row as Record<string, unknown>)[name], value));

export const byId = (row: { readonly id: string }): string => row.id;

/** Rows out of a stamped answer (`query.ts` names them) as the person has left them. Give it a stable `idOf`. */
export function useLaid<T extends object>(answer: object | undefined, rows: readonly T[], idOf: (row: T) => string): readonly T[] {
  const over = useStore(layers, (all) => all);
  return useMemo(() => withLayers(rows, answer ? stampOf(answer) : 0, over, idOf), [answer, rows, over, idOf]);
}

/** Forgets what lies over the answers; tests start from here. */
export function resetLaid(): void {
  layers.set([]);
}
