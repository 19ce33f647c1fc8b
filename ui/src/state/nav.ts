/**
 * Which panel is shown, and what it was asked to show. A plain store: no addresses, because a window has none.
 *
 * `open*` functions go to another panel with something to show there; the panel reads `useNavTarget` and answers each new
 * `at` once.
 */
import { createStore, useStore } from './store';

export const PANELS = ['review', 'memories', 'conversations', 'topics', 'people', 'privacy', 'sources', 'activity', 'settings', 'welcome'] as const;
export type PanelId = (typeof PANELS)[number];

export interface Target {
  /** Conversation to open, and the message to bring into view. */
  conversation?: string;
  message?: string;
  /** Memory to put the cursor on. */
  memory?: string;
  /** Only what rests on this conversation. */
  onlyConversation?: string;
  /** What one gate stopped. */
  gate?: string;
  /** Topic to put the cursor on. */
  topic?: string;
  /** Person to put the cursor on, by id. */
  person?: string;
  /** Suggested or answered pair to put the cursor on. */
  link?: string;
  /** Gap to put the cursor on. */
  gap?: string;
  /** For whom and where a context is to be shown, as `context_preview` takes them. */
  viewAs?: { person?: string; channel?: string };
  /** Words to search for. */
  query?: string;
}

interface Place {
  readonly panel: PanelId;
  readonly target: Target | null;
  /** Counts up with every move, so that asking for the same thing twice is two requests. */
  readonly at: number;
}

export const nav = createStore<Place>({ panel: 'review', target: null, at: 0 });

export function go(panel: PanelId, target: Target | null = null): void {
  nav.update(({ at }) => ({ panel, target, at: at + 1 }));
}

export const openConversation = (conversation: string, message?: string) => go('conversations', { conversation, message });
export const openMemory = (memory: string) => go('memories', { memory });
export const openPerson = (person: string) => go('people', { person });
export const reviewConversation = (conversation: string) => go('review', { onlyConversation: conversation });

export const usePanel = (): PanelId => useStore(nav, (place) => place.panel);

/** What this panel was asked to show: changes identity with every request. */
export const useNavTarget = (panel: PanelId): Target | null => useStore(nav, (place) => (place.panel === panel ? place.target : null));
