/** Delays work until after the paint: an action is shown first, then sent. */

/** Maximum delay; a hidden window gets no frames. */
const FRAME_MAX_MS = 100;

/** Resolves in the task after the next frame. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, FRAME_MAX_MS);
    requestAnimationFrame(() => {
      window.clearTimeout(timer);
      window.setTimeout(resolve);
    });
  });
}
