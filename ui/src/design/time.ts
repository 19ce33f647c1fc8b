/** Times in words. Pure: the present is passed in. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [14 * DAY, 'day', DAY],
];

/** "5 minutes ago", "yesterday", and from two weeks on the date. */
export function relativeTime(time: number, now: number, locale?: string): string {
  const past = Math.abs(now - time);
  if (past < MINUTE) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');
  for (const [limit, unit, ms] of STEPS) {
    if (past < limit) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round((time - now) / ms), unit);
  }
  return shortDate(time, now, locale);
}

/** "12 Mar", with the year where it is not this one. */
export function shortDate(time: number, now: number, locale?: string): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) }).format(time);
}

/** "12 Mar 2026, 14:05". */
export function fullTime(time: number, locale?: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}
