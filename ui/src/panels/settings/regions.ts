/** Names of regions, and what may be entered as one. */
import { t } from '../../strings';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

export function regionName(region: string): string {
  try {
    return names.of(region) ?? region;
  } catch {
    return region;
  }
}

/** What is wrong with an entry, or null. The backend takes two capital letters; a code that names no place would do nothing. */
export function regionProblem(region: string, chosen: readonly string[]): string | null {
  if (!/^[A-Z]{2}$/.test(region) || regionName(region) === region) return t.settings.regionBad;
  return chosen.includes(region) ? t.settings.regionTwice : null;
}
