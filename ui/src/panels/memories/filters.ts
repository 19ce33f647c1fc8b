/** The filters of the Memories list. Pure. The window remembers them as plain JSON, which is validated when it is read. */
import type { MemoriesRequest } from '../shared/memoryRows';

export type Sort = 'newest' | 'oldest' | 'confidence';
export const SAID = ['any', 'day', 'week', 'month', 'year', 'older'] as const;
export type Said = (typeof SAID)[number];
export type PrivateSource = 'any' | 'only' | 'without';

export interface Filters {
  readonly status: readonly string[];
  readonly category: readonly string[];
  readonly subject: readonly string[];
  readonly channel: readonly string[];
  /** Minimum confidence as written in the menu, or `any`. */
  readonly confidence: string;
  readonly privateSource: PrivateSource;
  /** How long ago the statement was made, as named in the request, or `any`. */
  readonly said: Said;
  /** Only memories that contradict another one. */
  readonly onlyConflicting: boolean;
  readonly conversation: string | null;
  readonly sort: Sort;
}

/** Approved memories, newest first, which is what most people want to see. */
export const DEFAULT_FILTERS: Filters = {
  status: ['active'],
  category: [],
  subject: [],
  channel: [],
  confidence: 'any',
  privateSource: 'any',
  said: 'any',
  onlyConflicting: false,
  conversation: null,
  sort: 'newest',
};

const strings = (value: unknown, fallback: readonly string[]): readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : fallback;
const oneOf = <T extends string>(value: unknown, known: readonly T[], fallback: T): T => (known as readonly unknown[]).includes(value) ? (value as T) : fallback;

/** Reads remembered filters. Values that this version does not know are replaced by the defaults. */
export function readFilters(remembered: unknown): Filters {
  if (typeof remembered !== 'object' || remembered === null) return DEFAULT_FILTERS;
  const given = remembered as Partial<Record<keyof Filters, unknown>>;
  return {
    status: strings(given.status, DEFAULT_FILTERS.status),
    category: strings(given.category, []),
    subject: strings(given.subject, []),
    channel: strings(given.channel, []),
    confidence: typeof given.confidence === 'string' && (given.confidence === 'any' || Number.isFinite(Number(given.confidence))) ? given.confidence : 'any',
    privateSource: oneOf(given.privateSource, ['any', 'only', 'without'], 'any'),
    said: oneOf(given.said, SAID, 'any'),
    onlyConflicting: given.onlyConflicting === true,
    conversation: typeof given.conversation === 'string' ? given.conversation : null,
    sort: oneOf(given.sort, ['newest', 'oldest', 'confidence'], 'newest'),
  };
}

export function requestOf(filters: Filters, query: string): MemoriesRequest {
  return {
    status: [...filters.status],
    category: [...filters.category],
    subject: [...filters.subject],
    channel: [...filters.channel],
    conversation: filters.conversation,
    query: query.trim() === '' ? null : query.trim(),
    confidence_min: filters.confidence === 'any' ? null : Number(filters.confidence),
    private_source: filters.privateSource === 'any' ? null : filters.privateSource === 'only',
    said: filters.said === 'any' ? null : filters.said,
    only_conflicting: filters.onlyConflicting,
    include_snoozed: true,
    sort: filters.sort,
    limit: 0,
  };
}

/** Whether anything except the order differs from the defaults. */
export function isNarrowed(filters: Filters, query: string): boolean {
  return query.trim() !== '' || JSON.stringify({ ...filters, sort: 'newest' }) !== JSON.stringify(DEFAULT_FILTERS);
}

/** Whether the list shows the trash, and all of it. */
export function isWholeTrash(filters: Filters, query: string): boolean {
  return filters.status.length === 1 && filters.status[0] === 'archived' && !isNarrowed({ ...filters, status: DEFAULT_FILTERS.status }, query);
}
