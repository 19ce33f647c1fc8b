/**
 * Searches while the person types.
 *
 * A query is sent when typing pauses. It waits for the previous query to finish, and is dropped if it is no longer wanted by
 * then, so that queries do not pile up. An answer is shown only for its own query; while the typed words differ, there is none.
 */
import { useQuery } from '@tanstack/react-query';
import { type SearchRequest, type SearchResponse, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';
import { useSettled } from '../../state';

/** The pause after which a query is sent: shorter than between words, longer than between letters. */
const PAUSE_MS = 140;
/** A person who returns within this time finds the same results. */
const KEPT_MS = 30 * 60_000;
/** Maximum time to wait for the previous query, which may never be answered. */
const TURN_MAX_MS = 1_000;

let last: Promise<unknown> = Promise.resolve();

function askInTurn(request: SearchRequest, signal: AbortSignal): Promise<SearchResponse> {
  const turn = Promise.race([last, new Promise((resolve) => setTimeout(resolve, TURN_MAX_MS))]);
  const answer = turn.then(() => {
    signal.throwIfAborted();
    return call('search', request);
  });
  last = answer.catch(() => undefined);
  return answer;
}

export interface Searching {
  /** The answer to the current query. */
  readonly answer: SearchResponse | undefined;
  /** True if the current query has not been answered yet. */
  readonly isWaiting: boolean;
  readonly error: RpcError | null;
  readonly retry: () => void;
}

interface SearchingOptions {
  /** The kinds to search for, as named in the API. */
  scope: string;
  limit: number;
  around: number;
}

/** `query` must be trimmed; an empty one sends no request. */
export function useSearching(query: string, { scope, limit, around }: SearchingOptions): Searching {
  const asked = useSettled(query, PAUSE_MS);
  const request: SearchRequest = { query: asked, scope, limit, around, agent: null, person: null, channel: null, explain: false, ranking: false };
  const result = useQuery<SearchResponse, RpcError>({
    queryKey: rpcKey('search', request),
    queryFn: ({ signal }) => askInTurn(request, signal),
    enabled: asked !== '',
    gcTime: KEPT_MS,
  });
  const isSame = asked === query && query !== '';
  return {
    answer: isSame ? result.data : undefined,
    isWaiting: query !== '' && (!isSame || (result.data === undefined && !result.isError)),
    error: isSame && result.data === undefined ? result.error : null,
    retry: () => void result.refetch(),
  };
}
