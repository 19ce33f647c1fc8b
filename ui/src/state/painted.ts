/** After the paint: what a person does shows first, and is sent then. */

/** No frame comes to a window that is hidden; the work does not wait for one longer than this. */
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
