/** Progress of long work: current step, n of m, elapsed time. Without a total, the bar only shows that work is in progress. */
import { number } from '../strings';
import css from './Progress.module.css';

export interface ProgressProps {
  stage: string;
  done: number;
  /** 0 if unknown. */
  total: number;
  elapsed_ms?: number;
  /** The amount in words, if plain numbers would be unclear (such as bytes). */
  words?: string;
}

export function formatElapsed(elapsed_ms: number): string {
  const seconds = Math.max(0, Math.floor(elapsed_ms / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}:${String(seconds % 60).padStart(2, '0')} min` : `${seconds} s`;
}

export function Progress({ stage, done, total, elapsed_ms, words }: ProgressProps) {
  const share = total > 0 ? Math.min(1, done / total) : undefined;
  return (
    <div className={css.progress}>
      <div className={css.line}>
        <span className={css.stage}>{stage}</span>
        <span className="num">
          {words ?? (total > 0 ? `${number(done)} / ${number(total)}` : done > 0 ? number(done) : '')}
          {elapsed_ms === undefined ? '' : `  ${formatElapsed(elapsed_ms)}`}
        </span>
      </div>
      <div
        className={css.track}
        role="progressbar"
        aria-label={stage}
        aria-valuemin={0}
        aria-valuemax={total > 0 ? total : undefined}
        aria-valuenow={total > 0 ? done : undefined}
        data-known={share !== undefined}
      >
        <div className={css.bar} style={share === undefined ? undefined : { width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
