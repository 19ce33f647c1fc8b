/** What is about to be erased: asked for from a menu, shown by the panel's own dialog, which outlives what it erases. */
import { createStore } from '../../state/store';

export interface EraseTarget {
  readonly kind: 'conversation' | 'person';
  readonly id: string;
  readonly name: string;
}

export const erasing = createStore<EraseTarget | null>(null);

export const askToErase = (target: EraseTarget): void => erasing.set(target);
