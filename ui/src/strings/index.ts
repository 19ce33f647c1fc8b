/** The catalog in use. There is one language so far. Another language is another object of the type `Strings`. */
import { type Strings, en } from './en';

export { fullHour, number, plural, type Strings } from './en';
export { bytes, duration, listed } from './words';
export const t: Strings = en;

/** The text for a stable name, or the name itself in readable form if the catalog does not contain it. */
export function nameOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
}
