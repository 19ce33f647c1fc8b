/**
 * What the Search page was left with: it outlives the page, so that whoever comes back finds the same results at the same place.
 *
 * The words are kept for this session only: what somebody looked for is nobody's business tomorrow.
 */
import type { SearchHit } from '../../api';
import { createListState } from '../../state/list';
import { goFromResults } from '../../state/nav';
import { createStore } from '../../state/store';

/** What stands in the box. */
export const typed = createStore('');

export const list = createListState();

/** How far the results of a search were scrolled, px. */
export const scrolled = { query: '', top_px: 0 };

/** What was looked for and opened from, the last first. */
export const recent = createStore<readonly string[]>([]);
const RECENT_MAX = 6;

export function noteRecent(query: string): void {
  recent.update((known) => [query, ...known.filter((each) => each !== query)].slice(0, RECENT_MAX));
}

/** Where a hit is opened: a message at its very line. */
export function openHit(hit: Pick<SearchHit, 'kind' | 'id' | 'conversation_id'>, query: string): void {
  if (query !== '') noteRecent(query);
  if (hit.kind === 'message') goFromResults('conversations', { conversation: hit.conversation_id, message: hit.id });
  else if (hit.kind === 'memory') goFromResults('memories', { memory: hit.id });
  else if (hit.kind === 'topic') goFromResults('topics', { topic: hit.id });
  else if (hit.kind === 'person') goFromResults('people', { person: hit.id });
}

/** Forgets all of it; tests start from here. */
export function resetSearch(): void {
  typed.set('');
  recent.set([]);
  Object.assign(scrolled, { query: '', top_px: 0 });
}
