/**
 * How a memory's statement is shown. The reader keeps the person's own words: `User: “i live in Leith”`, `Ada: “…”`. The window says
 * whom a memory is about beside it, so of the owner's only the words are shown, and only the words are edited.
 */
const OWN_WORDS = /^User: (“[^“”]*”)$/;

/** What the window shows. */
export function shownStatement(content: string): string {
  return OWN_WORDS.exec(content)?.[1] ?? content;
}

/** What an editor shows of a statement, and the statement of what it holds afterwards. */
export function editableStatement(content: string): { readonly words: string; readonly whole: (words: string) => string } {
  const start = content.indexOf(': “');
  if (start < 0 || !content.endsWith('”')) return { words: content, whole: (words) => words };
  const label = content.slice(0, start);
  // Quotation marks within would end it.
  return { words: content.slice(start + 3, -1), whole: (words) => `${label}: “${words.replaceAll(/[“”]/g, '"')}”` };
}
