import { describe, expect, test, vi } from 'vitest';
import { createKnown, createMapped, createStable, difference, replaced } from './difference';

const split = (text: string) => text.split('').filter((each) => each !== ' ');

describe('what was replaced', () => {
  test.each([
    ['nothing', 'a b c', 'a b c'],
    ['one row left', 'a b c d', 'a c d'],
    ['the first row left', 'a b c', 'b c'],
    ['the last row left', 'a b c', 'a b'],
    ['one row came', 'a c', 'a b c'],
    ['one row is another', 'a b c', 'a x c'],
    ['one of two alike left', 'a a b', 'a b'],
    ['one more that is alike', 'a b', 'a a b'],
    ['all left', 'a b', ''],
    ['all came', '', 'a b'],
    ['another order', 'a b c', 'c b a'],
  ])('%s', (_, before, after) => {
    const { start, endBefore, endAfter } = difference(split(before), split(after));
    expect(replaced(split(before), start, endBefore, split(after).slice(start, endAfter)), 'the one list is made of the other').toEqual(split(after));
    expect(endBefore - start, 'no more is replaced than there is').toBeLessThanOrEqual(before.length);
  });
});

test('what was made of a row is taken over', () => {
  const of = vi.fn((row: { id: string }) => ({ id: row.id }));
  const mapped = createMapped(of);
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: `row-${index}` }));
  const first = mapped(rows);
  expect(mapped(rows), 'the same list is the same').toBe(first);
  of.mockClear();
  const second = mapped(rows.toSpliced(40, 1));
  expect(of, 'a row that left makes nothing').not.toHaveBeenCalled();
  expect(second.length).toBe(99);
  expect(second[40], 'its neighbours are the ones they were').toBe(first[41]);
  mapped(rows.with(7, { id: 'other' }));
  expect(of.mock.calls.map(([row]) => row.id), 'the row that came back, and those between it and the new one').toEqual(expect.arrayContaining(['other', 'row-40']));
});

test('a list of the same rows is the list before', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const stable = createStable<object>();
  const first = stable([a, b]);
  expect(stable([a, b])).toBe(first);
  for (const other of [[a], [a, c], [b, a], [a, b, c], []]) {
    expect(stable(other), 'another row, another order, one more or less').toBe(other);
    expect(stable([...other])).toBe(other);
  }
});

test('a row that says the same is the row that is known', () => {
  const rows = [{ id: 'a', words: 'tea', near: null }, { id: 'b', words: 'rain', near: null }];
  const known = createKnown<{ id: string; words: string; near: string | null; more?: number }>(rows);
  expect(known({ id: 'a', words: 'tea', near: null })).toBe(rows[0]);
  for (const other of [{ id: 'a', words: 'coffee', near: null }, { id: 'b', words: 'rain', near: 'a' }, { id: 'c', words: 'tea', near: null }, { id: 'a', words: 'tea', near: null, more: 1 }]) {
    expect(known(other), JSON.stringify(other)).toBe(other);
  }
});
