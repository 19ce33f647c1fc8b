import { expect, test } from 'vitest';
import { type Layer, byId, withLayers } from './layers';

const row = { id: 'a', status: 'open' };
const other = { id: 'b', status: 'open' };
const layer = (fields: object | null, settled: number | null = null): Layer => ({ fields: new Map([['a', fields]]), settled });

test.each<[string, readonly Layer[], string[]]>([
  ['nothing decided', [], ['a open', 'b open']],
  ['under way', [layer({ status: 'same' })], ['a same', 'b open']],
  ['known after the list was asked for', [layer({ status: 'same' }, 8)], ['a same', 'b open']],
  ['known before', [layer({ status: 'same' }, 7)], ['a open', 'b open']],
  ['the later decision is the one that counts', [layer({ status: 'same' }), layer({ status: 'different' })], ['a different', 'b open']],
  ['a row that leaves', [layer(null)], ['b open']],
  ['a row that leaves and is brought back', [layer(null), layer({})], ['a open', 'b open']],
])('layers apply to an answer only as long as it cannot contain them: %s', (_, layers, expected) =>
  expect(withLayers([row, other], 7, layers, byId).map((each) => `${each.id} ${each.status}`)).toEqual(expected));

test('a row that stays as it was is the same object, and so is a list without layers', () => {
  const rows = [row, other];
  expect(withLayers(rows, 7, [layer({ status: 'open' })], byId)[0]).toBe(row);
  expect(withLayers(rows, 7, [layer({ status: 'same' }, 3)], byId)).toBe(rows);
});
