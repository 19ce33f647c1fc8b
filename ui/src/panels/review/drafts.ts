/**
 * Wordings begun and not yet approved, each kept with its candidate: going to another row loses none of them.
 *
 * A draft ends when it is approved, cancelled, or its candidate is decided otherwise. Deliberately not here: drawing.
 */
import type { MemoryRow } from '../../api';
import { createStore } from '../../state/store';
import { CONTENT_CHARS_MAX } from '../shared/MemoryEditor';

export interface Draft {
  readonly content: string;
  readonly category: string;
}

export const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

export const keepDraft = (id: string, draft: Draft): void => drafts.update((all) => new Map(all).set(id, draft));

export function dropDrafts(ids: readonly string[]): void {
  if (ids.some((id) => drafts.get().has(id))) drafts.update((all) => new Map([...all].filter(([id]) => !ids.includes(id))));
}

/** The draft of a row, if it says anything else than the row. */
export function changedDraft(all: ReadonlyMap<string, Draft>, row: MemoryRow): Draft | null {
  const draft = all.get(row.id);
  return draft && (draft.content.trim() !== row.content || draft.category !== row.category) ? draft : null;
}

/** Forgets all; tests start from here. */
export const resetDrafts = (): void => drafts.set(new Map());

export function isValidWording(content: string): boolean {
  const length = Array.from(content.trim()).length;
  return length > 0 && length <= CONTENT_CHARS_MAX;
}
