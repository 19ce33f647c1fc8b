import { describe, expect, test } from 'vitest';
import { offsetsOf, rowAt, scrollToShow } from './rowWindow';

/** A heading of 36 px, then two rows of 56 px, repeated: 148 px. */
const heights = (index: number) => (index % 3 === 0 ? 36 : 56);
const offsets = offsetsOf(300, heights);

test('rows begin where those above them end', () => {
  expect([...offsets.subarray(0, 5)]).toEqual([0, 36, 92, 148, 184]);
  expect(offsets[300], 'the last number is the height of all').toBe(100 * 148);
  expect([...offsetsOf(0, heights)]).toEqual([0]);
});

describe('the row at', () => {
  test.each([
    ['the top', 0, 0],
    ['the last pixel of a row', 35, 0],
    ['the first pixel of the next', 36, 1],
    ['somewhere', 148 * 50 + 40, 151],
    ['above the top', -10, 0],
    ['below the end', 1e9, 299],
  ])('%s', (_, y, expected) => expect(rowAt(offsets, y)).toBe(expected));
  test('nothing, in an empty list', () => expect(rowAt(offsetsOf(0, heights), 5)).toBe(0));
});

describe('bringing a row into view', () => {
  const top = 148 * 10;
  test.each([
    ['that is in view moves nothing', 31, null],
    ['that is above puts it at the top', 27, 148 * 9],
    ['that is half above as well', 28, 148 * 9 + 36],
    ['that is below puts it above what covers the end', 40, 148 * 13 + 92 - 400 + 72],
    ['that what covers the end hides', 36, 148 * 12 + 36 - 400 + 72],
  ])('%s', (_, index, expected) => expect(scrollToShow(offsets, index, top, 400, 72)).toBe(expected));
  test('higher than the view shows its beginning', () => expect(scrollToShow(offsetsOf(2, () => 1_000), 1, 0, 400, 72)).toBe(1_000));
});
