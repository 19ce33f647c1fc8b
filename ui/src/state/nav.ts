/**
 * The current panel, what it should show, and the way back. A plain store without URLs, because a window has no address bar.
 *
 * `open*` functions go to another panel with something to show there. The panel reads `useNavTarget` and handles each new `at`
 * once.
 */
import { useEffect, useEffectEvent, useState } from 'react';
import { createStore, useStore } from './store';

export const PANELS = ['search', 'review', 'you', 'memories', 'conversations', 'topics', 'sessions', 'reflection', 'playbooks', 'people', 'privacy', 'sources', 'activity', 'settings', 'welcome'] as const;
export type PanelId = (typeof PANELS)[number];

export interface Target {
  /** Conversation to open, and the message to scroll to. */
  conversation?: string;
  message?: string;
  /** Memory to put the cursor on. */
  memory?: string;
  /** Only what rests on this conversation. */
  onlyConversation?: string;
  /** Only entries of this gate. */
  gate?: string;
  /** Topic to put the cursor on. */
  topic?: string;
  /** Playbook to put the cursor on. */
  playbook?: string;
  /** Session to put the cursor on. */
  session?: string;
  /** Person to put the cursor on, by id. */
  person?: string;
  /** Suggested or answered pair of handles to put the cursor on. */
  link?: string;
  /** Gap to put the cursor on. */
  gap?: string;
  /** Audience of the context to show, as in `context_preview`. */
  viewAs?: { agent?: string; person?: string; channel?: string };
  /** Only conversations with messages in this time, by this person, in this topic. */
  period?: Period;
  /** Words to search for. */
  query?: string;
}

/** A time range, with a name for display. */
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
  /** Incremented with every move, so that asking for the same thing twice is two requests. */
  readonly at: number;
  /** A search result was opened here. */
  readonly isResult: boolean;
}

export const nav = createStore<Place>({ panel: 'review', target: null, at: 0, isResult: false });

/** Earlier places, the latest at the end, limited to as many as anyone goes back. */
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

/** Like `go`, from search results: the frame then shows a link back to them. */
export function goFromResults(panel: PanelId, target: Target): void {
  move(panel, target, true);
}

/** Goes back to the previous place. `false` if there is none. */
export function goBack(): boolean {
  const place = before.pop();
  if (!place) return false;
  nav.update(({ at }) => ({ ...place, at: at + 1 }));
  return true;
}

export const openConversation = (conversation: string, message?: string) => go('conversations', { conversation, message });
/** Opens a message where it stands. `false` if there is none. */
export function openLine(line: { readonly conversation_id: string; readonly message_id?: string | undefined } | undefined): boolean {
  if (line) openConversation(line.conversation_id, line.message_id);
  return line !== undefined;
}
export const openMemory = (memory: string) => go('memories', { memory });
export const openPerson = (person: string) => go('people', { person });
export const reviewConversation = (conversation: string) => go('review', { onlyConversation: conversation });

export const openSearch = (query: string) => go('search', { query });

export const usePanel = (): PanelId => useStore(nav, (place) => place.panel);

/** What this panel should show; a new object for every request. */
export const useNavTarget = (panel: PanelId): Target | null => useStore(nav, (place) => (place.panel === panel ? place.target : null));

/**
 * Handles each request to a panel once, as soon as possible: `act` returns `false` if it must wait. Pass `answered`, created
 * outside the component, if returning to the view must not repeat a request.
 */
export function useAnswer(target: Target | null, act: (target: Target) => unknown, answered?: WeakSet<Target>): void {
  const [own] = useState(() => new WeakSet<Target>());
  const handled = answered ?? own;
  const answer = useEffectEvent(act);
  useEffect(() => {
    if (target && !handled.has(target) && answer(target) !== false) handled.add(target);
  });
}
