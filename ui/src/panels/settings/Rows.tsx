/** Components of Settings: a section, and a row with a name, a hint and a control. */
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Settings.module.css';

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.section} aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <div className={css.rows}>{children}</div>
    </section>
  );
}

export function Row({ name, hint, children, isTall = false, problem }: { name: string; hint?: string; children?: ReactNode; isTall?: boolean; problem?: string }) {
  return (
    <div className={css.row} data-tall={isTall || undefined}>
      <div className={css.words}>
        <span className={css.name}>{name}</span>
        {hint ? <span className={css.hint}>{hint}</span> : null}
        <Problem text={problem} />
      </div>
      {children ? <div className={css.control}>{children}</div> : null}
    </div>
  );
}

/** A problem, shown next to its field. */
export function Problem({ text, id }: { text?: string | null; id?: string }) {
  return text ? (
    <p className={css.fieldProblem} role="alert" id={id}>
      <CircleAlert size={14} aria-hidden="true" />
      <span>{text}</span>
    </p>
  ) : null;
}
