/**
 * Server state. Each reading command is a query with the key `[command, payload]`; `tags.ts` decides when it becomes stale.
 *
 * Panels read with `useRpc` and write with `useMutate` or plain `call`. They never invalidate anything after a write, because the
 * backend's events do.
 */
import { type QueryClient, QueryClient as Client, keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type Command, type Request, type Response, call } from './call';
import { stamped } from './optimistic';
import type { RpcError } from '../platform';

/** Commands whose answers have decisions applied on top. These answers are stamped, so they must keep their identity. */
const STAMPED: ReadonlySet<string> = new Set<Command>([
  'memories_list',
  'app_status',
  'links_list',
  'playbooks_list',
  'reflections_list',
  'topics_list',
  'gaps_list',
  'person_get',
  'channels_list',
  'agents_list',
  'agents_overview',
  'live_channels_list',
]);

export function createQueryClient(): QueryClient {
  return new Client({
    defaultOptions: {
      // Events report every change, so nothing is refetched without one.
      queries: { staleTime: Infinity, gcTime: 5 * 60_000, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export function rpcKey<K extends Command>(cmd: K, payload: Request<K>): readonly [K, Request<K>] {
  return [cmd, payload] as const;
}

export interface RpcOptions<K extends Command, T> {
  /**
   * Derives the data that the component shows. The function must be stable; the component then re-renders only when the result
   * changes.
   */
  select?: (response: Response<K>) => T;
  enabled?: boolean;
  /** Keeps showing the previous answer while one for another payload is loading. */
  keepPrevious?: boolean;
}

/** Reads the answer of a command and keeps it up to date. */
export function useRpc<K extends Command, T = Response<K>>(cmd: K, payload: Request<K>, options: RpcOptions<K, T> = {}) {
  return useQuery<Response<K>, RpcError, T>({
    queryKey: rpcKey(cmd, payload),
    queryFn: () => (STAMPED.has(cmd) ? stamped<Response<K>>(() => call(cmd, payload)) : call(cmd, payload)),
    structuralSharing: !STAMPED.has(cmd),
    select: options.select,
    enabled: options.enabled ?? true,
    placeholderData: options.keepPrevious ? (keepPreviousData as never) : undefined,
  });
}

/** Writes with a command. */
export function useMutate<K extends Command>(cmd: K) {
  return useMutation<Response<K>, RpcError, Request<K>>({ mutationFn: (payload) => call(cmd, payload) });
}
