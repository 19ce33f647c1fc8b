/**
 * The target to be erased. It is set from a menu and shown in the panel's own dialog, which remains open after the target is
 * gone.
 */
import { createStore } from '../../state';

export type EraseTarget =
  | { readonly kind: 'conversation' | 'person' | 'import'; readonly id: string; readonly name: string }
  /** Memories in the trash or dismissed ones; the statement if it is a single one. */
  | { readonly kind: 'memories'; readonly ids: readonly string[]; readonly statement: string | null };

export const erasing = createStore<EraseTarget | null>(null);

export const askToErase = (target: EraseTarget): void => erasing.set(target);
