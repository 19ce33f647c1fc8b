/** The catalogue in use. One language so far; a second one is a second object of the type `Strings`. */
import { type Strings, en } from './en';

export { fullHour, number, plural, type Strings } from './en';
export const t: Strings = en;

/** A stable name's word, or the name itself made readable where the catalogue does not know it. */
export function nameOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
}
