/** What is about to be erased: asked for from a menu, shown by the panel's own dialog, which outlives what it erases. */
import { createStore } from '../../state/store';

export type EraseTarget =
  | { readonly kind: 'conversation' | 'person'; readonly id: string; readonly name: string }
  /** Memories of the trash, or rejected ones; the statement where it is one. */
  | { readonly kind: 'memories'; readonly ids: readonly string[]; readonly statement: string | null };

export const erasing = createStore<EraseTarget | null>(null);

export const askToErase = (target: EraseTarget): void => erasing.set(target);
