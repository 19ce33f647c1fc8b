/** Stretches of time in words, and which of them a label stands under. Pure; where they begin and end comes with the answer. */

export type Unit = 'day' | 'week' | 'month' | 'year';

export const isUnit = (text: string): text is Unit => ['day', 'week', 'month', 'year'].includes(text);

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const key = `${locale ?? ''} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** The stretch from `from` to `to` (exclusive) in words: "12 November 2026", "9 – 15 Nov 2026", "November 2026", "2026". */
export function periodName(unit: Unit, from: number, to: number, locale?: string): string {
  if (unit === 'day') return format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }, locale).format(from);
  if (unit === 'month') return format({ month: 'long', year: 'numeric' }, locale).format(from);
  if (unit === 'year') return format({ year: 'numeric' }, locale).format(from);
  return format({ day: 'numeric', month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
}

/** Several stretches together. */
export function spanName(unit: Unit, from: number, to: number, count: number, locale?: string): string {
  if (count <= 1) return periodName(unit, from, to, locale);
  if (unit === 'year') return format({ year: 'numeric' }, locale).formatRange(from, to - 1);
  if (unit === 'month') return format({ month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
  return format({ day: 'numeric', month: 'short', year: 'numeric' }, locale).formatRange(from, to - 1);
}

export interface AxisLabel {
  readonly at: number;
  readonly text: string;
  /** A year begins: set stronger. */
  readonly isYear: boolean;
}

/** So many stretches from one label to the next, as people count. */
const STEPS: Readonly<Record<Unit, readonly number[]>> = { day: [1, 2, 7, 14, 28], week: [1, 2, 4, 8, 13, 26], month: [1, 2, 3, 6, 12, 24, 60], year: [1, 2, 5, 10, 20, 50] };

/** A label needs so much room. */
export const LABEL_PX = 58;

/** Which stretches carry a label, and which. `edges` holds one more than there are stretches. */
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

/** The zone in which days begin here, as it is called. */
export const zoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** The day on which weeks begin where this person lives: 1 is Monday, 7 Sunday. */
export function weekStart(locale: string = navigator.language): number {
  try {
    const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
    const first = (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay;
    return first !== undefined && first >= 1 && first <= 7 ? first : 1;
  } catch {
    // A language tag that is none; most of the world begins on Monday.
    return 1;
  }
}
