/** The significance of a session or a line, as marks and in words. */
import { cx } from '../../design';
import { t } from '../../strings';
import css from './Sessions.module.css';

/** Five marks, filled up to the level. */
export function Significance({ level }: { level: number }) {
  return (
    <span className={css.significance} role="img" aria-label={t.sessions.significance(level)} title={t.sessions.significance(level)}>
      {[1, 2, 3, 4, 5].map((mark) => (
        <span key={mark} className={cx(css.mark, mark <= level && css.full)} aria-hidden="true" />
      ))}
    </span>
  );
}
