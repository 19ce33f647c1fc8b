/**
 * Which rows of a long list are in view, when every height is known beforehand.
 *
 * A virtualizer that measures keeps a size for each row by its key, and looks all of them up again whenever one row leaves.
 * Here the beginnings of the rows are one array of numbers, made in a single walk. What measures (messages, whose height is
 * their text's) is deliberately not here.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';

/** Where each row begins, and last where the list ends, px. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    end += heightOf(index);
    offsets[index + 1] = end;
  }
  return offsets;
}

/** The row that stands at `y`; the first or the last beyond the ends. */
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

/** Where to scroll so that a row is in view with `below` px to spare; null if it is already. */
export function scrollToShow(offsets: Float64Array, index: number, top: number, height: number, below: number): number | null {
  const start = offsets[index] ?? 0;
  const end = offsets[index + 1] ?? start;
  if (start < top) return start;
  return end > top + height - below ? Math.max(0, Math.min(start, end - height + below)) : null;
}

/** A first size, until the browser has measured: enough rows for a tall window. */
const HEIGHT_AT_FIRST = 800;

export interface RowWindow {
  readonly offsets: Float64Array;
  /** The rows to draw, `first` to `last`; none if `last` is less. */
  readonly first: number;
  readonly last: number;
  readonly top: number;
  readonly height: number;
  /** Scrolls there, and draws what is there at once. */
  readonly jump: (top: number) => void;
}

/** Follows the scroll container. `heightOf` must be a new function when the heights change. */
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
