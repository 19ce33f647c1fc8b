/**
 * The palette's entries: pages and commands by a few letters; people, topics and memories by search; and the latest choices.
 *
 * Choices are remembered by id only, so that the window's state contains no name or statement after it is erased.
 */
import { useQueries } from '@tanstack/react-query';
import { CornerDownRight, Layers, Library, type LucideIcon, Search, UserRound } from 'lucide-react';
import { useState } from 'react';
import { type MemoryDetail, type PeopleResponse, type SearchHit, type TextRange, type TopicsResponse, call, rpcKey, useRpc } from '../api';
import { ACTION_IDS, type ActionId, action, hotkeys } from '../keys';
import { getUiState, go, openMemory, openPerson, openSearch, setUiState } from '../state';
import { shownStatement } from '../design';
import { t } from '../strings';
import { fuzzyScore } from './fuzzy';
import { RAIL } from './panels';

export interface Item {
  /** Kind and id: `action go.review`, `person ent_…`. */
  readonly key: string;
  readonly group: string;
  readonly label: string;
  readonly ranges?: readonly TextRange[];
  readonly hint?: string;
  readonly action?: ActionId;
  readonly icon: LucideIcon;
  /** True if it opens another page, so that the focus need not return. */
  readonly isMove: boolean;
  readonly run: () => void;
}

const ICONS: Readonly<Record<string, LucideIcon>> = { person: UserRound, topic: Layers, memory: Library };
const OPENS: Readonly<Record<string, (id: string) => void>> = { person: openPerson, topic: (topic) => go('topics', { topic }), memory: openMemory };

const RECENT_KEY = 'palette.recent';
const RECENT_MAX = 6;
const NOTHING: readonly string[] = [];
/** Maximum number of commands shown. Typing more letters narrows them. */
const COMMANDS_MAX = 6;
/** Ranks a recently used entry above an equally good match. */
const RECENT_BONUS = 6;

/** Not commands: keys that move within a list, and opening the palette, which is already open. */
const NO_COMMAND = /\.(next|previous|first|last|extendDown|extendUp|nextMessage|previousMessage)$|^editor\.|^go\.|^app\.palette$/;

function recentKeys(): string[] {
  const stored = getUiState<unknown>(RECENT_KEY, NOTHING);
  return Array.isArray(stored) ? stored.filter((key): key is string => typeof key === 'string') : [];
}

export function noteRecent(key: string): void {
  if (!/^(action|person|topic|memory) /.test(key)) return;
  setUiState(RECENT_KEY, [key, ...recentKeys().filter((each) => each !== key)].slice(0, RECENT_MAX));
}

function pageItem(id: ActionId): Item | null {
  const spec = RAIL.find((each) => each.action === id);
  return spec ? { key: `action ${id}`, group: 'pages', label: t.panels[spec.id], action: id, icon: spec.icon, isMove: true, run: () => go(spec.id) } : null;
}

const commandItem = (id: ActionId): Item => ({ key: `action ${id}`, group: 'commands', label: action(id).label, action: id, icon: CornerDownRight, isMove: false, run: () => hotkeys.run(id) });

export const hitItem = (hit: Pick<SearchHit, 'kind' | 'id' | 'highlights'>, label: string, hint: string): Item => ({
  key: `${hit.kind} ${hit.id}`,
  group: hit.kind,
  label,
  ranges: hit.highlights,
  hint,
  icon: ICONS[hit.kind] ?? Search,
  isMove: true,
  run: () => OPENS[hit.kind]?.(hit.id),
});

export const searchItem = (query: string): Item => ({ key: 'search', group: 'search', label: t.palette.searchFor(query), icon: Search, isMove: true, run: () => openSearch(query) });

/**
 * Pages, and the commands that are available now. Determined when the palette opens; the panel does not change until it closes.
 */
export function useActionItems(): readonly Item[] {
  const [items] = useState(() => {
    const pages = RAIL.flatMap((spec) => pageItem(spec.action) ?? []);
    return [...pages, ...ACTION_IDS.filter((id) => !NO_COMMAND.test(id) && hotkeys.mayAct(id)).map(commandItem)];
  });
  return items;
}

/** Entries that match a few letters, best of each group first. */
export function matching(items: readonly Item[], query: string, recent: readonly string[]): Item[] {
  const scored = items.flatMap((item) => {
    const score = fuzzyScore(query, item.label);
    return score === null ? [] : [{ item, score: score + (recent.includes(item.key) ? RECENT_BONUS : 0) }];
  });
  const sorted = scored.toSorted((a, b) => b.score - a.score).map((each) => each.item);
  return ['pages', 'commands'].flatMap((group) => sorted.filter((item) => item.group === group).slice(0, COMMANDS_MAX));
}

const namesOf = (response: PeopleResponse) => new Map(response.items.map((person) => [person.id, person.name.trim() || t.people.nameless]));
const titlesOf = (response: TopicsResponse) => new Map(response.items.map((topic) => [topic.id, topic.title]));

/** The latest choices that still exist, with their current names. */
export function useRecentItems(actions: readonly Item[]): readonly Item[] {
  const [keys] = useState(recentKeys);
  const has = (kind: string) => keys.some((key) => key.startsWith(`${kind} `));
  const { data: names } = useRpc('people_list', {}, { enabled: has('person'), select: namesOf });
  const { data: titles } = useRpc('topics_list', {}, { enabled: has('topic'), select: titlesOf });
  const memories = useQueries({
    queries: keys
      .filter((key) => key.startsWith('memory '))
      .map((key) => {
        const request = { id: key.slice('memory '.length) };
        return { queryKey: rpcKey('memory_get', request), queryFn: (): Promise<MemoryDetail> => call('memory_get', request) };
      }),
  });
  const label = (kind: string, id: string): string | undefined => {
    if (kind === 'person') return names?.get(id);
    if (kind === 'topic') return titles?.get(id);
    const row = memories.find((query) => query.data?.row.id === id)?.data?.row;
    return row?.status === 'active' ? shownStatement(row.content) : undefined;
  };
  return keys.flatMap((key): Item[] => {
    const [kind = '', id = ''] = key.split(' ');
    const found = kind === 'action' ? actions.find((item) => item.key === key) : undefined;
    if (found) return [{ ...found, group: 'recent' }];
    const known = kind === 'action' ? undefined : label(kind, id);
    return known === undefined ? [] : [{ ...hitItem({ kind, id, highlights: [] }, known, t.search.kindOne[kind] ?? ''), group: 'recent' }];
  });
}
