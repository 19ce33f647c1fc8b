/**
 * The panels, in the order of the sidebar.
 *
 * A panel is a folder `src/panels/<id>/` whose `index.tsx` exports the component as default. It is loaded when it is first shown.
 * A panel with a slow first request may export `askFirst`, which sends it while the window is still being drawn. Panels use:
 * - `src/design`: all components (`SplitPane`, `PaneHeader`, `VirtualList`, `Menu`, `Dialog`, `Facet` …);
 * - `src/api`: `useRpc('command', payload, { select })` to read, `useMutate` or `call` to write. Panels invalidate nothing,
 *   because the backend's events do (`src/api/tags.ts`);
 * - `src/keys`: a panel adds its actions to the table and handles them with `useActions('<scope>', { … })`. Its scope is active
 *   while it is shown. `hotkeys.setContext({ cursor, selection })` says whether there is a row to act on;
 * - `src/state`: `createStore` for cursor and selection, `useUiState` for remembered state, `go`/`openConversation`/
 *   `openMemory`/`reviewConversation` to go elsewhere, `useNavTarget` for what the panel should show, `showToast`, and `decide`
 *   in `src/state/decisions.ts` for all actions on memories, which provides the undo;
 * - `src/strings/en.<panel>.ts`: the panel's texts; `src/testids.ts`: the ids that tests use;
 * - `src/panels/shared`: parts that several panels share, above all `ListDetail`, a list next to the detail of its row, with all of its
 *   states and moves.
 *
 * Rows take an id and read their own state through a narrow selector. Moving the cursor must not send requests.
 */
import { Activity, BotMessageSquare, CircleUserRound, HardDriveDownload, Inbox, Layers, Library, ListChecks, type LucideIcon, MessagesSquare, ScanEye, Search, Settings, UsersRound, Workflow } from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import type { Counts } from '../api/schema';
import type { ActionId } from '../keys';
import { type PanelId, PANELS } from '../state';

export interface PanelSpec {
  readonly id: PanelId;
  readonly icon: LucideIcon;
  readonly action: ActionId;
  /** The number next to its name in the sidebar. */
  readonly count?: (counts: Counts) => number;
  /** True if the number asks the person to act. */
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


interface PanelModule {
  readonly default: ComponentType;
  readonly askFirst?: () => void;
}

// A build has the panels whose folders exist, so that panels can be developed independently.
const modules = import.meta.glob<PanelModule>('../panels/*/index.tsx');

/** The component of each panel. The first one is kept, because a different component would remount the panel. */
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
 * The component of a panel, or null if the build does not have it. If the panel's code is already loaded, the component is
 * returned directly instead of through `lazy`, because React shows a loading state for at least 300 ms.
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

/** Fetches the code of the panel that is about to be shown, and its first data. Resolves when the code is loaded. */
export async function preloadPanel(id: PanelId): Promise<void> {
  try {
    (await fetchPanel(id))?.askFirst?.();
  } catch {
    // A failed fetch is repeated when the panel is shown, and reported then.
  }
}

/** Fetches the other panels' code when idle, so that they open without delay. */
export function preloadPanels(): void {
  for (const id of PANELS) void fetchPanel(id)?.catch(() => undefined);
}
