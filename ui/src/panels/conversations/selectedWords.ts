/** The words selected in the window, with their message and their offsets in code points, as in spans. */

export interface SelectedWords {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

const points = (text: string): number => Array.from(text).length;

/** Converts a document position to an offset within its message. Each block stores the number of code points before it. */
function placeOf(node: Node, offset: number): { message: string; at: number } | null {
  const element = node instanceof Element ? node : node.parentElement;
  const block = element?.closest<HTMLElement>('[data-start]');
  const message = block?.closest<HTMLElement>('[data-message]')?.dataset['message'];
  if (!block || message === undefined) return null;
  const before = document.createRange();
  before.setStart(block, 0);
  before.setEnd(node, offset);
  return { message, at: Number(block.dataset['start']) + points(before.toString()) };
}

/** The selection, if it is within one message; spaces at its ends are dropped. */
export function selectedWords(selection: Selection | null): SelectedWords | null {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const [from, to] = [placeOf(range.startContainer, range.startOffset), placeOf(range.endContainer, range.endOffset)];
  if (!from || !to || from.message !== to.message) return null;
  const text = range.toString();
  const words = text.trim();
  if (words === '') return null;
  const start = from.at + points(text.slice(0, text.length - text.trimStart().length));
  const end = to.at - points(text.slice(text.trimEnd().length));
  return start < end ? { message: from.message, start, end, words } : null;
}
