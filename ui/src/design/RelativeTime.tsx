import { useNow } from '../state/time';
import { fullTime, relativeTime, shortDate } from './time';

/**
 * A time in words; the exact time on hover. `absolute` shows date and time, `date` only the day. `isGuess` means that no source
 * gave the time.
 */
export function RelativeTime({ time, absolute = false, date = false, isGuess = false }: { time: number; absolute?: boolean; date?: boolean; isGuess?: boolean }) {
  const now = useNow();
  const full = fullTime(time);
  return (
    <time className="num" dateTime={new Date(time).toISOString()} title={absolute ? undefined : full}>
      {isGuess ? '≈ ' : ''}
      {absolute ? full : date ? shortDate(time, now) : relativeTime(time, now)}
    </time>
  );
}
