/**
 * Dispatches key presses to actions.
 *
 * There is one listener on the window. The current panel is the active scope. Handlers are looked up first in `editor` (if an
 * editor is mounted), then in the active scope, then in `global`. This module uses no React state, so that a key press re-renders
 * only what its handler changes.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { ACTIONS, ACTION_IDS, type ActionId, type ActionIn, type Scope, action, isSingleKey } from './actions';

/** Returns `false` if it did not act, so that the key keeps its default behavior. */
export type ActionHandler = () => unknown;

/** Acts on something if it is there. */
export function actOn<T>(target: T | null | undefined, act: (target: T) => unknown): boolean {
  if (target === null || target === undefined) return false;
  act(target);
  return true;
}

/** Maximum time between `g` and the second key. */
export const SEQUENCE_MS = 1_200;

type KeyEvent = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing' | 'keyCode' | 'defaultPrevented'> & {
  target: EventTarget | null;
};

/**
 * The key in the notation of the key table, or null if it cannot be in the table (a modifier by itself, AltGr characters with
 * Alt).
 */
export function keyName(event: Pick<KeyEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string | null {
  const { key } = event;
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process', 'Unidentified'].includes(key)) return null;
  // Alt+Left goes back, as in a browser. Other keys with Alt type characters or belong to the desktop.
  if (event.altKey) return key === 'ArrowLeft' && !event.ctrlKey && !event.metaKey && !event.shiftKey ? 'Alt+ArrowLeft' : null;
  const printable = [...key].length === 1;
  if (event.ctrlKey || event.metaKey) return `Mod+${event.shiftKey ? 'Shift+' : ''}${printable ? key.toLowerCase() : key}`;
  return !printable && event.shiftKey ? `Shift+${key}` : key;
}

/** Whether the focus is in a text field. */
export function isTextEntry(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true;
  if (target.tagName !== 'INPUT') return false;
  return !['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file', 'color'].includes((target as HTMLInputElement).type);
}

/** Whether the focused control handles this key itself: Enter on a button, arrows on a divider. */
function belongsToControl(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (name === 'Enter' || name === ' ') return target.closest('button,a,summary,[role=button],[role=tab],[role=switch],input') !== null;
  if (/^(Shift\+)?(Arrow|Home|End)/.test(name)) return target.closest('[role=separator],[role=slider],[role=tablist],[role=toolbar],[role=radiogroup],input[type=radio],input[type=range]') !== null;
  return false;
}

const OVERLAYS = '[role=dialog],[role=alertdialog],[role=menu],[data-owns-keys]';

/** Creates a dispatcher. The window has one; tests create their own. */
export function createHotkeys(now: () => number = () => performance.now()) {
  const handlers = new Map<ActionId, ActionHandler[]>();
  const context = { cursor: false, selection: false };
  let activeScope: Scope = 'review';
  let singleKeys = true;
  let prefix: { key: string; at: number } | null = null;

  const isMounted = (id: ActionId) => (handlers.get(id)?.length ?? 0) > 0;
  const inScope = (scope: Scope) => scope === 'global' || scope === 'editor' || scope === activeScope;
  const mayAct = (id: ActionId) => {
    const { scope, when } = action(id);
    return inScope(scope) && isMounted(id) && (when === 'always' || context[when]);
  };
  const priority = (id: ActionId) => ({ editor: 0, global: 2 })[action(id).scope as string] ?? 1;
  const candidates = (name: string) =>
    ACTION_IDS.filter((id) => mayAct(id) && (action(id).keys).includes(name)).sort((a, b) => priority(a) - priority(b));
  const startsSequence = (name: string) => ACTION_IDS.some((id) => mayAct(id) && action(id).keys.some((key) => key.startsWith(`${name} `)));

  const run = (id: ActionId): boolean => {
    const stack = handlers.get(id);
    const handler = stack?.[stack.length - 1];
    return handler ? handler() !== false : false;
  };

  /** Returns whether the key was handled. */
  const press = (event: KeyEvent): boolean => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return false;
    const name = keyName(event);
    if (!name) return false;
    const typing = isTextEntry(event.target);
    const overlaid = event.target instanceof HTMLElement && event.target.closest(OVERLAYS) !== null;
    const pending = prefix && now() - prefix.at <= SEQUENCE_MS ? prefix.key : null;
    prefix = null;
    const allowed = (id: ActionId, key: string) => {
      const spec = action(id);
      if (typing && !spec.inInputs) return false;
      if (overlaid && spec.scope !== 'editor') return false;
      if (!singleKeys && isSingleKey(key)) return false;
      return !(!typing && belongsToControl(event.target, name));
    };
    if (pending) {
      const sequence = `${pending} ${name}`;
      const id = candidates(sequence).find((each) => allowed(each, sequence));
      if (id) return run(id);
    }
    for (const id of candidates(name)) if (allowed(id, name) && run(id)) return true;
    if (!typing && !overlaid && singleKeys && isSingleKey(name) && startsSequence(name)) {
      prefix = { key: name, at: now() };
      return true;
    }
    return false;
  };

  return {
    press,
    run,
    /** Whether the action is possible now; used by menus and the help. */
    mayAct,
    register(id: ActionId, handler: ActionHandler): () => void {
      const stack = handlers.get(id) ?? [];
      handlers.set(id, [...stack, handler]);
      return () => handlers.set(id, (handlers.get(id) ?? []).filter((each) => each !== handler));
    },
    setScope(scope: Scope) {
      activeScope = scope;
      context.cursor = false;
      context.selection = false;
      prefix = null;
    },
    scope: () => activeScope,
    setContext(next: Partial<typeof context>) {
      Object.assign(context, next);
    },
    setSingleKeys(on: boolean) {
      singleKeys = on;
    },
    singleKeys: () => singleKeys,
  };
}

export const hotkeys = createHotkeys();

/** Handles actions of one scope while the component is mounted. Handlers may change between renders; the latest are used. */
export function useActions<S extends Scope>(scope: S, handlers: Partial<Record<ActionIn<S>, ActionHandler>>): void {
  const latest = useRef(handlers);
  // Before the screen is drawn: a key that is pressed as soon as something is seen must do what belongs to it.
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  const ids = (Object.keys(handlers) as ActionIn<S>[]).filter((id) => ACTIONS[id].scope === scope).join('\n');
  useEffect(() => {
    const stops = ids
      .split('\n')
      .filter(Boolean)
      .map((id) => hotkeys.register(id as ActionId, () => latest.current[id as ActionIn<S>]?.()));
    return () => {
      for (const stop of stops) stop();
    };
  }, [ids]);
}
