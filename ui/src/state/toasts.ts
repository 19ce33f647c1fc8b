/** Notices at the bottom of the window. Only a few at a time; the newest stays longest. */
import { errorMessage } from './attempt';
import { createStore } from './store';
import type { ActionId } from '../keys';

export interface ToastAction {
  readonly label: string;
  /** Shows the action's key next to the label. */
  readonly action?: ActionId;
  readonly run: () => void;
  readonly testId?: string;
}

export interface Toast {
  readonly id: number;
  /** A notice that replaces another one uses its card, which is then not animated again. */
  readonly card: number;
  readonly tone: 'plain' | 'danger' | 'warn';
  readonly text: string;
  readonly actions: readonly ToastAction[];
  /** Optional small choices after the notice, for example why something was dismissed. */
  readonly chips: readonly { label: string; run: () => void }[];
  readonly chipsLabel: string | null;
  /** Kind of the notice; a later notice of the same kind replaces it. */
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

/** Hides the notice of this kind, because what it offers was done. */
export function hideToasts(replaces: string): void {
  toasts.update((shown) => shown.filter((each) => each.replaces !== replaces));
}

/** Hides the notice on this card. */
export function clearCard(card: number): void {
  toasts.update((shown) => shown.filter((each) => each.card !== card));
}

/** Reports a failure with the backend's message. */
export function showError(thrown: unknown): void {
  showToast({ tone: 'danger', text: errorMessage(thrown) });
}
