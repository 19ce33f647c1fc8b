import { expect, test } from 'vitest';
import { CATEGORIES, TINTS, tintOf } from '../design/Badge';
import { TESTIDS } from '../testids';
import { nameOf, number, plural, t } from './index';

test.each([
  [0, '0 memories'],
  [1, '1 memory'],
  [2, '2 memories'],
  [10_000, '10,000 memories'],
])('plural of %d', (count, expected) => expect(plural(count, 'memory', 'memories')).toBe(expected));

test('numbers are grouped', () => expect(number(1_234_567)).toBe('1,234,567'));

test.each([
  ['goal', 'Goal'],
  ['something_new', 'Something new'],
])('the name %s is shown as %s', (name, shown) => expect(nameOf(t.category, name)).toBe(shown));

test('every category has a tint, and knowledge shares one', () => {
  expect(CATEGORIES.map(tintOf).every((tint) => TINTS.includes(tint))).toBe(true);
  expect(CATEGORIES.filter((category) => tintOf(category) === 'knowledge')).toEqual(['reasoning', 'philosophy', 'standard', 'decision', 'reaction']);
});

test('every text says something, in sentence case', () => {
  const texts: [string, string][] = [];
  const walk = (value: unknown, path: string) => {
    if (typeof value === 'string') texts.push([path, value]);
    else if (typeof value === 'object' && value !== null) for (const [key, each] of Object.entries(value)) walk(each, `${path}.${key}`);
  };
  walk(t, 't');
  expect(texts.filter(([, text]) => text.trim() === ''), 'no empty text').toEqual([]);
  expect(texts.filter(([path, text]) => !/^[\p{Lu}\p{N}“(…]/u.test(text) && !/\.(unit|suffix)/.test(path) && /^\p{Ll}/u.test(text) && text.includes('.') && text.split(' ').length > 3), 'sentences begin with a capital').toEqual([]);
});

test('what tests hold on to has one name each', () => {
  const names = Object.values(TESTIDS);
  expect(new Set(names).size).toBe(names.length);
});
