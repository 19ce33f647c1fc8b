/** States of a pane without content: empty, failed, loading. */
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../strings';
import { Button } from './Button';
import css from './States.module.css';

export function EmptyState({ title, text, action, icon, testId }: { title: string; text?: string; action?: ReactNode; icon?: ReactNode; testId?: string }) {
  return (
    <div className={css.state} data-testid={testId}>
      {icon ? <span className={css.icon}>{icon}</span> : null}
      <h2 className={css.title}>{title}</h2>
      {text ? <p className={css.text}>{text}</p> : null}
      {action ? <div className={css.action}>{action}</div> : null}
    </div>
  );
}

/** An error: what happened, that the data is safe, and what to do. */
export function ErrorState({ title, text, detail, onRetry }: { title: string; text: string; detail?: string; onRetry?: () => void }) {
  return (
    <div className={css.state} role="alert">
      <span className={css.danger}>
        <CircleAlert size={20} aria-hidden="true" />
      </span>
      <h2 className={css.title}>{title}</h2>
      <p className={css.text}>{text}</p>
      {detail ? <p className={css.detail}>{detail}</p> : null}
      {onRetry ? (
        <div className={css.action}>
          <Button onClick={onRetry}>{t.app.retry}</Button>
        </div>
      ) : null}
    </div>
  );
}

/** Shows nothing for 300 ms, then gray placeholder rows. */
export function LoadingRows({ rows = 8, height = 56 }: { rows?: number; height?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), 300);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className={css.rows} aria-busy="true" aria-label={t.app.loading} role="status">
      {late
        ? Array.from({ length: rows }, (_, row) => (
            // oxlint-disable-next-line react/no-array-index-key -- placeholders are all alike
            <div key={row} className={css.row} style={{ height }}>
              <span />
              <span />
            </div>
          ))
        : null}
    </div>
  );
}

export interface LoadedAnswer<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  answer: LoadedAnswer<T>;
  /** What is said if it could not be loaded. */
  title: string;
  text: string;
  rows?: number;
  height?: number;
  children: (data: T) => ReactNode;
}

/** Content that must be loaded: until then placeholder rows, or why it could not be loaded. */
export function Loaded<T>({ answer: { data, error, refetch }, title, text, rows, height, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data);
  return error ? <ErrorState title={title} text={text} detail={error.message} onRetry={() => void refetch()} /> : <LoadingRows rows={rows} height={height} />;
}
