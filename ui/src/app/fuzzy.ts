/**
 * How well a few letters name something that is on the page already: commands and pages. Pure.
 *
 * The letters stand in their order; at the beginning of words they count most, then side by side. People, topics and memories are not
 * found so: the backend searches them by their words.
 */

const WORD_START = 8;
const ADJACENT = 4;
const ANYWHERE = 1;
/** A name that begins with what was typed comes before one that holds it elsewhere. */
const PREFIX = 20;
/** Of two that match alike the shorter one is meant. */
const LENGTH_COST = 0.05;

const folded = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);

/** Higher is better; null where the letters do not all occur in their order. Blanks divide words that may stand anywhere. */
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
  // As a whole, at the beginning of a word if it can be.
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
  // Letters strewn over a name are no abbreviation of it.
  return score >= word.length * ADJACENT ? score : null;
}

function wordStart(name: string, char: string, from: number): number | null {
  for (let at = name.indexOf(char, from); at >= 0; at = name.indexOf(char, at + 1)) if (!isWordChar(name[at - 1])) return at;
  return null;
}
