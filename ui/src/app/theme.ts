/**
 * Keeps `data-theme` in sync with the setting or, for "system", with the system. `public/theme.js` sets it for the first paint.
 */
import type { Theme } from '../api/schema';

const STORED = 'keepsake.theme';
const dark = () => window.matchMedia('(prefers-color-scheme: dark)');

let chosen: Theme = 'system';

function apply(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && dark().matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // If storage is not available, the next start uses the system theme until the setting is read.
  }
  apply();
}

export function followSystemTheme(): () => void {
  const query = dark();
  query.addEventListener('change', apply);
  return () => query.removeEventListener('change', apply);
}
