/**
 * Server state. Every reading command is a query under the key `[command, payload]`; `tags.ts` decides when it is stale.
 *
 * Panels read with `useRpc` and write with `useMutate` or plain `call`; after a write they wait for the backend's event and
 * invalidate nothing themselves.
 */
import { type QueryClient, QueryClient as Client, keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type Command, type Request, type Response, call } from './call';
import { stamped } from './optimistic';
import type { RpcError } from '../platform';

/** Answers that decisions are laid over: they are stamped, and keep their identity for that. */
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
]);

export function createQueryClient(): QueryClient {
  return new Client({
    defaultOptions: {
      // Events say when something changed; nothing is asked again on a hunch.
      queries: { staleTime: Infinity, gcTime: 5 * 60_000, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export function rpcKey<K extends Command>(cmd: K, payload: Request<K>): readonly [K, Request<K>] {
  return [cmd, payload] as const;
}

export interface RpcOptions<K extends Command, T> {
  /** Derives what the component shows. Give it a stable function: rendering then follows only what it returns. */
  select?: (response: Response<K>) => T;
  enabled?: boolean;
  /** Shows the last answer while the next one with another payload is under way. */
  keepPrevious?: boolean;
}

/** Reads one command's answer and follows its changes. */
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

/** Writes with one command. */
export function useMutate<K extends Command>(cmd: K) {
  return useMutation<Response<K>, RpcError, Request<K>>({ mutationFn: (payload) => call(cmd, payload) });
}
