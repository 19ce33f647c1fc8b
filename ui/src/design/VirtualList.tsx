/**
 * A long list that keeps only the rows in view in the document.
 *
 * WebKitGTK slows down with the size of the document whatever renders it, so that every list over fifty rows comes through
 * here. Heights are fixed by kind of row and known beforehand. The list has the focus, not its rows; the cursor is named
 * through `aria-activedescendant`, by identity. It never moves the cursor itself: arrows are actions of the key table.
 *
 * `pattern`: `listbox` for plain rows; `grid` where rows or headings hold buttons.
 */
import { type ReactNode, useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react';
import { cx } from './cx';
import { scrollToShow, useRowWindow } from './rowWindow';
import css from './VirtualList.module.css';

export interface VirtualListProps {
  /** Its name for assistive technology. */
  label: string;
  testId?: string;
  rowTestId?: string;
  count: number;
  /** Identity of a row. Must be a new function when the rows change, and the same one while they do not. */
  keyOf: (index: number) => string;
  /** Fixed height of a row, px. */
  heightOf: (index: number) => number;
  render: (index: number) => ReactNode;
  /** The row the cursor is on, or -1. */
  activeIndex: number;
  /** Whether a row is selected beside the cursor. */
  isSelected?: (index: number) => boolean;
  isMulti?: boolean;
  /** Headings are no choices. */
  isHeading?: (index: number) => boolean;
  /** A click on a row that is no heading. */
  onPick?: (index: number, event: React.MouseEvent) => void;
  /** A double click, for opening. */
  onOpen?: (index: number) => void;
  pattern?: 'listbox' | 'grid';
  /** Takes the focus when it appears, so that its keys work at once. */
  autoFocus?: boolean;
  className?: string;
  /** Called with the indexes in view, for loading what is not there yet. */
  onRange?: (first: number, last: number) => void;
  /** Where it begins, px: where it was left. Told by `onScrolled`. */
  startAt_px?: number;
  onScrolled?: (top_px: number) => void;
}

const OVERSCAN = 6;
/** Notices stand over the end of the list; the row under the cursor stays clear of them. */
const NOTICE_HEIGHT = 72;

export function VirtualList(props: VirtualListProps) {
  const { count, keyOf, heightOf, activeIndex, pattern = 'listbox', isHeading, isSelected, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  const { offsets, first, last, top, height, jump } = useRowWindow(scroller, count, heightOf, OVERSCAN);

  const activeKey = activeIndex >= 0 && activeIndex < count ? keyOf(activeIndex) : null;
  const bring = useEffectEvent((index: number, key: string | null) => {
    if (key === null) return;
    // The first row shows the heading above it. Scrolling reads the layout, which is costly in the middle of a change; most of
    // the time the row is in view already.
    const to = index > 1 ? scrollToShow(offsets, index, top, height, NOTICE_HEIGHT) : top === 0 ? null : 0;
    if (to !== null) jump(to);
  });
  // Once, and before the cursor is brought into view, which it was when the list was left.
  const begin = useEffectEvent(() => {
    if (!props.startAt_px) return false;
    jump(props.startAt_px);
    return true;
  });
  const isBegun = useRef(false);
  // The cursor moves by identity: the same row at another index is brought into view as well.
  useLayoutEffect(() => {
    const isLeftThere = !isBegun.current && begin();
    isBegun.current = true;
    if (!isLeftThere) bring(activeIndex, activeKey);
  }, [activeIndex, activeKey]);

  const tell = useEffectEvent((top_px: number) => void props.onScrolled?.(top_px));
  useEffect(() => {
    tell(top);
  }, [top]);

  const autoFocus = props.autoFocus ?? false;
  useEffect(() => {
    if (autoFocus && (document.activeElement === document.body || document.activeElement === null)) scroller.current?.focus({ preventScroll: true });
  }, [autoFocus]);

  useEffect(() => {
    if (last >= first) onRange?.(first, last);
  }, [first, last, onRange]);

  const idOf = (key: string) => `${base}-${key}`;
  const isGrid = pattern === 'grid';
  return (
    <div
      ref={scroller}
      className={cx(css.scroller, props.className)}
      role={pattern}
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={activeKey !== null && activeIndex >= first && activeIndex <= last ? idOf(activeKey) : undefined}
      aria-multiselectable={props.isMulti ? true : undefined}
      aria-rowcount={isGrid ? count : undefined}
      data-testid={props.testId}
    >
      <div className={css.canvas} style={{ height: (offsets[count] ?? 0) + NOTICE_HEIGHT }} role="presentation">
        {Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => {
          const index = first + nth;
          const heading = isHeading?.(index) ?? false;
          const key = keyOf(index);
          const active = index === activeIndex;
          const selected = isSelected?.(index) ?? false;
          const start = offsets[index] ?? 0;
          return (
            // Keys reach the list through the key table, so that a row needs none of its own.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus, jsx-a11y/no-static-element-interactions
            <div
              key={key}
              id={idOf(key)}
              className={css.item}
              style={{ height: (offsets[index + 1] ?? start) - start, transform: `translateY(${start}px)` }}
              role={heading && !isGrid ? 'presentation' : isGrid ? 'row' : 'option'}
              aria-selected={heading ? undefined : props.isMulti ? selected || active : active}
              aria-rowindex={isGrid ? index + 1 : undefined}
              aria-setsize={isGrid || heading ? undefined : count}
              aria-posinset={isGrid || heading ? undefined : index + 1}
              data-active={active || undefined}
              data-selected={selected || undefined}
              data-heading={heading || undefined}
              data-testid={heading ? undefined : props.rowTestId}
              data-key={key}
              onClick={heading ? undefined : (event) => props.onPick?.(index, event)}
              onDoubleClick={heading ? undefined : () => props.onOpen?.(index)}
            >
              {isGrid ? (
                <div role="gridcell" className={css.cell}>
                  {props.render(index)}
                </div>
              ) : (
                props.render(index)
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
