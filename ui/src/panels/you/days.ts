/** Local days, as `2026-11-20`, for the slider. Pure. */

const DAY_MS = 86_400_000;

const two = (value: number) => String(value).padStart(2, '0');

/** The local day of a moment. */
export function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The calendar date as a number. It ignores hours, so that a day with 23 or 25 hours counts as one day. */
function calendar(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Date.UTC(year, month - 1, date);
}

export const daysBetween = (from: string, to: string): number => Math.round((calendar(to) - calendar(from)) / DAY_MS);

export const dayAfter = (from: string, days: number): string => new Date(calendar(from) + days * DAY_MS).toISOString().slice(0, 10);
