/**
 * The list side of a panel: header, bars, one list with rows of two or three lines, and its announcements for assistive
 * technology.
 *
 * The panel itself shows the states without a list (loading, empty, failed).
 */
import { type ComponentProps, type ReactNode, type Ref, useCallback } from 'react';
import { PaneHeader, VirtualList, cx } from '../../design';
import { type ListState, moveTo, stepFrom } from '../../state/list';
import { type Store, useStore } from '../../state/store';
import css from './ListPane.module.css';
import { useListCursor } from './memoryRows';

/** Height of two lines. */
export const ROW_PX = 56;
export const rowHeight = (): number => ROW_PX;
/** Height of three lines. */
export const TALL_ROW_PX = 72;

interface ListPaneProps {
  title: ReactNode;
  count?: ReactNode;
  /** Next to the title: the other views of the panel. */
  tabs?: ReactNode;
  /** Search and filters: one or more `PaneBar`s. */
  bars?: ReactNode;
  /** The number of rows, read aloud when it changes. */
  live: string;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
}

export function ListPane({ title, count, tabs, bars, live, children, ref }: ListPaneProps) {
  return (
    <>
      <PaneHeader title={title} count={count}>
        {tabs}
      </PaneHeader>
      {bars}
      <div ref={ref} className={css.body}>
        {children}
      </div>
      <p className="srOnly" role="status">
        {live}
      </p>
    </>
  );
}

/** Shown next to a list without a selected row. */
export function Nothing() {
  return <div className={css.nothing} />;
}

/** The cursor of a list whose rows are all loaded, and the moves common to all lists. */
export function useRows(list: Store<ListState>, ids: readonly string[]) {
  const want = useListCursor(list, ids);
  const cursor = useStore(list, (state) => state.cursor);
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  const step = (by: number) => () => move(stepFrom(ids, list.get().cursor, by));
  return {
    cursor,
    at: cursor === null ? -1 : ids.indexOf(cursor),
    keyOf,
    move,
    /** Puts the cursor on a row as soon as it is loaded. */
    want,
    next: step(1),
    previous: step(-1),
    first: () => move(ids[0] ?? null),
    last: () => move(ids[ids.length - 1] ?? null),
  };
}

interface ListRowsProps<T> {
  label: string;
  testId: string;
  rowTestId: string;
  items: readonly T[];
  rows: Pick<ReturnType<typeof useRows>, 'at' | 'keyOf' | 'move'>;
  render: (item: T) => ReactNode;
  /** Height of every row. */
  height?: number;
  onRange?: (first: number, last: number) => void;
}

export function ListRows<T>({ label, testId, rowTestId, items, rows, render, height = ROW_PX, onRange }: ListRowsProps<T>) {
  const heightOf = useCallback(() => height, [height]);
  return (
    <VirtualList
      label={label}
      testId={testId}
      rowTestId={rowTestId}
      count={items.length}
      keyOf={rows.keyOf}
      heightOf={heightOf}
      activeIndex={rows.at}
      autoFocus
      onPick={(index) => rows.move(rows.keyOf(index) || null)}
      onRange={onRange}
      render={(index) => {
        const item = items[index];
        return item === undefined ? null : render(item);
      }}
    />
  );
}

/** A row; it consists of `RowLine`s. */
export function ListRow({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={cx(css.row, className)} />;
}

export function RowLine({ children }: { children: ReactNode }) {
  return <div className={css.line}>{children}</div>;
}

/** The title of the row; takes the available width. */
export function RowTitle({ children }: { children: ReactNode }) {
  return <span className={css.title}>{children}</span>;
}

/** Secondary text, muted; takes the available width. */
export function RowMeta({ children }: { children: ReactNode }) {
  return <span className={css.meta}>{children}</span>;
}

/** A date or a number at the end of a line. */
export function RowAside({ children }: { children: ReactNode }) {
  return <span className={cx('num', css.aside)}>{children}</span>;
}
