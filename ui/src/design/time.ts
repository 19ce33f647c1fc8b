/** Times in words. The current time is passed in; only the formatters are cached. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [14 * DAY, 'day', DAY],
];

// Cached, because creating a formatter costs more than using it a hundred times, and each row needs two.
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function inWords(value: number, unit: Intl.RelativeTimeFormatUnit, locale: string | undefined): string {
  const key = locale ?? '';
  const format = relativeFormats.get(key) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  relativeFormats.set(key, format);
  return format.format(value, unit);
}

function asDate(time: number, locale: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale ?? ''} ${Object.keys(options).join(' ')}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  dateFormats.set(key, format);
  return format.format(time);
}

/** "5 minutes ago", "yesterday"; the date after two weeks. */
export function relativeTime(time: number, now: number, locale?: string): string {
  const past = Math.abs(now - time);
  if (past < MINUTE) return inWords(0, 'second', locale);
  for (const [limit, unit, ms] of STEPS) {
    if (past < limit) return inWords(Math.round((time - now) / ms), unit, locale);
  }
  return shortDate(time, now, locale);
}

/** A date as precise as stated (`2026-11-07`, `2026-11` or `2026`), in the reader's language: "7 November 2026". */
export function partialDate(date: string, locale?: string): string {
  const [year = '', month, day] = date.split('-');
  if (month === undefined) return year;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1));
  return asDate(time, locale, { ...(day === undefined ? {} : { day: 'numeric' }), month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** "12 Mar", with the year unless it is the current one. */
export function shortDate(time: number, now: number, locale?: string): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return asDate(time, locale, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** "12 Mar 2026, 14:05". */
export function fullTime(time: number, locale?: string): string {
  return asDate(time, locale, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Time of the next event: "14:05", "tomorrow, 08:00", or the full date and time. */
export function momentAhead(time: number, now: number = Date.now(), locale?: string): string {
  const dayOf = (at: number, days = 0) => {
    const date = new Date(at);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  };
  const clock = asDate(time, locale, { hour: 'numeric', minute: '2-digit' });
  if (dayOf(time) === dayOf(now)) return clock;
  return dayOf(time) === dayOf(now, 1) ? `${inWords(1, 'day', locale)}, ${clock}` : fullTime(time, locale);
}

/** The end of a day (`2026-03-12`) in local time, or null if the date is invalid. */
export function endOfDay(day: string): number | null {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  const time = new Date(year, month - 1, date, 23, 59, 59, 999).getTime();
  return Number.isNaN(time) ? null : time;
}
