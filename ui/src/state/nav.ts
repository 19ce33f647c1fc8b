/**
 * Which panel is shown, what it was asked to show, and the way back. A plain store: no addresses, because a window has none.
 *
 * `open*` functions go to another panel with something to show there; the panel reads `useNavTarget` and answers each new
 * `at` once.
 */
import { createStore, useStore } from './store';

export const PANELS = ['search', 'review', 'you', 'memories', 'conversations', 'topics', 'sessions', 'reflection', 'playbooks', 'people', 'privacy', 'sources', 'activity', 'settings', 'welcome'] as const;
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
  /** Playbook to put the cursor on. */
  playbook?: string;
  /** Session to put the cursor on. */
  session?: string;
  /** Person to put the cursor on, by id. */
  person?: string;
  /** Suggested or answered pair to put the cursor on. */
  link?: string;
  /** Gap to put the cursor on. */
  gap?: string;
  /** For whom and where a context is to be shown, as `context_preview` takes them. */
  viewAs?: { agent?: string; person?: string; channel?: string };
  /** Only conversations in which something was said in this time, by this person, of this topic. */
  period?: Period;
  /** Words to search for. */
  query?: string;
}

/** A stretch of time, with what to call it. */
export interface Period {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly person?: string;
  readonly topic?: string;
}

interface Place {
  readonly panel: PanelId;
  readonly target: Target | null;
  /** Counts up with every move, so that asking for the same thing twice is two requests. */
  readonly at: number;
  /** A result of a search was opened here. */
  readonly isResult: boolean;
}

export const nav = createStore<Place>({ panel: 'review', target: null, at: 0, isResult: false });

/** Places before this one, the last at the end. More than anybody goes back is not kept. */
const before: Place[] = [];
const BEFORE_MAX = 50;

function move(panel: PanelId, target: Target | null, isResult: boolean): void {
  nav.update((place) => {
    before.push(place);
    if (before.length > BEFORE_MAX) before.shift();
    return { panel, target, at: place.at + 1, isResult };
  });
}

export function go(panel: PanelId, target: Target | null = null): void {
  move(panel, target, false);
}

/** As `go`, from the results of a search: the frame then shows the way back to them. */
export function goFromResults(panel: PanelId, target: Target): void {
  move(panel, target, true);
}

/** Goes where one was before. `false` if there is no such place. */
export function goBack(): boolean {
  const place = before.pop();
  if (!place) return false;
  nav.update(({ at }) => ({ ...place, at: at + 1 }));
  return true;
}

export const openConversation = (conversation: string, message?: string) => go('conversations', { conversation, message });
export const openMemory = (memory: string) => go('memories', { memory });
export const openPerson = (person: string) => go('people', { person });
export const reviewConversation = (conversation: string) => go('review', { onlyConversation: conversation });

export const openSearch = (query: string) => go('search', { query });

export const usePanel = (): PanelId => useStore(nav, (place) => place.panel);

/** What this panel was asked to show: changes identity with every request. */
export const useNavTarget = (panel: PanelId): Target | null => useStore(nav, (place) => (place.panel === panel ? place.target : null));
