/** The growth of a topic as a sparkline. The same data is also available as text next to it or in the table of the detail. */
import css from './Topics.module.css';

const WIDTH = 96;
const HEIGHT = 18;

/** The points of the running total, from zero at the left to the total at the right. Pure. */
export function points(counts: readonly number[], width = WIDTH, height = HEIGHT): string {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const step = width / Math.max(1, counts.length);
  let sum = 0;
  return [0, ...counts]
    .map((count, at) => {
      sum += count;
      return `${(at * step).toFixed(1)},${(height - 1 - (sum / total) * (height - 2)).toFixed(1)}`;
    })
    .join(' ');
}

export function Sparkline({ counts }: { counts: readonly number[] }) {
  const line = points(counts);
  return (
    <svg className={css.spark} width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <polygon className={css.sparkArea} points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline className={css.sparkLine} points={line} />
    </svg>
  );
}
