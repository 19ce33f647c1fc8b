/** Splits a context at the ids it contains, so that each item can be opened. Joining the parts gives exactly the text. Pure. */
import type { ContextItemView } from '../../api';

export interface Part {
  readonly text: string;
  /** The item that this id belongs to. */
  readonly item: ContextItemView | null;
}

/** An id in brackets at the start of a line. Brackets elsewhere are always part of someone's text. */
const LINE = /^- \[([^\]\s]+)\]/;

export function partsOf(text: string, items: readonly ContextItemView[]): Part[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  const parts: Part[] = [];
  let plain = '';
  const flush = () => {
    if (plain) parts.push({ text: plain, item: null });
    plain = '';
  };
  for (const line of text.split(/(?<=\n)/)) {
    const id = LINE.exec(line)?.[1];
    const item = id === undefined ? undefined : byId.get(id);
    if (!item || id === undefined) {
      plain += line;
      continue;
    }
    plain += '- [';
    flush();
    parts.push({ text: id, item });
    plain = line.slice(3 + id.length);
  }
  flush();
  return parts;
}

/** The text of each item, without its id. */
export function linesOf(text: string, items: readonly ContextItemView[]): ReadonlyMap<string, string> {
  const parts = partsOf(text, items);
  return new Map(parts.flatMap((part, index) => (part.item ? [[part.item.id, (parts[index + 1]?.text ?? '').replace(/^\] /, '').split('\n', 1)[0] ?? ''] as const] : [])));
}

/** The length as the backend counts it: code points, not UTF-16 units. */
export const charsOf = (text: string): number => Array.from(text).length;
