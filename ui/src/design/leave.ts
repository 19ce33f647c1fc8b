/**
 * What happens to a list outside React: the focus comes back to it, and a row leaves it after a decision, moving up when approved and
 * fading when dismissed.
 *
 * The row itself is removed immediately. Its neighbors close the gap without an animation, because animating them would put every
 * row of the list into a separate layer. A copy of the row stays visible for a moment, without an id, name or role. Quick
 * decisions in a row are not animated, because each copy would delay the response to the next key.
 */

const LEAVE_MS = 120;
/** Maximum time between two decisions that count as quick. */
const SERIES_MS = 600;

let lastLeft = Number.NEGATIVE_INFINITY;

export function leaveRow(key: string, how: 'up' | 'fade'): void {
  const now = performance.now();
  const isSeries = now - lastLeft < SERIES_MS;
  lastLeft = now;
  if (isSeries || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const row = [...document.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.dataset.key === key);
  const canvas = row?.parentElement;
  if (!row || !canvas || typeof row.animate !== 'function') return;
  const picture = document.createElement('div');
  picture.className = row.className;
  picture.setAttribute('aria-hidden', 'true');
  picture.inert = true;
  picture.style.height = row.style.height;
  picture.style.transform = row.style.transform;
  picture.style.zIndex = '1';
  picture.style.pointerEvents = 'none';
  picture.style.background = 'var(--surface)';
  for (const child of row.firstElementChild?.getAttribute('role') === 'gridcell' ? (row.firstElementChild?.children ?? []) : row.children) picture.append(child.cloneNode(true));
  canvas.append(picture);
  const lift = how === 'up' ? `${row.style.transform} translateY(-4px)` : row.style.transform;
  const animation = picture.animate([{ opacity: 1, transform: row.style.transform }, { opacity: 0, transform: lift }], { duration: LEAVE_MS, easing: 'ease-out' });
  const remove = () => picture.remove();
  animation.addEventListener('finish', remove);
  animation.addEventListener('cancel', remove);
}

/** Returns the focus to the list after an editor or a filter had it. */
export function focusList(testId: string): void {
  // Delayed until the panel has replaced the editor.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)?.focus({ preventScroll: true }));
}
