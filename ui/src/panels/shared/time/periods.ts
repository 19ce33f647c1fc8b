/** Names of periods, and the labels of the time axis. Pure. The backend's answer defines where periods start and end. */

export type Unit = 'day' | 'week' | 'month' | 'year';

export const isUnit = (text: string): text is Unit => ['day', 'week', 'month', 'year'].includes(text);

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const key = `${locale ?? ''} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** The period from `from` to `to` (exclusive) in words: "12 November 2026", "9 – 15 Nov 2026", "November 2026", "2026". */
export function periodName(unit: Unit, from: number, to: number, locale?: string): string {
  if (unit === 'day') return format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }, locale).format(from);
  if (unit === 'month') return format({ month: 'long', year: 'numeric' }, locale).format(from);
  if (unit === 'year') return format({ year: 'numeric' }, locale).format(from);
  return format({ day: 'numeric', month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
}

/** The name of several consecutive periods. */
export function spanName(unit: Unit, from: number, to: number, count: number, locale?: string): string {
  if (count <= 1) return periodName(unit, from, to, locale);
  if (unit === 'year') return format({ year: 'numeric' }, locale).formatRange(from, to - 1);
  if (unit === 'month') return format({ month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
  return format({ day: 'numeric', month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
}

export interface AxisLabel {
  readonly at: number;
  readonly text: string;
  /** Start of a year, shown in bold. */
  readonly isYear: boolean;
}

/** Possible numbers of periods between two labels, as people usually count. */
const STEPS: Readonly<Record<Unit, readonly number[]>> = { day: [1, 2, 7, 14, 28], week: [1, 2, 4, 8, 13, 26], month: [1, 2, 3, 6, 12, 24, 60], year: [1, 2, 5, 10, 20, 50] };

/** Minimum width of a label. */
export const LABEL_PX = 58;

/** The periods that have a label, and its text. `edges` has one more entry than there are periods. */
export function axisLabels(unit: Unit, edges: readonly number[], width: number, locale?: string): AxisLabel[] {
  const count = edges.length - 1;
  if (count < 1) return [];
  const band = width / count;
  const step = STEPS[unit].find((each) => each * band >= LABEL_PX) ?? Math.ceil(LABEL_PX / band);
  const labels: AxisLabel[] = [];
  for (let at = 0; at < count; at += 1) {
    const from = edges[at] ?? 0;
    const date = new Date(from);
    const months = date.getFullYear() * 12 + date.getMonth();
    const index = unit === 'month' ? months : unit === 'year' ? date.getFullYear() : at;
    if (((index % step) + step) % step !== 0) continue;
    const before = labels[labels.length - 1];
    const isNewYear = !before || new Date(edges[before.at] ?? 0).getFullYear() !== date.getFullYear();
    if (unit === 'year' || (unit === 'month' && (step >= 12 || (isNewYear && date.getMonth() === 0)))) {
      labels.push({ at, text: format({ year: 'numeric' }, locale).format(from), isYear: true });
    } else if (unit === 'month') {
      labels.push({ at, text: format({ month: 'short' }, locale).format(from), isYear: false });
    } else {
      labels.push({ at, text: format({ day: 'numeric', month: 'short' }, locale).format(from), isYear: false });
    }
  }
  return labels;
}

/** The name of the local time zone, in which days start. */
export const zoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** First day of the week in the person's region: 1 is Monday, 7 is Sunday. */
export function weekStart(locale: string = navigator.language): number {
  try {
    const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
    const first = (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay;
    return first !== undefined && first >= 1 && first <= 7 ? first : 1;
  } catch {
    // The language tag is invalid. Monday, as in most of the world.
    return 1;
  }
}
