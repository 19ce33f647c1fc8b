/** The scale of bars. Pure. Every axis starts at zero, so that twice the height is twice the number. */
import type { TimelineSeries } from '../../../api';

/** Round numbers from zero to the first one that is not below `most`, with at least one step. */
export function ticks(most: number, wanted = 3): number[] {
  const top = Math.max(1, most);
  const rough = top / wanted;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough && Number.isInteger(each)) ?? 10 * power);
  const count = Math.ceil(top / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** "1,200" as "1.2k", for an axis. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  return value >= 10_000 || (value >= 1_000 && value % 100 === 0) ? `${Number((value / 1_000).toFixed(1))}k` : String(value);
}

export interface Part {
  /** Index of the series. */
  readonly series: number;
  readonly from: number;
  readonly to: number;
  /** The share of this part that comes from excluded conversations, measured from its bottom. */
  readonly offRecord: number;
}

/** The bar of each period as stacked parts; empty if there is no data. */
export function stacked(series: readonly TimelineSeries[], stretches: number): Part[][] {
  return Array.from({ length: stretches }, (_, at) => {
    let foot = 0;
    const parts: Part[] = [];
    for (const [index, each] of series.entries()) {
      const count = each.counts[at] ?? 0;
      if (count === 0) continue;
      parts.push({ series: index, from: foot, to: foot + count, offRecord: each.off_record[at] ?? 0 });
      foot += count;
    }
    return parts;
  });
}

export const sumAt = (series: readonly TimelineSeries[], at: number): number => series.reduce((sum, each) => sum + (each.counts[at] ?? 0), 0);

export const mostOf = (series: readonly TimelineSeries[], stretches: number): number => Math.max(0, ...Array.from({ length: stretches }, (_, at) => sumAt(series, at)));

/** Keeps the first few series and combines the others into one, because people cannot distinguish more colors. */
export function folded(series: readonly TimelineSeries[], most: number, name: string): TimelineSeries[] {
  if (series.length <= most) return [...series];
  const rest = series.slice(most - 1);
  const add = (pick: (each: TimelineSeries) => readonly number[]) => (rest[0] ? pick(rest[0]) : []).map((_, at) => rest.reduce((sum, each) => sum + (pick(each)[at] ?? 0), 0));
  return [...series.slice(0, most - 1), { name, total: rest.reduce((sum, each) => sum + each.total, 0), counts: add((each) => each.counts), off_record: add((each) => each.off_record) }];
}
