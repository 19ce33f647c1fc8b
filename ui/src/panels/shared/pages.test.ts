import { expect, test } from 'vitest';
import { pagesInView } from './pages';

test.each([
  ['the top', 0, 10, 1_000, [0]],
  ['near the border, the next page is fetched ahead', 40, 60, 1_000, [0, 1]],
  ['in the middle of a page', 150, 160, 1_000, [1, 2]],
  ['over a border', 390, 410, 1_000, [3, 4]],
  ['the end', 990, 999, 1_000, [9]],
  ['a list shorter than a page', 0, 5, 6, [0]],
  ['a view past the end', 500, 510, 6, [0]],
])('%s', (_, first, last, total, pages) => expect(pagesInView(first, last, 100, total)).toEqual(pages));
