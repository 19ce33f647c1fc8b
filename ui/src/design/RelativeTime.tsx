import { useNow } from '../state/clock';
import { fullTime, relativeTime, shortDate } from './time';

/** A moment in words; the exact one on hover. `absolute` shows date and time, `date` the day alone. */
export function RelativeTime({ time, absolute = false, date = false }: { time: number; absolute?: boolean; date?: boolean }) {
  const now = useNow();
  const full = fullTime(time);
  return (
    <time className="num" dateTime={new Date(time).toISOString()} title={absolute ? undefined : full}>
      {absolute ? full : date ? shortDate(time, now) : relativeTime(time, now)}
    </time>
  );
}
