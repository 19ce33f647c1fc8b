/** The part of a text that matches: a few lines around the first matching words. Pure. Offsets are in code points. */
import type { TextRange } from '../../api';

export interface Excerpt {
  readonly text: string;
  readonly ranges: readonly TextRange[];
}

/** Length of an excerpt: two lines in the widest list. */
export const EXCERPT_CHARS = 240;
/** Length of the text before the first matching word, so that the word can be read in its sentence. */
const BEFORE_CHARS = 60;
/** Maximum distance by which the cut may move in order to start with a whole word. */
const WORD_CHARS = 20;

const isSpace = (point: string | undefined) => point !== undefined && /\s/u.test(point);

export function excerptOf(text: string, ranges: readonly TextRange[], chars = EXCERPT_CHARS): Excerpt {
  const points = Array.from(text);
  const first = ranges[0];
  let start = 0;
  if (first && first.end > chars) {
    start = Math.max(0, first.start - BEFORE_CHARS);
    let at = start;
    while (at < start + WORD_CHARS && at < first.start && !isSpace(points[at - 1])) at += 1;
    if (at < first.start && isSpace(points[at - 1])) start = at;
  }
  const end = Math.min(points.length, start + chars);
  const head = start > 0 ? '…' : '';
  const shift = Array.from(head).length - start;
  // A line break is one code point, like the space that replaces it.
  const shown = points.slice(start, end).map((point) => (isSpace(point) ? ' ' : point));
  const cut = ranges.filter((range) => range.start < end && range.end > start).map((range) => ({ start: Math.max(start, range.start) + shift, end: Math.min(end, range.end) + shift }));
  return { text: `${head}${shown.join('')}${end < points.length ? '…' : ''}`, ranges: cut };
}

/** The first line of a text, with the ranges in it. */
export function firstLine(text: string, ranges: readonly TextRange[]): Excerpt {
  const line = text.split('\n')[0] ?? '';
  const end = Array.from(line).length;
  return { text: line, ranges: ranges.filter((range) => range.end <= end) };
}
