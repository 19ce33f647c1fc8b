/**
 * Cursor and selection of a list, by identity.
 *
 * A list shows the backend's data with the person's changes, so rows come and go under the cursor. `keepCursor` decides where it
 * goes. The functions are pure; `createListState` stores the result outside React.
 */
import { type Store, createStore } from './store';

export interface ListState {
  readonly cursor: string | null;
  readonly selected: ReadonlySet<string>;
  /** Where a range selection started. */
  readonly anchor: string | null;
}

export const EMPTY_LIST: ListState = { cursor: null, selected: new Set(), anchor: null };

const made: Store<ListState>[] = [];

/** State of a list. It outlives the panel, so that the cursor is where it was when the person comes back. */
export function createListState(): Store<ListState> {
  const list = createStore(EMPTY_LIST);
  made.push(list);
  return list;
}

/** Resets all lists; tests start from here. */
export function resetLists(): void {
  for (const list of made) list.set(EMPTY_LIST);
}

/** The id `step` rows from the cursor, within the list. Without a cursor, the first or the last. */
export function stepFrom(ids: readonly string[], cursor: string | null, step: number): string | null {
  if (ids.length === 0) return null;
  const at = cursor === null ? -1 : ids.indexOf(cursor);
  if (at < 0) return (step > 0 ? ids[0] : ids[ids.length - 1]) ?? null;
  return ids[Math.max(0, Math.min(ids.length - 1, at + step))] ?? null;
}

/** The cursor after the list changed: on its row; otherwise on the next remaining row; otherwise on the previous one. */
export function keepCursor(before: readonly string[], after: readonly string[], cursor: string | null): string | null {
  if (after.length === 0) return null;
  if (cursor === null) return after[0] ?? null;
  const isLeft = membership(after);
  if (isLeft(cursor)) return cursor;
  const at = before.indexOf(cursor);
  if (at < 0) return after[0] ?? null;
  for (let i = at + 1; i < before.length; i += 1) {
    const id = before[i];
    if (id !== undefined && isLeft(id)) return id;
  }
  for (let i = at - 1; i >= 0; i -= 1) {
    const id = before[i];
    if (id !== undefined && isLeft(id)) return id;
  }
  return after[0] ?? null;
}

/**
 * Whether an id is in a list. The first few lookups search linearly, because one decision needs one or two; after that, a set is
 * built.
 */
function membership(ids: readonly string[]): (id: string) => boolean {
  let asked = 0;
  let set: Set<string> | null = null;
  return (id) => {
    asked += 1;
    if (asked <= WALKS_MAX) return ids.includes(id);
    set ??= new Set(ids);
    return set.has(id);
  };
}

const WALKS_MAX = 16;

/**
 * The list as it will be once some rows have left. Called before they leave, so that the cursor moves in the same render and its
 * followers are never drawn without a row. The cost depends on the distance to the next row, not on the length of the list.
 */
export function beforeLeaving(state: ListState, ids: readonly string[], leaving: readonly string[]): ListState {
  const gone = new Set(leaving);
  const selected = leaving.some((id) => state.selected.has(id)) ? new Set([...state.selected].filter((id) => !gone.has(id))) : state.selected;
  let { cursor } = state;
  if (cursor !== null && gone.has(cursor)) {
    const at = ids.indexOf(cursor);
    const stays = (id: string | undefined) => id !== undefined && !gone.has(id);
    let next = at;
    while (next >= 0 && next < ids.length && !stays(ids[next])) next += 1;
    if (next >= ids.length) for (next = at; next >= 0 && !stays(ids[next]); ) next -= 1;
    cursor = ids[next] ?? null;
  }
  return cursor === state.cursor && selected === state.selected ? state : { cursor, selected, anchor: state.anchor };
}

/**
 * The list after its rows changed: the cursor is kept, and removed rows are no longer selected. Returns the same object if
 * nothing changed.
 */
export function afterChange(state: ListState, before: readonly string[], after: readonly string[]): ListState {
  const cursor = keepCursor(before, after, state.cursor);
  const left = state.selected.size > 0 ? new Set(after) : null;
  const selected = left && [...state.selected].some((id) => !left.has(id)) ? new Set([...state.selected].filter((id) => left.has(id))) : state.selected;
  if (cursor === state.cursor && selected === state.selected) return state;
  return { cursor, selected, anchor: state.anchor };
}

export const moveTo = (state: ListState, cursor: string | null): ListState => (state.cursor === cursor ? state : { ...state, cursor, anchor: null });

export function toggleSelected(state: ListState, id: string): ListState {
  const selected = new Set(state.selected);
  if (!selected.delete(id)) selected.add(id);
  return { cursor: id, selected, anchor: id };
}

/** Selects from the start of the range to `id`, which gets the cursor. */
export function extendTo(state: ListState, ids: readonly string[], id: string | null): ListState {
  if (id === null) return state;
  const anchor = state.anchor ?? state.cursor ?? id;
  const from = ids.indexOf(anchor);
  const to = ids.indexOf(id);
  if (from < 0 || to < 0) return { ...state, cursor: id };
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { cursor: id, selected: new Set([...state.selected, ...range]), anchor };
}

export const clearSelection = (state: ListState): ListState => (state.selected.size === 0 ? state : { ...state, selected: new Set(), anchor: null });

/** The ids that an action applies to: the selection, otherwise the row under the cursor. */
export const concerned = (state: ListState): string[] => (state.selected.size > 0 ? [...state.selected] : state.cursor === null ? [] : [state.cursor]);
