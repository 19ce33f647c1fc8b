/** How sure the reader is, in bands; the number on hover and to assistive technology. For calibrated probabilities alone. */
import { nameOf, t } from '../strings';
import css from './Confidence.module.css';
import { Tooltip } from './Tooltip';

/** At most one of seven is wrong. */
const SURE = 0.85;
/** At most two of five are wrong. */
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
