/**
 * The reader's confidence as a band, with the number on hover and for assistive technology. Only for calibrated probabilities.
 */
import { nameOf, t } from '../strings';
import css from './Confidence.module.css';
import { Tooltip } from './Tooltip';

export type Band = 'sure' | 'check' | 'doubtful';

export function Confidence({ value, band, plain = false }: { value: number; band: Band; plain?: boolean }) {
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
