/**
 * The list side of a panel: header, bars, one list with rows of two or three lines, and its announcements for assistive
 * technology.
 *
 * The panel itself shows the states without a list (loading, empty, failed).
 */
import type { ComponentProps, ReactNode, Ref } from 'react';
import { PaneHeader, cx } from '../../design';
import css from './ListPane.module.css';

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
