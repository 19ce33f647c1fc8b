/** The rows of a memory list: the backend's answer with the person's decisions applied. */
import { type QueryClient, type QueryKey, hashKey, keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type MemoriesListRequest, type MemoriesListResponse, type MemoryRow, call, rpcKey } from '../../api';
import { log, stampOf, stamped, withDecisions } from '../../api/optimistic';
import { hotkeys } from '../../keys';
import type { RpcError } from '../../platform';
import { type ListState, type Store, afterChange, created, createKnown, createMapped, createStable, moveTo, painted, restored, showError, useStore } from '../../state';

export type MemoriesRequest = Partial<MemoriesListRequest>;

export interface MemoryRows {
  readonly rows: readonly MemoryRow[];
  readonly ids: readonly string[];
  readonly total: number;
  /** True if all rows are loaded, not only the first ones. */
  readonly isWhole: boolean;
  readonly response: MemoriesListResponse | undefined;
  readonly error: RpcError | null;
  readonly isLoading: boolean;
  readonly retry: () => void;
}

const NO_ROWS: readonly MemoryRow[] = [];

/**
 * Number of rows loaded first: a few screens, so that a person who scrolls immediately does not reach the end before the rest is
 * loaded.
 */
export const FIRST_ROWS = 200;

/**
 * Number of rows per page: about one megabyte, which can be parsed in a few milliseconds. Ten thousand rows in one answer would
 * delay a key press.
 */
export const PAGE_ROWS = 2_000;

/**
 * Maximum number of times that loading restarts because rows were added or removed meanwhile. After that, all rows are requested
 * in one answer.
 */
const TRIES_MAX = 3;

/** Answers that contain only the first rows. */
const beginnings = new WeakSet<MemoriesListResponse>();

/** First rows that were requested before there was a list to show them, by query key, with the time of the request. */
const early = new Map<string, { readonly answer: Promise<MemoriesListResponse>; readonly asked_ms: number }>();

/**
 * Maximum age of an early answer, longer than drawing a window takes. After that, the list may have changed and is requested
 * again.
 */
const EARLY_MAX_MS = 3_000;

const firstRows = (request: MemoriesRequest) => stamped(() => call('memories_list', { ...request, limit: FIRST_ROWS }));

/** Requests the first rows of a list before it is shown. The list itself repeats a failed request and reports the error. */
export function askEarly(request: MemoriesRequest): void {
  const key = hashKey(rpcKey('memories_list', request));
  if (early.has(key)) return;
  const answer = firstRows(request);
  answer.catch(() => undefined);
  early.set(key, { answer, asked_ms: performance.now() });
}

/**
 * Returns the early answer, only once. An empty answer is dropped and the list is requested again, because on first run the list
 * fills while the window is open.
 */
async function takeEarly(key: QueryKey): Promise<MemoriesListResponse | null> {
  const hash = hashKey(key);
  const asked = early.get(hash);
  early.delete(hash);
  if (!asked || performance.now() - asked.asked_ms > EARLY_MAX_MS) return null;
  const answer = await asked.answer.catch(() => null);
  return answer && answer.items.length > 0 ? answer : null;
}

/**
 * Loads a list. If it is not shown yet, its first rows are loaded, and the others once those are painted. Unchanged rows stay the
 * same objects, so that they are not computed or drawn again.
 */
async function askRows(client: QueryClient, request: MemoriesRequest): Promise<MemoriesListResponse> {
  const key = rpcKey('memories_list', request);
  const before = client.getQueryData<MemoriesListResponse>(key);
  if (before) return stamped(() => allRows(request, before.items));
  const first = (await takeEarly(key)) ?? (await firstRows(request));
  if (first.items.length >= first.total) return first;
  beginnings.add(first);
  client.setQueryData(key, first);
  await painted();
  try {
    return await stamped(() => allRows(request, first.items));
  } catch (thrown) {
    // Reported, because otherwise the first rows would be taken for the whole list.
    showError(thrown);
    throw thrown;
  }
}

/**
 * Loads page by page. A decision between two pages shifts the following rows, so that one could be missed. If the total number
 * changes, loading restarts. (A change that keeps the total also sends an event, after which the list is requested again.)
 */
async function allRows(request: MemoriesRequest, before: readonly MemoryRow[]): Promise<MemoriesListResponse> {
  const known = createKnown(before);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const first = await call('memories_list', { ...request, limit: PAGE_ROWS });
    const items = first.items.map(known);
    let page = first;
    while (page.total === first.total && page.items.length > 0 && items.length < first.total) {
      page = await call('memories_list', { ...request, offset: items.length, limit: PAGE_ROWS, without_facets: true });
      items.push(...page.items.map(known));
    }
    if (items.length === first.total && page.total === first.total) return { ...first, items };
  }
  const answer = await call('memories_list', request);
  return { ...answer, items: answer.items.map(known) };
}

/** `request` must keep its identity as long as its content does not change. */
export function useMemoryRows(request: MemoriesRequest): MemoryRows {
  const client = useQueryClient();
  const query = useQuery<MemoriesListResponse, RpcError>({
    queryKey: rpcKey('memories_list', request),
    queryFn: () => askRows(client, request),
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  // The response to a decision leaves the rows unchanged, so nothing is redrawn.
  const [stable] = useState(() => createStable<MemoryRow>());
  const rows = useStore(log, (entries) => stable(data ? withDecisions(data.items, stampOf(data), request, entries) : NO_ROWS));
  const [idsOf] = useState(() => createMapped((row: MemoryRow) => row.id));
  const ids = useMemo(() => idsOf(rows), [idsOf, rows]);
  const total = (data?.total ?? 0) - (data ? data.items.length - rows.length : 0);
  const isWhole = data !== undefined && !beginnings.has(data);
  return { rows, ids, total, isWhole, response: data, error: query.error, isLoading: query.isPending, retry: () => void query.refetch() };
}

/**
 * For actions on all rows: applies `act` to the loaded rows, and again when the rest is loaded. `act` must check whether the
 * action is still wanted then.
 */
export function useAllRows({ ids, isWhole }: Pick<MemoryRows, 'ids' | 'isWhole'>): (act: (ids: readonly string[]) => void) => void {
  const wanted = useRef<((ids: readonly string[]) => void) | null>(null);
  useLayoutEffect(() => {
    if (!isWhole) return;
    wanted.current?.(ids);
    wanted.current = null;
  }, [ids, isWhole]);
  return (act) => {
    act(ids);
    wanted.current = isWhole ? null : act;
  };
}

/** Moves to the last row. */
export function useLastRow(list: Store<ListState>, memories: Pick<MemoryRows, 'ids' | 'isWhole'>): () => void {
  const withAll = useAllRows(memories);
  return () => {
    let stoodAt: string | null | undefined;
    withAll((ids) => {
      const last = ids[ids.length - 1] ?? null;
      list.update((state) => (stoodAt === undefined || state.cursor === stoodAt ? moveTo(state, last) : state));
      stoodAt = last;
    });
  };
}

/**
 * Keeps the cursor and the selection of a list whose rows change, and reports to the key table whether there is a row to act on.
 * Returns a function that puts the cursor on a row as soon as the row is loaded.
 */
export function useListCursor(list: Store<ListState>, ids: readonly string[]): (id: string) => void {
  const before = useRef(ids);
  const wanted = useRef<string | null>(null);
  // Runs before the paint, so that the cursor is never shown on a removed row.
  useLayoutEffect(() => {
    list.update((state) => afterChange(state, before.current, ids));
    before.current = ids;
    const id = wanted.current;
    if (id !== null && ids.includes(id)) {
      wanted.current = null;
      list.update((state) => ({ ...state, cursor: id }));
    }
  }, [ids, list]);
  useEffect(() => {
    const tell = () => {
      const { cursor, selected } = list.get();
      hotkeys.setContext({ cursor: cursor !== null, selection: selected.size > 0 });
    };
    tell();
    return list.subscribe(tell);
  }, [list]);
  // After an undo, the cursor moves to the restored row as soon as it is loaded. After an edit, it follows the new version.
  useEffect(() => {
    const stops = [
      restored.subscribe(() => {
        const id = restored.get().ids[0] ?? null;
        if (id !== null && before.current.includes(id)) list.update((state) => ({ ...state, cursor: id }));
        else wanted.current = id;
      }),
      created.subscribe(() => {
        const made = created.get().find((version) => version.from === list.get().cursor);
        if (made) wanted.current = made.id;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [list]);
  return useCallback(
    (id) => {
      if (before.current.includes(id)) list.update((state) => ({ ...state, cursor: id }));
      else wanted.current = id;
    },
    [list],
  );
}
