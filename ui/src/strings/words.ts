/** Numbers, plurals and lists, for all texts. */

const format = new Intl.NumberFormat('en');

export function number(value: number): string {
  return format.format(value);
}

const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** "87%", for a share between 0 and 1. */
export const percent = (value: number): string => share.format(value);

const clock = new Intl.DateTimeFormat('en', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });

/** "3:00 AM": a full hour, formatted like every other time. */
export const fullHour = (hour: number): string => clock.format(Date.UTC(2000, 0, 1, hour));

export const plural = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`;

/** The first of several statements, in quotation marks unless it already has them: "“…”, and 2 others". */
export const oneOf = (count: number, statement: string): string => `${statement.startsWith('“') ? statement : `“${statement}”`}${count > 1 ? `, and ${plural(count - 1, 'other', 'others')}` : ''}`;

/** "a, b and c". */
export function listed(parts: readonly string[]): string {
  const last = parts[parts.length - 1] ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** "340 bytes", "12.4 MB". */
export function bytes(size: number): string {
  const step = size < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** step;
  return `${step > 0 && value < 100 ? value.toFixed(1) : number(Math.round(value))} ${UNITS[step] ?? ''}`;
}

const STEPS: readonly (readonly [ms: number, one: string, many: string])[] = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'hour', 'hours'],
  [60_000, 'minute', 'minutes'],
];

/** "3 days", "20 minutes": in the largest unit of which there are at least one and a half, otherwise in minutes. */
export function duration(ms: number): string {
  const [step, one, many] = STEPS.find(([each]) => ms >= 1.5 * each) ?? [60_000, 'minute', 'minutes'];
  return plural(Math.max(1, Math.round(ms / step)), one, many);
}
