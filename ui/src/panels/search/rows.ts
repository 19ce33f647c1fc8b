/** The results in display order: all of one kind, or a few of each kind with a heading and a link to the rest. Pure. */
import type { SearchHit, SearchResponse } from '../../api';
import { KINDS, type Kind } from './operators';

export type Row =
  | { readonly kind: 'heading'; readonly key: string; readonly of: Kind; readonly count: number }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: SearchHit }
  | { readonly kind: 'more'; readonly key: string; readonly of: Kind; readonly count: number };

/** The backend's order: people, memories, topics, messages. */
const ORDER: readonly Kind[] = ['person', 'memory', 'topic', 'message'];

/** Maximum number of results of each kind in the combined list. Messages come last and are not limited. */
export const AMONG: Readonly<Record<Kind, number>> = { person: 3, memory: 4, topic: 3, message: Number.POSITIVE_INFINITY };

export const keyOf = (hit: Pick<SearchHit, 'kind' | 'id'>): string => `${hit.kind} ${hit.id}`;

const isKind = (kind: string): kind is Kind => (KINDS as readonly string[]).includes(kind);

export function rowsOf(answer: Pick<SearchResponse, 'hits'>, kind: Kind | 'all'): Row[] {
  const row = (hit: SearchHit): Row => ({ kind: 'hit', key: keyOf(hit), hit });
  const hits = answer.hits.filter((hit) => isKind(hit.kind));
  if (kind !== 'all') return hits.map(row);
  return ORDER.flatMap((of): Row[] => {
    const own = hits.filter((hit) => hit.kind === of);
    if (own.length === 0) return [];
    const shown = own.slice(0, AMONG[of]);
    const rest = own.length - shown.length;
    return [{ kind: 'heading', key: `heading ${of}`, of, count: own.length }, ...shown.map(row), ...(rest > 0 ? [{ kind: 'more' as const, key: `more ${of}`, of, count: rest }] : [])];
  });
}
