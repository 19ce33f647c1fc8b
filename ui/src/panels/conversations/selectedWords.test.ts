import { afterEach, expect, test } from 'vitest';
import { selectedWords } from './selectedWords';

afterEach(() => document.body.replaceChildren());

/** A message with two blocks, the second after a fence, and another message. */
function page(): void {
  document.body.innerHTML = '<article data-message="m1"><p data-start="0">so, 🙂 <span>I live in Leith</span>.</p><pre data-start="40">let x = 1;</pre></article><article data-message="m2"><p data-start="0">Hello</p></article>';
}

function select(from: [string, number], to: [string, number]): Selection | null {
  const node = (path: string) => document.querySelector(path)?.firstChild as Node;
  const range = document.createRange();
  range.setStart(node(from[0]), from[1]);
  range.setEnd(node(to[0]), to[1]);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  return selection;
}

test.each([
  ['words in a span, after an emoji that is one code point', ['span', 0], ['span', 15], { message: 'm1', start: 6, end: 21, words: 'I live in Leith' }],
  ['blanks at the ends do not count', ['span', 1], ['span', 7], { message: 'm1', start: 8, end: 12, words: 'live' }],
  ['a later block has its own beginning', ['pre', 4], ['pre', 5], { message: 'm1', start: 44, end: 45, words: 'x' }],
  ['two messages are no place', ['span', 0], ['[data-message="m2"] p', 3], null],
  ['blanks alone are nothing', ['span', 1], ['span', 2], null],
  ['nothing selected is nothing', ['span', 3], ['span', 3], null],
] as const)('%s', (_name, from, to, expected) => {
  page();
  expect(selectedWords(select([...from], [...to]))).toEqual(expected);
});
