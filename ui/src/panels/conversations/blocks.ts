/**
 * Splits a message's text into prose and fenced code, each with its offset. Pure.
 *
 * Markup is not rendered; a fence only changes the typeface. Offsets are in code points, as in spans.
 */

export interface Block {
  readonly kind: 'prose' | 'code';
  readonly text: string;
  /** Number of code points before this block in the message. */
  readonly start: number;
  /** The word after the fence, if any. */
  readonly language: string | null;
}

/** Longer messages are cut until the person expands them, so that long pasted logs are not drawn completely. */
export const SHOWN_CHARS_MAX = 4_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;

const countPoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** An unclosed fence extends to the end. Blank lines next to a fence and at the end are dropped. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let kind: Block['kind'] = 'prose';
  let language: string | null = null;
  let fence = '';
  let lines: string[] = [];
  let start = 0;
  let at = 0;
  const flush = (nextStart: number) => {
    // Line breaks next to a fence belong to neither block. A block that is otherwise blank is dropped.
    const joined = lines.join('').replace(kind === 'prose' ? /\s+$/ : /\n$/, '');
    const leading = kind === 'prose' && blocks.length > 0 ? (/^\s*\n/.exec(joined)?.[0] ?? '') : '';
    const shown = joined.slice(leading.length);
    if (shown !== '') blocks.push({ kind, text: shown, start: start + countPoints(leading), language });
    lines = [];
    start = nextStart;
  };
  for (const line of text.split(/(?<=\n)/)) {
    const length = countPoints(line);
    const mark = FENCE.exec(line.replace(/\r?\n$/, ''));
    const opens: boolean = kind === 'prose' && mark !== null;
    const closes: boolean = kind === 'code' && mark !== null && mark[2] === '' && mark[1]?.[0] === fence[0] && (mark[1]?.length ?? 0) >= fence.length;
    if (opens || closes) {
      flush(at + length);
      kind = opens ? 'code' : 'prose';
      fence = opens ? (mark?.[1] ?? '') : '';
      language = opens ? mark?.[2] || null : null;
    } else {
      lines.push(line);
    }
    at += length;
  }
  flush(at);
  return blocks;
}

/**
 * The beginning of a long text, cut at a nearby line break or space if possible. Null if the text is short enough to be shown
 * whole.
 */
export function beginningOf(text: string, max: number = SHOWN_CHARS_MAX): string | null {
  // A text slightly over the limit is shown whole.
  if (text.length <= max * 1.2) return null;
  const cut = text.slice(0, max);
  const border = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' '));
  const end = border > max * 0.8 ? border : max;
  // Never cuts between the halves of a surrogate pair.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end);
}

const LINE_CHARS = 82;
const LINE_PX = 24;
const FRAME_PX = 58;
const FOLDED_PX = 36;

/** Estimated height of a message until it has been measured. */
export function estimateHeight(text: string, isFolded: boolean): number {
  if (isFolded) return FOLDED_PX;
  const shown = text.slice(0, SHOWN_CHARS_MAX);
  let lines = 0;
  for (const line of shown.split('\n')) lines += Math.max(1, Math.ceil(line.length / LINE_CHARS));
  return FRAME_PX + lines * LINE_PX;
}
