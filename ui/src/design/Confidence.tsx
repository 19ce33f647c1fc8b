/** How sure the proposer was, in bands; the number on hover and to assistive technology. */
import { nameOf, t } from '../strings';
import css from './Confidence.module.css';
import { Tooltip } from './Tooltip';

/** Of what lies at or above, about nine of ten hold; the same border sorts the queue (`Confidence::SURE`). */
const SURE = 0.85;
/** Below this more than a few of ten do not hold; models and rules propose nothing there. */
const CHECK = 0.6;

export type Band = 'sure' | 'check' | 'doubtful';

export function bandOf(confidence: number): Band {
  if (confidence >= SURE) return 'sure';
  return confidence >= CHECK ? 'check' : 'doubtful';
}

export function Confidence({ value, plain = false }: { value: number; plain?: boolean }) {
  const band = bandOf(value);
  const label = t.confidence.label(value);
  const name = nameOf(t.confidence.bands, band);
  const mark = (
    <span className={css.band} data-band={band} role="img" aria-label={`${name}, ${label}`}>
      <span className={css.dot} aria-hidden="true" />
      {name}
    </span>
  );
  return plain ? mark : <Tooltip text={label}>{mark}</Tooltip>;
}
