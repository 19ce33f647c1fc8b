/** How sure the proposer was: five stars, the number and its meaning on hover and to assistive technology. */
import { t } from '../strings';
import css from './Confidence.module.css';
import { Tooltip } from './Tooltip';

const STARS = [1, 2, 3, 4, 5];

/** Seed 004's scale on five stars: 0.95 is said outright; below 0.70 nothing is proposed. */
export function starsOf(confidence: number): number {
  if (confidence >= 0.95) return 5;
  if (confidence >= 0.85) return 4;
  if (confidence >= 0.75) return 3;
  return confidence >= 0.7 ? 2 : 1;
}

export function Confidence({ value, plain = false }: { value: number; plain?: boolean }) {
  const label = `${t.confidence.label(value)}, ${t.confidence.words(value)}`;
  const stars = (
    <span className={css.stars} role="img" aria-label={label}>
      {STARS.map((star) => (
        <svg key={star} width="11" height="11" viewBox="0 0 24 24" aria-hidden="true" data-on={star <= starsOf(value)}>
          <path d="M12 2.5l2.9 6.2 6.8.8-5 4.6 1.3 6.7-6-3.4-6 3.4 1.3-6.7-5-4.6 6.8-.8z" />
        </svg>
      ))}
    </span>
  );
  return plain ? stars : <Tooltip text={label}>{stars}</Tooltip>;
}
