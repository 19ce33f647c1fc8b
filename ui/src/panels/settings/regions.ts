/** Names of regions, and validation of region codes. */
import { t } from '../../strings';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

export function regionName(region: string): string {
  try {
    return names.of(region) ?? region;
  } catch {
    return region;
  }
}

/**
 * The problem with an entry, or null. The backend accepts any two capital letters, but a code that is not a region would have no
 * effect.
 */
export function regionProblem(region: string, chosen: readonly string[]): string | null {
  if (!/^[A-Z]{2}$/.test(region) || regionName(region) === region) return t.settings.regionBad;
  return chosen.includes(region) ? t.settings.regionTwice : null;
}
