/** Memories as a list shows them: the backend's answer with the person's decisions laid over it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type MemoriesListRequest, type MemoriesListResponse, type MemoryRow, call, rpcKey } from '../../api';
import { log, stampOf, stamped, withDecisions } from '../../api/optimistic';
import { hotkeys } from '../../keys';
import type { RpcError } from '../../platform';
import { created, restored } from '../../state/decisions';
import { createMapped } from '../../state/difference';
import { type ListState, afterChange } from '../../state/list';
import { type Store, useStore } from '../../state/store';

export type MemoriesRequest = Partial<MemoriesListRequest>;

export interface MemoryRows {
  readonly rows: readonly MemoryRow[];
  readonly ids: readonly string[];
  readonly total: number;
  readonly response: MemoriesListResponse | undefined;
  readonly error: RpcError | null;
  readonly isLoading: boolean;
  readonly retry: () => void;
}

const NO_ROWS: readonly MemoryRow[] = [];

/** `request` must keep its identity while it means the same. */
export function useMemoryRows(request: MemoriesRequest): MemoryRows {
  const query = useQuery<MemoriesListResponse, RpcError>({
    queryKey: rpcKey('memories_list', request),
    queryFn: () => stamped(() => call('memories_list', request)),
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  // That a decision has arrived leaves the rows as they are, so that nothing is drawn.
  const rows = useStore(log, (entries) => (data ? withDecisions(data.items, stampOf(data), request, entries) : NO_ROWS));
  const [idsOf] = useState(() => createMapped((row: MemoryRow) => row.id));
  const ids = useMemo(() => idsOf(rows), [idsOf, rows]);
  const total = (data?.total ?? 0) - (data ? data.items.length - rows.length : 0);
  return { rows, ids, total, response: data, error: query.error, isLoading: query.isPending, retry: () => void query.refetch() };
}

/**
 * Keeps cursor and selection with a list whose rows come and go, and tells the key table what there is to act on.
 * Returns a function that puts the cursor on a row as soon as it is there.
 */
export function useListCursor(list: Store<ListState>, ids: readonly string[]): (id: string) => void {
  const before = useRef(ids);
  const wanted = useRef<string | null>(null);
  // Before the paint, so that the cursor is never seen on a row that has left.
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
  // An undo puts the cursor on what came back, as soon as it is there; an edit follows its new version.
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
