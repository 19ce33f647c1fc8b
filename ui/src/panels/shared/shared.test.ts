import { expect, test } from 'vitest';
import type { MemoryDetail } from '../../api';
import { nearOf } from './MemoryBody';
import { proposerName, proposerNames } from './proposers';

const detail = (near: string | null, ...versions: string[]) => ({ near: near === null ? null : { id: near }, versions: versions.map((id) => ({ id })) }) as MemoryDetail;

test.each([
  ['another memory is near', detail('b', 'a'), 'b'],
  ['an earlier version is no neighbour', detail('b', 'b', 'a'), undefined],
  ['nothing is near', detail(null, 'a'), undefined],
  ['not loaded yet', undefined, undefined],
])('%s', (_, given, expected) => expect(nearOf(given)?.id).toBe(expected));

test.each([
  ['builtin/1', 'Built-in'],
  ['builtin-analysis/1', 'Built-in'],
  ['reader/1b8a45c2', 'Built-in'],
  ['llama3.2:3b facts/1', 'llama3.2:3b'],
  ['llama3.2:3b/facts/12', 'llama3.2:3b'],
  ['model:meta-llama/Llama-3.1-8B+knowledge_whole/1', 'meta-llama/Llama-3.1-8B'],
  ['meta-llama/Llama-3.1-8B', 'meta-llama/Llama-3.1-8B'],
  ['/1', '/1'],
])('the proposer %s is called %s', (proposer, expected) => expect(proposerName(proposer)).toBe(expected));

test.each([
  [['builtin/1'], 'Built-in'],
  [['llama3.2 facts/1', 'builtin/1'], 'Built-in and llama3.2'],
  [['builtin/1', 'builtin-analysis/1'], 'Built-in'],
  [['a facts/1', 'builtin/1', 'b facts/1'], 'Built-in, a and b'],
])('%j together', (proposers, expected) => expect(proposerNames(proposers)).toBe(expected));
