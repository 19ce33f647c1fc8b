/** Notices at the bottom of the window. At most a few at a time; the newest stays longest. */
import { createStore } from './store';
import type { ActionId } from '../keys';

export interface ToastAction {
  readonly label: string;
  /** Shows the action's key beside the label. */
  readonly action?: ActionId;
  readonly run: () => void;
  readonly testId?: string;
}

export interface Toast {
  readonly id: number;
  /** A notice that takes another's place stands on the same card, which then need not arrive again. */
  readonly card: number;
  readonly tone: 'plain' | 'danger' | 'warn';
  readonly text: string;
  readonly actions: readonly ToastAction[];
  /** Small choices that may follow the notice and need not: why something was rejected. */
  readonly chips: readonly { label: string; run: () => void }[];
  readonly chipsLabel: string | null;
  /** A later notice of the same kind takes its place. */
  readonly replaces: string | null;
}

const TOASTS_MAX = 3;

export const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

export function showToast(toast: Partial<Omit<Toast, 'id' | 'card'>> & { text: string }): number {
  lastId += 1;
  const id = lastId;
  toasts.update((shown) => {
    const isReplaced = (each: Toast) => toast.replaces != null && each.replaces === toast.replaces;
    const next: Toast = { tone: 'plain', actions: [], chips: [], chipsLabel: null, replaces: null, ...toast, id, card: shown.find(isReplaced)?.card ?? id };
    return [...shown.filter((each) => !isReplaced(each)), next].slice(-TOASTS_MAX);
  });
  return id;
}

export function hideToast(id: number): void {
  toasts.update((shown) => shown.filter((each) => each.id !== id));
}

/** Takes away the notice of this kind, because what it offers was done. */
export function hideToasts(replaces: string): void {
  toasts.update((shown) => shown.filter((each) => each.replaces !== replaces));
}

/** Takes away whatever notice stands on the card. */
export function clearCard(card: number): void {
  toasts.update((shown) => shown.filter((each) => each.card !== card));
}

/** Reports a failure: what happened comes from the backend, in words. */
export function showError(thrown: unknown): void {
  showToast({ tone: 'danger', text: thrown instanceof Error ? thrown.message : String(thrown) });
}
