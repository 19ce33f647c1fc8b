/** The lines of a change as `diff -u` writes it, with what each says. */

export interface DiffLine {
  readonly line: string;
  readonly kind: 'file' | 'place' | 'added' | 'removed' | undefined;
}

/**
 * Only the lines before the first place of a file name it: a removed line that begins with two hyphens looks the same. Files are
 * separated by an empty line, which no change has. Pure.
 */
export function diffLines(diff: string): readonly DiffLine[] {
  let isHead = true;
  return diff.split('\n').map((line) => {
    if (line === '') isHead = true;
    else if (line.startsWith('@@')) {
      isHead = false;
      return { line, kind: 'place' };
    }
    if (isHead) return { line, kind: line.startsWith('---') || line.startsWith('+++') ? 'file' : undefined };
    return { line, kind: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined };
  });
}
