/** The parts of a pane: a 48 px header, a scrolling body, and a footer for actions. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import css from './Pane.module.css';
import { cx } from './cx';

export function PaneHeader({ title, count, children, level = 1 }: { title: ReactNode; count?: ReactNode; children?: ReactNode; level?: 1 | 2 }) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <header className={css.header}>
      <Heading className={level === 1 ? css.title : css.subtitle} title={typeof title === 'string' ? title : undefined}>
        {title}
      </Heading>
      {count === undefined ? null : <span className={cx('num', css.count)}>{count}</span>}
      <div className={css.space} />
      {children}
    </header>
  );
}

interface PaneBodyProps {
  children: ReactNode;
  label: string;
  className?: string;
  testId?: string;
  /** Identity of the content. When it changes, the pane scrolls to the top. */
  of?: string;
}

/** The scroll container of a pane that is not a list. Focusable, so that it can be scrolled by keyboard. */
export function PaneBody({ children, label, className, testId, of }: PaneBodyProps) {
  const body = useRef<HTMLDivElement>(null);
  // Kept here, because reading the scroll position from the element would force a layout in the middle of an update.
  const isScrolled = useRef(false);
  useLayoutEffect(() => {
    if (of !== undefined && isScrolled.current) body.current?.scrollTo({ top: 0 });
  }, [of]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={body} className={cx(css.body, className)} role="region" aria-label={label} tabIndex={0} data-testid={testId} onScroll={(event) => (isScrolled.current = event.currentTarget.scrollTop > 0)}>
      {children}
    </div>
  );
}

export function PaneFoot({ children, label }: { children: ReactNode; label: string }) {
  return (
    <footer className={css.footer}>
      <div className={css.foot} role="group" aria-label={label}>
        {children}
      </div>
    </footer>
  );
}

/** A bar below the header, for filters, a note or a selection. */
export function PaneBar({ children, tone = 'plain', testId }: { children: ReactNode; tone?: 'plain' | 'accent' | 'warn'; testId?: string }) {
  return (
    <div className={cx(css.bar, css[`bar_${tone}`])} data-testid={testId}>
      {children}
    </div>
  );
}
