import { describe, expect, test } from 'vitest';
import { beginningOf, blocksOf, estimateHeight } from './blocks';

const shown = (text: string) => blocksOf(text).map(({ kind, text: inside, language }) => [kind, inside, language]);

describe('fenced code', () => {
  test.each<[string, string, unknown[]]>([
    ['plain text is one block', 'one\ntwo', [['prose', 'one\ntwo', null]]],
    ['a fence and its language', 'see:\n```rust\nlet a = 1;\n```\ndone', [['prose', 'see:', null], ['code', 'let a = 1;', 'rust'], ['prose', 'done', null]]],
    ['blank lines beside a fence go', 'a\n\n```\nb\n```\n\nc', [['prose', 'a', null], ['code', 'b', null], ['prose', 'c', null]]],
    ['blank lines inside code stay', '```\n\na\n\nb\n```', [['code', '\na\n\nb', null]]],
    ['an unclosed fence reaches to the end', 'a\n```\nb\nc', [['prose', 'a', null], ['code', 'b\nc', null]]],
    ['a longer fence holds a shorter one', '````\n```\ninner\n```\n````', [['code', '```\ninner\n```', null]]],
    ['tildes do not close backticks', '```\n~~~\n```', [['code', '~~~', null]]],
    ['code in a line is no fence', 'use `x` and ```y``` here', [['prose', 'use `x` and ```y``` here', null]]],
    ['a Windows line end', '```js\r\na\r\n```\r\nb', [['code', 'a\r', 'js'], ['prose', 'b', null]]],
    ['indented first line stays', '   indented', [['prose', '   indented', null]]],
    ['nothing', '', []],
    ['only blanks', ' \n ', []],
  ])('%s', (_, text, expected) => expect(shown(text)).toEqual(expected));

  test('offsets count code points, so that spans find their words', () => {
    const text = '🍳 eggs\n```\n🍞\n```\n\nI bake 🥖 daily';
    for (const block of blocksOf(text)) expect(Array.from(text).slice(block.start, block.start + Array.from(block.text).length).join('')).toBe(block.text);
  });
});

describe('long texts', () => {
  test('a short one is whole', () => expect(beginningOf('short', 100)).toBeNull());
  test('a little over the limit is whole', () => expect(beginningOf('x'.repeat(119), 100)).toBeNull());
  test('it is cut at a space', () => expect(beginningOf(`${'word '.repeat(60)}`, 100)).toBe('word '.repeat(20).trimEnd()));
  test('it is cut hard where there is none', () => expect(beginningOf('x'.repeat(300), 100)).toBe('x'.repeat(100)));
  test('never between the halves of a character', () => expect(beginningOf(`x${'🍳'.repeat(200)}`, 100)).toBe(`x${'🍳'.repeat(49)}`));
});

test('the first guess grows with the text, and a folded row is small', () => {
  expect(estimateHeight('a\nb\nc', false)).toBeGreaterThan(estimateHeight('a', false));
  expect(estimateHeight('a\n'.repeat(500), true)).toBeLessThan(estimateHeight('a', false));
});
