/** The mark for private content: a lock and a hatched edge wherever it is shown. Public content has no mark. */
import { Lock } from 'lucide-react';
import { t } from '../strings';
import css from './PrivateMark.module.css';

/** The class for the hatched edge, to be set on the element whose left edge it marks. The element must be positioned. */
export const hatched: string = css.hatched ?? '';

export function PrivateLock({ size = 13 }: { size?: number }) {
  return (
    <span className={css.lock} title={t.conversations.privateMark}>
      <Lock size={size} aria-hidden="true" />
      <span className="srOnly">{t.conversations.privateMark}</span>
    </span>
  );
}
