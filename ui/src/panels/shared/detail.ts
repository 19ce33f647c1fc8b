/**
 * Loads the details of one memory.
 *
 * Moving the cursor sends no request. Details are loaded only when the cursor rests on a row, and in advance for the next row, so
 * that it can be shown immediately.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type MemoryDetail, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';

/** Longer than the time between two repeats of a held key. */
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
  // Sent after the request for the current row, so that the current row is answered first.
  useEffect(() => {
    if (next === null || rested !== id) return;
    void client.prefetchQuery({ queryKey: rpcKey('memory_get', { id: next }), queryFn: () => call('memory_get', { id: next }) });
  }, [client, next, rested, id]);
  return query;
}
