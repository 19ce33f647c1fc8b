import { describe, expect, test } from 'vitest';
import { fuzzyScore } from './fuzzy';

describe('a few letters name', () => {
  const NAMES = ['Go to Review', 'Go to Memories', 'Keyboard shortcuts', 'Approve', 'Approve selected', 'Analysis results', 'Show or hide status'];
  const best = (typed: string) =>
    NAMES.map((name) => [name, fuzzyScore(typed, name)] as const)
      .filter((each): each is readonly [string, number] => each[1] !== null)
      .toSorted((a, b) => b[1] - a[1])
      .map(([name]) => name);

  test.each([
    ['app', ['Approve', 'Approve selected']],
    ['as', ['Approve selected']],
    ['gtm', ['Go to Memories']],
    ['memo', ['Go to Memories']],
    ['short key', ['Keyboard shortcuts']],
    ['ks', ['Keyboard shortcuts']],
    ['ÀPPROVE', ['Approve', 'Approve selected']],
    ['xyz', []],
    ['evorppa', []],
  ])('%s', (typed, names) => expect(best(typed).slice(0, names.length || 1)).toEqual(names));

  test('nothing typed names everything alike, the shorter first', () => expect(best('')[0]).toBe('Approve'));
});
