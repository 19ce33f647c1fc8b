/**
 * Scores how well a few letters match the name of a command or a page. Pure.
 *
 * The letters must occur in order; letters at the start of words count most, then adjacent ones. People, topics and memories are
 * not matched here: the backend searches them by words.
 */

const WORD_START = 8;
const ADJACENT = 4;
const ANYWHERE = 1;
/** A name that starts with the input comes before one that contains it elsewhere. */
const PREFIX = 20;
/** Of two equal matches, the shorter one is preferred. */
const LENGTH_COST = 0.05;

const folded = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);

/** Higher is better; null unless all letters occur in order. Words separated by spaces may occur anywhere. */
export function fuzzyScore(typed: string, text: string): number | null {
  const name = folded(text);
  let score = 0;
  for (const word of folded(typed).split(/\s+/u).filter(Boolean)) {
    const of = scoreOfWord(word, name);
    if (of === null) return null;
    score += of;
  }
  return score - name.length * LENGTH_COST;
}

function scoreOfWord(word: string, name: string): number | null {
  if (name.startsWith(word)) return PREFIX + word.length * WORD_START;
  // First tries the whole word, preferably at the start of a word in the name.
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) if (!isWordChar(name[at - 1])) return WORD_START * word.length;
  if (name.includes(word)) return ADJACENT * word.length;
  let score = 0;
  let from = 0;
  let previous = -2;
  for (const char of word) {
    const start = wordStart(name, char, from);
    const next = name.indexOf(char, from);
    if (next < 0) return null;
    const at = next === previous + 1 ? next : (start ?? next);
    score += !isWordChar(name[at - 1]) ? WORD_START : at === previous + 1 ? ADJACENT : ANYWHERE;
    previous = at;
    from = at + 1;
  }
  // Letters that are too scattered do not count as an abbreviation.
  return score >= word.length * ADJACENT ? score : null;
}

function wordStart(name: string, char: string, from: number): number | null {
  for (let at = name.indexOf(char, from); at >= 0; at = name.indexOf(char, at + 1)) if (!isWordChar(name[at - 1])) return at;
  return null;
}
