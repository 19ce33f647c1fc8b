/**
 * Asking the one search while somebody types.
 *
 * A question is asked once typing pauses; the one before is waited for, or dropped if nobody wants it any more, so that no pile of
 * questions grows; and an answer is shown for what was asked and nothing else: while the words are others, there is none.
 */
import { useQuery } from '@tanstack/react-query';
import { type SearchRequest, type SearchResponse, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';
import { useSettled } from '../../state/settled';

/** Shorter than a pause between words, longer than one between letters. */
const PAUSE_MS = 140;
/** Whoever comes back within this time finds the results as they were. */
const KEPT_MS = 30 * 60_000;
/** A question that takes longer than this is not waited for: it may never be answered. */
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
  /** The answer to what is asked now. */
  readonly answer: SearchResponse | undefined;
  /** Something is asked and not answered yet. */
  readonly isWaiting: boolean;
  readonly error: RpcError | null;
  readonly retry: () => void;
}

interface SearchingOptions {
  /** Kinds as the API names scopes. */
  scope: string;
  limit: number;
  around: number;
}

/** `query` must be trimmed; nothing is asked for an empty one. */
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
