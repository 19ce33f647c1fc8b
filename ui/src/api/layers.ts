/**
 * The person's decisions about rows, applied on top of cached answers until the answers contain them.
 *
 * This does for all other lists what `optimistic.ts` does for memories. A decision is a layer that says which fields of which
 * rows it changes. The layer applies to answers that were requested before the backend had carried out the decision. An undo is
 * another layer, and a rejected decision removes its layer. A key press therefore always acts on the latest decision, even if
 * answers arrive late. Pure, except for the store.
 */
import { useMemo } from 'react';
import { createStore, useStore } from '../state/store';
import { nextTick, stampOf } from './optimistic';

/** The effect of a decision on one row, and what an undo restores; `null` if the row leaves its list. */
export interface Change<T extends object = object> {
  readonly id: string;
  readonly to: Partial<T> | null;
  readonly from: Partial<T>;
}

export interface Layer {
  readonly fields: ReadonlyMap<string, object | null>;
  /** The tick at which the backend had carried out the decision; null while it is pending. */
  readonly settled: number | null;
}

/**
 * Older settled layers can be dropped: affected lists are requested again after each change, so every answer already contains
 * them.
 */
const LAYERS_MAX = 500;

const layers = createStore<readonly Layer[]>([]);

const NOTHING = { settle: () => undefined, remove: () => undefined };

const isOver = (layer: Layer, stamp: number) => layer.settled === null || layer.settled > stamp;

/** Applies a decision, or with `isBack` its undo, on top of every answer. Returns functions to settle and to remove it. */
export function addLayer(changes: readonly Change[], isBack = false) {
  if (changes.length === 0) return NOTHING;
  let layer: Layer = { fields: new Map(changes.map((change) => [change.id, isBack ? change.from : change.to])), settled: null };
  layers.update((all) => [...(all.length < LAYERS_MAX ? all : all.filter((each, at) => each.settled === null || at > LAYERS_MAX / 2)), layer]);
  return {
    /** The backend has carried out the decision; answers requested from now on contain it. */
    settle() {
      const before = layer;
      layer = { ...before, settled: nextTick() };
      layers.update((all) => all.map((each) => (each === before ? layer : each)));
    },
    /** The decision was not carried out. */
    remove() {
      layers.update((all) => all.filter((each) => each !== layer));
    },
  };
}

/** The rows with the person's decisions applied. Unchanged rows stay the same objects. Pure. */
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

/** The rows of a stamped answer (listed in `query.ts`) with the person's decisions applied. `idOf` must be stable. */
export function useWithLayers<T extends object>(answer: object | undefined, rows: readonly T[], idOf: (row: T) => string): readonly T[] {
  const over = useStore(layers, (all) => all);
  return useMemo(() => withLayers(rows, answer ? stampOf(answer) : 0, over, idOf), [answer, rows, over, idOf]);
}

/** Removes all layers; tests start from here. */
export function resetLayers(): void {
  layers.set([]);
}
