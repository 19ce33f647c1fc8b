/**
 * Computes which rows of a long list are visible, if all heights are known in advance.
 *
 * A virtualizer that measures rows stores a size per row key, and looks up all of them again whenever a row leaves. Here the row
 * offsets are one array of numbers, computed in a single pass. Not in this module: lists whose rows must be measured (messages,
 * whose height depends on their text).
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';

/** The offset of each row, followed by the end of the list, in px. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    end += heightOf(index);
    offsets[index + 1] = end;
  }
  return offsets;
}

/** The index of the row at `y`. Beyond the ends, the first or the last row. */
export function rowAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The scroll position that shows a row with `below` px to spare; null if it is already visible. */
export function scrollToShow(offsets: Float64Array, index: number, top: number, height: number, below: number): number | null {
  const start = offsets[index] ?? 0;
  const end = offsets[index + 1] ?? start;
  if (start < top) return start;
  return end > top + height - below ? Math.max(0, Math.min(start, end - height + below)) : null;
}

/** Assumed height of the list until the browser has measured it. Enough for a tall window. */
const HEIGHT_AT_FIRST = 800;

export interface RowWindow {
  readonly offsets: Float64Array;
  /** The rows to draw, from `first` to `last`. None if `last` is less than `first`. */
  readonly first: number;
  readonly last: number;
  readonly top: number;
  readonly height: number;
  /** Scrolls to a position and draws its rows immediately. */
  readonly jump: (top: number) => void;
}

/** Follows the scroll container. Pass a new `heightOf` function when the heights change. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, heightOf: (index: number) => number, overscan: number): RowWindow {
  const offsets = useMemo(() => offsetsOf(count, heightOf), [count, heightOf]);
  const [view, setView] = useState({ top: 0, height: HEIGHT_AT_FIRST });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => setView((before) => (before.height === element.clientHeight ? before : { ...before, height: element.clientHeight }));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const follow = () => setView((before) => (before.top === element.scrollTop ? before : { ...before, top: element.scrollTop }));
    element.addEventListener('scroll', follow, { passive: true });
    return () => element.removeEventListener('scroll', follow);
  }, [scroller]);
  const jump = useCallback(
    (top: number) => {
      if (!scroller.current) return;
      scroller.current.scrollTo({ top });
      setView((before) => ({ ...before, top }));
    },
    [scroller],
  );
  return {
    offsets,
    first: Math.max(0, rowAt(offsets, view.top) - overscan),
    last: Math.min(count - 1, rowAt(offsets, view.top + view.height) + overscan),
    ...view,
    jump,
  };
}
