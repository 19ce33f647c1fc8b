/** The difference between two statements, word by word. Pure. */

export interface DiffPart {
  readonly kind: 'same' | 'added' | 'gone';
  readonly text: string;
}

/** Maximum number of words to compare. Longer statements are shown whole, because the comparison would cost too much. */
const WORDS_MAX = 600;

/** Splits a text into words and the spaces between them. Joining all tokens gives the text again. */
export function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:['’\-.][\p{L}\p{N}]+)*|\s+|[^\s\p{L}\p{N}]/gu) ?? [];
}

function push(parts: { kind: DiffPart['kind']; text: string }[], kind: DiffPart['kind'], text: string): void {
  const last = parts[parts.length - 1];
  if (last?.kind === kind) last.text += text;
  else if (text) parts.push({ kind, text });
}

/** The changes from `before` to `after`: the longest common sequence of words is kept, the rest is removed or added. */
export function wordDiff(before: string, after: string): DiffPart[] {
  const a = tokens(before);
  const b = tokens(after);
  if (before === after) return before ? [{ kind: 'same', text: before }] : [];
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) {
    return [
      { kind: 'gone', text: before },
      { kind: 'added', text: after },
    ];
  }
  const key = (token: string | undefined) => (token ?? '').toLocaleLowerCase();
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = key(a[i]) === key(b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: { kind: DiffPart['kind']; text: string }[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && key(a[i]) === key(b[j])) {
      push(parts, 'same', b[j] ?? '');
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      push(parts, 'gone', a[i] ?? '');
      i += 1;
    } else {
      push(parts, 'added', b[j] ?? '');
      j += 1;
    }
  }
  return bridgeSpaces(parts);
}

/** Makes a single space between two changes part of them. Otherwise a changed phrase would be split into single words. */
function bridgeSpaces(parts: readonly DiffPart[]): DiffPart[] {
  const out: { kind: DiffPart['kind']; text: string }[] = [];
  let gone = '';
  let added = '';
  const flush = () => {
    push(out, 'gone', gone);
    push(out, 'added', added);
    gone = '';
    added = '';
  };
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'gone') gone += part.text;
    else if (part.kind === 'added') added += part.text;
    else if (/^\s+$/.test(part.text) && (gone || added) && parts[index + 1] && parts[index + 1]?.kind !== 'same') {
      if (gone) gone += part.text;
      if (added) added += part.text;
      if (!gone) gone = '';
    } else {
      flush();
      push(out, 'same', part.text);
    }
  }
  flush();
  return out;
}
