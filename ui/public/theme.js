// Runs before the first paint: the theme remembered from last time, or the system's, so that no window ever flashes.
// `src/app/theme.ts` keeps the remembered value equal to the setting.
(function () {
  var stored = null;
  try {
    stored = localStorage.getItem('keepsake.theme');
  } catch (_) {
    // Storage may be switched off; the system's theme is a good answer then.
  }
  var dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
