/**
 * The list side of a panel: header, bars, one list of rows of two or three lines, and what is said of it to assistive technology.
 *
 * What stands in the list's place while there is none (loading, empty, failed) is the panel's to choose.
 */
import { type ComponentProps, type ReactNode, type Ref, useCallback } from 'react';
import { PaneHeader, VirtualList, cx } from '../../design';
import { type ListState, moveTo, stepFrom } from '../../state/list';
import { type Store, useStore } from '../../state/store';
import css from './ListPane.module.css';
import { useListCursor } from './memoryRows';

/** Two lines. */
export const ROW_PX = 56;
export const rowHeight = (): number => ROW_PX;
/** Three lines. */
export const TALL_ROW_PX = 72;

interface ListPaneProps {
  title: ReactNode;
  count?: ReactNode;
  /** Beside the title: the other views of the panel. */
  tabs?: ReactNode;
  /** Search and filters: one `PaneBar` or several. */
  bars?: ReactNode;
  /** How many there are, read aloud when it changes. */
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

/** What stands beside a list in which nothing is chosen. */
export function Nothing() {
  return <div className={css.nothing} />;
}

/** A cursor over rows that are all there, and the moves that every list has. */
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
    /** Puts the cursor on a row as soon as it is there. */
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
  /** All rows are of one height. */
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

/** A row of lines; `RowLine` is one of them. */
export function ListRow({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={cx(css.row, className)} />;
}

export function RowLine({ children }: { children: ReactNode }) {
  return <div className={css.line}>{children}</div>;
}

/** What the row is called: takes the room there is. */
export function RowTitle({ children }: { children: ReactNode }) {
  return <span className={css.title}>{children}</span>;
}

/** What is said of it, muted: takes the room there is. */
export function RowMeta({ children }: { children: ReactNode }) {
  return <span className={css.meta}>{children}</span>;
}

/** A date or a number at the end of a line. */
export function RowAside({ children }: { children: ReactNode }) {
  return <span className={cx('num', css.aside)}>{children}</span>;
}
