/**
 * Displays the statement of a memory. The reader stores people's own words: `User: “i live in Leith”`, `Ada: “…”`. The window
 * shows the subject separately, so for the owner only the quoted words are displayed and edited.
 */
const OWN_WORDS = /^User: (“[^“”]*”)$/;

/** The displayed statement. */
export function shownStatement(content: string): string {
  return OWN_WORDS.exec(content)?.[1] ?? content;
}

/** The editable words of a statement about `subject`, and a function that builds the statement from the edited words. */
export function editableStatement(content: string, subject: string): { readonly words: string; readonly whole: (words: string) => string } {
  const before = `${subject === 'owner' ? 'User' : subject}: “`;
  const words = content.slice(before.length, -1);
  if (!content.startsWith(before) || !content.endsWith('”') || /[“”]/.test(words)) return { words: content, whole: (edited) => edited };
  // Curly quotation marks inside the words would end the quotation.
  return { words, whole: (edited) => `${before}${edited.replaceAll(/[“”]/g, '"')}”` };
}
