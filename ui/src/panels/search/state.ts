/**
 * The state of the Search page. It is kept when the page is left, so that a person who returns finds the same results at the same
 * position.
 *
 * For privacy, queries are kept for this session only.
 */
import type { SearchHit } from '../../api';
import { createListState, createStore, goFromResults } from '../../state';

/** The text in the box. */
export const typed = createStore('');

export const list = createListState();

/** Scroll position of the results of a search, in px. */
export const scrolled = { query: '', top_px: 0 };

/** Queries from which a result was opened, latest first. */
export const recent = createStore<readonly string[]>([]);
const RECENT_MAX = 6;

export function noteRecent(query: string): void {
  recent.update((known) => [query, ...known.filter((each) => each !== query)].slice(0, RECENT_MAX));
}

/** Opens a hit; a message at its exact line. */
export function openHit(hit: Pick<SearchHit, 'kind' | 'id' | 'conversation_id'>, query: string): void {
  if (query !== '') noteRecent(query);
  if (hit.kind === 'message') goFromResults('conversations', { conversation: hit.conversation_id, message: hit.id });
  else if (hit.kind === 'memory') goFromResults('memories', { memory: hit.id });
  else if (hit.kind === 'topic') goFromResults('topics', { topic: hit.id });
  else if (hit.kind === 'person') goFromResults('people', { person: hit.id });
}

/** Clears the state; tests start from here. */
export function resetSearch(): void {
  typed.set('');
  recent.set([]);
  Object.assign(scrolled, { query: '', top_px: 0 });
}
