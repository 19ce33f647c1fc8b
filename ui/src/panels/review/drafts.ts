/**
 * Edited texts that are not approved yet, each stored with its pending memory, so that moving to another row loses nothing.
 *
 * A draft ends when it is approved or canceled, or when another decision is made about its memory. Not in this module: drawing.
 */
import type { MemoryRow } from '../../api';
import { createStore } from '../../state';
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

/** The draft of a row, if it differs from the row. */
export function changedDraft(all: ReadonlyMap<string, Draft>, row: MemoryRow): Draft | null {
  const draft = all.get(row.id);
  return draft && (draft.content.trim() !== row.content || draft.category !== row.category) ? draft : null;
}

/** Deletes all drafts; tests start from here. */
export const resetDrafts = (): void => drafts.set(new Map());

export function isValidWording(content: string): boolean {
  const length = Array.from(content.trim()).length;
  return length > 0 && length <= CONTENT_CHARS_MAX;
}
