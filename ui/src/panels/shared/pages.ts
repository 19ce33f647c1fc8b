/**
 * Long lists in pages: the number of rows is known immediately, and rows are loaded when they are near the view.
 *
 * Only visible pages are kept up to date. Others stay in the cache for a while and are requested again when shown.
 */
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { type Command, type Request, type Response, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';

/** The pages that contain the rows `first..last`, with a margin of half a page. */
export function pagesInView(first: number, last: number, size: number, total: number): number[] {
  const pageOf = (row: number) => Math.floor(Math.max(0, Math.min(total - 1, row)) / size);
  const from = pageOf(first - size / 2);
  const to = pageOf(last + size / 2);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export interface Paged<R, T> {
  /** The answer of the first page, or else of any loaded page. Every answer contains the counts. */
  readonly head: R | undefined;
  readonly total: number;
  readonly at: (index: number) => T | undefined;
  /** Index of the first loaded row that passes the test, or -1. */
  readonly find: (test: (item: T) => boolean) => number;
  readonly error: RpcError | null;
  readonly isLoading: boolean;
  readonly retry: () => void;
  /** For `VirtualList.onRange`. */
  readonly onRange: (first: number, last: number) => void;
}

interface PagedOptions<K extends Command, T> {
  /** Builds the request for one page. */
  request: (offset: number, limit: number) => Request<K>;
  size: number;
  items: (response: Response<K>) => readonly T[];
  total: (response: Response<K>) => number;
  /** Identity of the list. When it changes, loading starts at the top again. */
  list: string;
  /** A row that must be loaded from the start. */
  start?: number;
}

export function usePages<K extends Command, T>(cmd: K, options: PagedOptions<K, T>): Paged<Response<K>, T> {
  const { size } = options;
  const start = options.start ?? 0;
  const [view, setView] = useState({ list: options.list, first: start, last: start });
  const range = view.list === options.list ? view : { first: start, last: start };
  const [known, setKnown] = useState({ list: '', total: size });
  const bound = known.list === options.list ? known.total : Math.max(size, start + 1);
  const pages = pagesInView(range.first, range.last, size, Math.max(1, bound));
  const queries = useQueries({
    queries: pages.map((page) => {
      const request = options.request(page * size, size);
      return { queryKey: rpcKey(cmd, request), queryFn: () => call(cmd, request) };
    }),
  });
  const head = queries.find((query) => query.data !== undefined)?.data as Response<K> | undefined;
  const total = head === undefined ? 0 : options.total(head);
  if (head !== undefined && (known.list !== options.list || known.total !== total)) setKnown({ list: options.list, total });
  const failed = queries.find((query) => query.isError && query.data === undefined);
  return {
    head,
    total,
    at: (index) => {
      const query = queries[pages.indexOf(Math.floor(index / size))];
      return query?.data === undefined ? undefined : options.items(query.data as Response<K>)[index % size];
    },
    find: (test) => {
      for (const [nth, query] of queries.entries()) {
        const index = query.data === undefined ? -1 : options.items(query.data as Response<K>).findIndex(test);
        if (index >= 0) return (pages[nth] ?? 0) * size + index;
      }
      return -1;
    },
    error: (failed?.error as RpcError | undefined) ?? null,
    isLoading: head === undefined && failed === undefined,
    retry: () => {
      for (const query of queries) if (query.isError) void query.refetch();
    },
    onRange: (first, last) => {
      if (view.list !== options.list || first !== view.first || last !== view.last) setView({ list: options.list, first, last });
    },
  };
}
