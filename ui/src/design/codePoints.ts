/**
 * Spans count Unicode code points, but JavaScript counts UTF-16 units, and the two differ after an emoji. All code that cuts
 * message text uses this module. Pure.
 */

export interface CodePointSpan {
  readonly start: number;
  readonly end: number;
}

export interface Segment<T> {
  readonly text: string;
  /** The spans that cover all of this text; empty for plain text. */
  readonly spans: readonly T[];
  /** Offset of the first code point. */
  readonly start: number;
}

export function codePointSlice(text: string, start: number, end: number): string {
  return Array.from(text).slice(start, end).join('');
}

/** Cuts a text at the edges of spans. Spans may overlap, touch, be empty or extend past the end. */
export function segmentsOf<T extends CodePointSpan>(text: string, spans: readonly T[]): Segment<T>[] {
  const points = Array.from(text);
  const clamp = (at: number) => Math.max(0, Math.min(points.length, at));
  const valid = spans.filter((span) => clamp(span.end) > clamp(span.start));
  const borders = [...new Set([0, points.length, ...valid.flatMap((span) => [clamp(span.start), clamp(span.end)])])].sort((a, b) => a - b);
  const segments: Segment<T>[] = [];
  for (const [index, start] of borders.entries()) {
    const end = borders[index + 1];
    if (end === undefined) break;
    segments.push({ text: points.slice(start, end).join(''), start, spans: valid.filter((span) => clamp(span.start) <= start && clamp(span.end) >= end) });
  }
  return segments;
}
