/**
 * A long list that keeps only the visible rows in the document.
 *
 * WebKitGTK becomes slower with the size of the document, so every list with more than fifty rows uses this component. Heights
 * are fixed per kind of row and known in advance. The list has the focus, not its rows; `aria-activedescendant` points to the row
 * under the cursor. The list never moves the cursor itself: arrow keys are actions in the key table.
 *
 * `pattern`: `listbox` for plain rows; `grid` if rows or headings contain buttons.
 */
import { type ReactNode, useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react';
import { cx } from './cx';
import { scrollToShow, useRowWindow } from './rowWindow';
import css from './VirtualList.module.css';

export interface VirtualListProps {
  /** Accessible name. */
  label: string;
  testId?: string;
  rowTestId?: string;
  count: number;
  /** Identity of a row. Pass a new function when the rows change, and the same one otherwise. */
  keyOf: (index: number) => string;
  /** Height of a row in px, fixed. */
  heightOf: (index: number) => number;
  render: (index: number) => ReactNode;
  /** Index of the row under the cursor, or -1. */
  activeIndex: number;
  /** Whether a row is part of the selection. */
  isSelected?: (index: number) => boolean;
  isMulti?: boolean;
  /** Headings cannot be selected. */
  isHeading?: (index: number) => boolean;
  /** Called on a click on a row other than a heading. */
  onPick?: (index: number, event: React.MouseEvent) => void;
  /** Called on a double click. */
  onOpen?: (index: number) => void;
  pattern?: 'listbox' | 'grid';
  /** Takes the focus when it is mounted, so that its keys work immediately. */
  autoFocus?: boolean;
  className?: string;
  /** Called with the visible range, to load missing rows. */
  onRange?: (first: number, last: number) => void;
  /** Initial scroll position in px, as last reported by `onScrolled`. */
  startAt_px?: number;
  onScrolled?: (top_px: number) => void;
}

const OVERSCAN = 6;
/** Height of the space at the bottom that notices may cover. The row under the cursor is kept above it. */
const NOTICE_HEIGHT = 72;

export function VirtualList(props: VirtualListProps) {
  const { count, keyOf, heightOf, activeIndex, pattern = 'listbox', isHeading, isSelected, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  const { offsets, first, last, top, height, jump } = useRowWindow(scroller, count, heightOf, OVERSCAN);

  const activeKey = activeIndex >= 0 && activeIndex < count ? keyOf(activeIndex) : null;
  const bring = useEffectEvent((index: number, key: string | null) => {
    if (key === null) return;
    // For the first row, the heading above it is shown as well. Scrolls only if necessary, because scrolling forces a layout,
    // which is costly in the middle of an update.
    const to = index > 1 ? scrollToShow(offsets, index, top, height, NOTICE_HEIGHT) : top === 0 ? null : 0;
    if (to !== null) jump(to);
  });
  // Restores the scroll position, only once and before the cursor is scrolled into view. The cursor was in view when the list was
  // left.
  const begin = useEffectEvent(() => {
    if (!props.startAt_px) return false;
    jump(props.startAt_px);
    return true;
  });
  const isBegun = useRef(false);
  // If the row under the cursor moves to another index, it is scrolled into view as well.
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
            // The key table handles the keys, so rows need no handlers.
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
