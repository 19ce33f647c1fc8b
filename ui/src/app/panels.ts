/**
 * The panels there are, in the order of the rail.
 *
 * A panel is a folder `src/panels/<id>/` whose `index.tsx` exports the component as default; it is loaded when it is first
 * shown. One that takes long to answer may export `askFirst`, which asks while the window is still being drawn. It builds on:
 * - `src/design`: every part it is made of (`SplitPane`, `PaneHeader`, `VirtualList`, `Menu`, `Dialog`, `Facet` …);
 * - `src/api`: `useRpc('command', payload, { select })` to read, `useMutate` or `call` to write. It invalidates nothing:
 *   the backend's events do that (`src/api/tags.ts`);
 * - `src/keys`: it adds its actions to the table and answers them with `useActions('<scope>', { … })`. Its scope is active
 *   while it is shown. `hotkeys.setContext({ cursor, selection })` says whether there is a row to act on;
 * - `src/state`: `createStore` for cursor and selection, `useUiState` for what the window remembers, `go`/`openConversation`/
 *   `openMemory`/`reviewConversation` to go elsewhere, `useNavTarget` to learn what it was asked to show, `showToast`;
 *   `decide` in `src/state/decisions.ts` for anything that is done to memories, which gives the undo;
 * - `src/strings/en.ts`: its words, as a section of its own; `src/testids.ts`: what tests hold on to.
 * Rows take an id and read their own state through a narrow selector; moving the cursor must not ask the backend.
 */
import { Activity, BotMessageSquare, CircleUserRound, HardDriveDownload, Inbox, Layers, Library, ListChecks, type LucideIcon, MessagesSquare, ScanEye, Search, Settings, Sparkles, UsersRound, Workflow } from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import type { Counts } from '../api/schema';
import type { ActionId } from '../keys';
import { PANELS, type PanelId } from '../state/nav';

export interface PanelSpec {
  readonly id: PanelId;
  readonly icon: LucideIcon;
  readonly action: ActionId;
  /** The number beside its name in the rail. */
  readonly count?: (counts: Counts) => number;
  /** A number that asks for something to be done. */
  readonly isCall?: boolean;
}

export const RAIL: readonly PanelSpec[] = [
  { id: 'search', icon: Search, action: 'go.search' },
  { id: 'review', icon: Inbox, action: 'go.review', count: (counts) => counts.pending, isCall: true },
  { id: 'you', icon: CircleUserRound, action: 'go.you' },
  { id: 'memories', icon: Library, action: 'go.memories', count: (counts) => counts.active },
  { id: 'conversations', icon: MessagesSquare, action: 'go.conversations', count: (counts) => counts.conversations },
  { id: 'topics', icon: Layers, action: 'go.topics' },
  { id: 'reflection', icon: ListChecks, action: 'go.reflection', count: (counts) => counts.reflections, isCall: true },
  { id: 'playbooks', icon: Workflow, action: 'go.playbooks', count: (counts) => counts.playbooks, isCall: true },
  { id: 'sessions', icon: BotMessageSquare, action: 'go.sessions' },
  { id: 'people', icon: UsersRound, action: 'go.people', count: (counts) => counts.links, isCall: true },
  { id: 'privacy', icon: ScanEye, action: 'go.privacy' },
  { id: 'sources', icon: HardDriveDownload, action: 'go.sources' },
  { id: 'activity', icon: Activity, action: 'go.activity', count: (counts) => counts.alerts, isCall: true },
  { id: 'settings', icon: Settings, action: 'go.settings' },
];

export const WELCOME_ICON = Sparkles;

interface PanelModule {
  readonly default: ComponentType;
  readonly askFirst?: () => void;
}

// The folders decide which panels a build has, so that they can be written independently.
const modules = import.meta.glob<PanelModule>('../panels/*/index.tsx');

/** What a panel is drawn with. Whatever was given out first stays: another component in its place would begin the panel anew. */
const components = new Map<PanelId, ComponentType>();

function fetchPanel(id: PanelId): Promise<PanelModule> | null {
  const load = modules[`../panels/${id}/index.tsx`];
  if (!load) return null;
  return load().then((panel) => {
    if (!components.has(id)) components.set(id, panel.default);
    return panel;
  });
}

/**
 * The component of a panel, or null where the build has none. One whose code is here is drawn at once: React shows what it has
 * waited for no sooner than 300 ms after it showed that it waits, however soon it came.
 */
export function panelComponent(id: PanelId): ComponentType | null {
  const load = modules[`../panels/${id}/index.tsx`];
  if (!load) return null;
  let component = components.get(id);
  if (!component) {
    component = lazy(load);
    components.set(id, component);
  }
  return component;
}

/** Fetches the code of the panel that is about to be shown, and what it shows first. Resolves once the code is here. */
export async function preloadPanel(id: PanelId): Promise<void> {
  try {
    (await fetchPanel(id))?.askFirst?.();
  } catch {
    // What cannot be fetched now is asked for again, and reported, when it is shown.
  }
}

/** Fetches the other panels' code when nothing else is to do, so that going there does not wait. */
export function preloadPanels(): void {
  for (const id of PANELS) void fetchPanel(id)?.catch(() => undefined);
}
