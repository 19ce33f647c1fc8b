import { expect, test } from 'vitest';
import { diffLines } from './diff';

test('what a line says depends on where it stands', () => {
  const diff = ['--- a.lua', '+++ a.lua', '@@ -1,2 +1,2 @@', ' x', '--- an old comment', '+++ added', '+y', '-z', '', '--- b (not there)', '+++ b', '@@ -0,0 +1 @@', '+1', ''].join('\n');
  expect(diffLines(diff).map(({ kind }) => kind)).toEqual(['file', 'file', 'place', undefined, 'removed', 'added', 'added', 'removed', undefined, 'file', 'file', 'place', 'added', undefined]);
  expect(diffLines(diff).map(({ line }) => line).join('\n')).toBe(diff);
});
