import { expect, test } from 'vitest';
import type { MemoryDetail } from '../../api';
import { nearOf } from './MemoryBody';

const detail = (near: string | null, ...versions: string[]) => ({ near: near === null ? null : { id: near }, versions: versions.map((id) => ({ id })) }) as MemoryDetail;

test.each([
  ['another memory is near', detail('b', 'a'), 'b'],
  ['an earlier version is no neighbour', detail('b', 'b', 'a'), undefined],
  ['nothing is near', detail(null, 'a'), undefined],
  ['not loaded yet', undefined, undefined],
])('%s', (_, given, expected) => expect(nearOf(given)?.id).toBe(expected));
