/** Gives the list its focus back, after an editor or a filter had it. */
export function focusList(testId: string): void {
  // After the panel has drawn what takes the editor's place.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)?.focus({ preventScroll: true }));
}
