/**
 * A long list that keeps only the rows in view in the document.
 *
 * WebKitGTK slows down with the size of the document whatever renders it, so that every list over fifty rows comes through
 * here. Heights are fixed by kind of row and known beforehand. The list has the focus, not its rows; the cursor is named
 * through `aria-activedescendant`, by identity. It never moves the cursor itself: arrows are actions of the key table.
 *
 * `pattern`: `listbox` for plain rows; `grid` where rows or headings hold buttons.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { cx } from './cx';
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
}

const OVERSCAN = 6;
/** Notices stand over the end of the list; the row under the cursor stays clear of them. */
const NOTICE_HEIGHT = 72;

export function VirtualList(props: VirtualListProps) {
  // The virtualizer changes inside while its identity stays, which memoised rendering would not see.
  'use no memo';
  const { count, keyOf, heightOf, activeIndex, pattern = 'listbox', isHeading, isSelected, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  // oxlint-disable-next-line react/incompatible-library -- see above
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    paddingEnd: NOTICE_HEIGHT,
    scrollPaddingEnd: NOTICE_HEIGHT,
    useFlushSync: false,
    // A first size, until the browser has measured: enough rows for a tall window, and for tests without layout.
    initialRect: { width: 400, height: 800 },
  });

  const activeKey = activeIndex >= 0 && activeIndex < count ? keyOf(activeIndex) : null;
  useLayoutEffect(() => {
    const item = virtualizer.measurementsCache[activeIndex];
    if (!item) return;
    const top = virtualizer.scrollOffset ?? 0;
    const bottom = top + (virtualizer.scrollRect?.height ?? 0);
    // Scrolling reads the layout, which is costly in the middle of a change; most of the time the row is in view already.
    if (item.start >= top && item.end <= bottom - NOTICE_HEIGHT && (activeIndex > 1 || top === 0)) return;
    virtualizer.scrollToIndex(activeIndex <= 1 ? 0 : activeIndex, { align: 'auto' });
    // The cursor moves by identity: the same row at another index is brought into view as well.
  }, [activeIndex, activeKey, virtualizer]);

  const autoFocus = props.autoFocus ?? false;
  useEffect(() => {
    if (autoFocus && (document.activeElement === document.body || document.activeElement === null)) scroller.current?.focus({ preventScroll: true });
  }, [autoFocus]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items[items.length - 1]?.index ?? 0;
  useEffect(() => {
    onRange?.(first, last);
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
      aria-activedescendant={activeKey !== null && items.some((item) => item.index === activeIndex) ? idOf(activeKey) : undefined}
      aria-multiselectable={props.isMulti ? true : undefined}
      aria-rowcount={isGrid ? count : undefined}
      data-testid={props.testId}
    >
      <div className={css.canvas} style={{ height: virtualizer.getTotalSize() }} role="presentation">
        {items.map((item) => {
          const heading = isHeading?.(item.index) ?? false;
          const key = String(item.key);
          const active = item.index === activeIndex;
          const selected = isSelected?.(item.index) ?? false;
          return (
            // Keys reach the list through the key table, so that a row needs none of its own.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus, jsx-a11y/no-static-element-interactions
            <div
              key={key}
              id={idOf(key)}
              className={css.item}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              role={heading && !isGrid ? 'presentation' : isGrid ? 'row' : 'option'}
              aria-selected={heading ? undefined : props.isMulti ? selected || active : active}
              aria-rowindex={isGrid ? item.index + 1 : undefined}
              aria-setsize={isGrid ? undefined : count}
              aria-posinset={isGrid ? undefined : item.index + 1}
              data-active={active || undefined}
              data-selected={selected || undefined}
              data-heading={heading || undefined}
              data-testid={heading ? undefined : props.rowTestId}
              data-key={key}
              onClick={heading ? undefined : (event) => props.onPick?.(item.index, event)}
              onDoubleClick={heading ? undefined : () => props.onOpen?.(item.index)}
            >
              {isGrid ? (
                <div role="gridcell" className={css.cell}>
                  {props.render(item.index)}
                </div>
              ) : (
                props.render(item.index)
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
