/** A line that opens what belongs to it. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../design';
import css from './Disclosure.module.css';

export function Disclosure({ summary, isOpen = false, className, testId, children }: { summary: ReactNode; isOpen?: boolean; className?: string | undefined; testId?: string | undefined; children: ReactNode }) {
  return (
    <details className={cx(css.details, className)} open={isOpen || undefined} data-testid={testId}>
      <summary className={css.summary}>
        <ChevronRight size={13} className={css.chevron} aria-hidden="true" />
        {summary}
      </summary>
      {children}
    </details>
  );
}
