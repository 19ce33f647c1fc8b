/** Returns the focus to the list after an editor or a filter had it. */
export function focusList(testId: string): void {
  // Delayed until the panel has replaced the editor.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)?.focus({ preventScroll: true }));
}
