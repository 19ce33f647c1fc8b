/**
 * Remembered state of the window: pane widths, filters, the last panel.
 *
 * It is one JSON text that the backend stores without reading it. It is loaded before the first render and saved when the person
 * pauses. Keys have the form `area.name`.
 */
import { call } from '../api/call';
import { createStore, useStore } from './store';

/** The backend refuses more than 64 KiB. A state that large is a mistake and is not saved. */
const STATE_CHARS_MAX = 60_000;
const WRITE_AFTER_MS = 400;

type State = Readonly<Record<string, unknown>>;

const store = createStore<State>({});
let timer = 0;

export async function loadUiState(): Promise<void> {
  try {
    const { value } = await call('ui_state_get', {});
    const parsed: unknown = value ? JSON.parse(value) : {};
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) store.set(parsed as State);
  } catch {
    // Without remembered state, the defaults are used.
  }
}

export function getUiState<T>(key: string, fallback: T): T {
  const value = store.get()[key];
  return value === undefined || typeof value !== typeof fallback ? fallback : (value as T);
}

export function setUiState(key: string, value: unknown): void {
  store.update((state) => ({ ...state, [key]: value }));
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    const text = JSON.stringify(store.get());
    if (text.length <= STATE_CHARS_MAX) void call('ui_state_set', { value: text }).catch(() => undefined);
  }, WRITE_AFTER_MS);
}

/** A remembered value of a component. `fallback` must be a constant. */
export function useUiState<T>(key: string, fallback: T): [T, (next: T) => void] {
  const value = useStore(store, (state) => state[key]) as T | undefined;
  return [value === undefined || typeof value !== typeof fallback ? fallback : value, (next) => setUiState(key, next)];
}

/** A remembered choice among a few values, and the value after it, for the key that goes through them. */
export function useUiChoice<T extends string>(key: string, values: readonly T[], fallback: T): [value: T, set: (next: T) => void, next: T] {
  const [stored, set] = useUiState<string>(key, fallback);
  const value = values.find((each) => each === stored) ?? fallback;
  return [value, set, values[(values.indexOf(value) + 1) % values.length] ?? fallback];
}
