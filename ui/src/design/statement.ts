/**
 * How a memory's statement is shown. The reader keeps the person's own words: `User: “i live in Leith”`, `Ada: “…”`. The window says
 * whom a memory is about beside it, so of the owner's only the words are shown, and only the words are edited.
 */
const OWN_WORDS = /^User: (“[^“”]*”)$/;

/** What the window shows. */
export function shownStatement(content: string): string {
  return OWN_WORDS.exec(content)?.[1] ?? content;
}

/** What an editor shows of a statement about `subject`, and the statement of what it holds afterwards. */
export function editableStatement(content: string, subject: string): { readonly words: string; readonly whole: (words: string) => string } {
  const before = `${subject === 'owner' ? 'User' : subject}: “`;
  const words = content.slice(before.length, -1);
  if (!content.startsWith(before) || !content.endsWith('”') || /[“”]/.test(words)) return { words: content, whole: (edited) => edited };
  // Quotation marks within would end it.
  return { words, whole: (edited) => `${before}${edited.replaceAll(/[“”]/g, '"')}”` };
}
