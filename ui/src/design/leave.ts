/**
 * How a decided row leaves: upward when it was approved, fading when it was refused.
 *
 * The row itself goes at once and its neighbours close up without moving step by step, which would make every row of the
 * list a layer of its own; a picture of it stays behind for a moment. It is no part of the page: no id, no name, no role.
 * Who decides one after the other sees none of it: each picture would delay what the next key shows.
 */

const LEAVE_MS = 120;
/** Decisions closer than this are a series. */
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
