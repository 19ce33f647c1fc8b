/**
 * One memory in full.
 *
 * Moving the cursor asks nothing: only where it rests is asked for, and the next row ahead of time, so that going on shows
 * it at once.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type MemoryDetail, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';

/** Longer than the gap between two presses of a held key. */
const REST_MS = 110;

export function useMemoryDetail(id: string | null, next: string | null) {
  const client = useQueryClient();
  const [rested, setRested] = useState<string | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(id), REST_MS);
    return () => window.clearTimeout(timer);
  }, [id]);
  const query = useQuery<MemoryDetail, RpcError>({
    queryKey: rpcKey('memory_get', { id: id ?? '' }),
    queryFn: () => call('memory_get', { id: id ?? '' }),
    enabled: id !== null && rested === id,
  });
  // After the row's own question, so that the one in view is answered first.
  useEffect(() => {
    if (next === null || rested !== id) return;
    void client.prefetchQuery({ queryKey: rpcKey('memory_get', { id: next }), queryFn: () => call('memory_get', { id: next }) });
  }, [client, next, rested, id]);
  return query;
}
