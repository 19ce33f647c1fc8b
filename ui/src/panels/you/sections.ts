/** The content of the page: headings, the sentences under each heading, and the plain text. Pure. */
import type { MemoryRow } from '../../api';
import { shownStatement } from '../../design';

export const SECTION_IDS = ['home', 'people', 'health', 'work', 'preferences', 'plans', 'more'] as const;
export type SectionId = (typeof SECTION_IDS)[number];

export interface Section {
  readonly id: SectionId;
  /** Newest first. */
  readonly rows: readonly MemoryRow[];
}

/** The attribute of a fact takes precedence, because it is narrower than the category. */
const BY_ATTRIBUTE: Readonly<Record<string, SectionId>> = {
  home: 'home',
  origin: 'home',
  pet: 'home',
  possession: 'home',
  partner: 'people',
  child: 'people',
  parent: 'people',
  sibling: 'people',
  friend: 'people',
  colleague: 'people',
  health: 'health',
  allergy: 'health',
  diet: 'health',
  job: 'work',
  employer: 'work',
  education: 'work',
  skill: 'work',
  tool: 'work',
  hobby: 'preferences',
  like: 'preferences',
  dislike: 'preferences',
  habit: 'preferences',
  opinion: 'preferences',
  value: 'preferences',
  plan: 'plans',
  goal: 'plans',
  event: 'plans',
  name: 'more',
  age: 'more',
  birthday: 'more',
  language: 'more',
  past: 'more',
  faith: 'more',
  money: 'more',
  contact: 'more',
};

/**
 * For statements without an attribute or with the attribute `other`. Personal information has no heading of its own, because it
 * can be anything.
 */
const BY_CATEGORY: Readonly<Record<string, SectionId>> = {
  relationship: 'people',
  skill: 'work',
  project: 'work',
  preference: 'preferences',
  goal: 'plans',
};

export function sectionOf(row: Pick<MemoryRow, 'attribute' | 'category'>): SectionId {
  return BY_ATTRIBUTE[row.attribute ?? ''] ?? BY_CATEGORY[row.category] ?? 'more';
}

/** The rows under their headings. Empty headings are left out. */
export function sections(rows: readonly MemoryRow[]): Section[] {
  const under = new Map<SectionId, MemoryRow[]>(SECTION_IDS.map((id) => [id, []]));
  for (const row of rows) under.get(sectionOf(row))?.push(row);
  return [...under]
    .filter(([, each]) => each.length > 0)
    .map(([id, each]) => ({ id, rows: each.toSorted((a, b) => b.said_at - a.said_at || a.id.localeCompare(b.id)) }));
}

/**
 * The statement with a final period. No period is added if the statement already ends like a sentence, or if it is entirely a
 * quotation, because it was not part of the person's words.
 */
export function sentence(content: string): string {
  const shown = shownStatement(content).trim();
  return /[.!?…][”"’')\]]*$|^“.*”$/su.test(shown) ? shown : `${shown}.`;
}

/** Whether it may be copied for an assistant. Statements that agents would not be served are excluded. */
export const mayBeCopied = (row: MemoryRow): boolean => !row.is_private_source && !row.is_hidden;

/** Headings and one line per statement, without ids and without statements that may not be copied. Empty if nothing is left. */
export function plainText(shown: readonly Section[], headings: Readonly<Record<SectionId, string>>, asOf: string | null): string {
  const parts = shown.flatMap(({ id, rows }) => {
    const lines = rows.filter(mayBeCopied).map((row) => `- ${sentence(row.content).replaceAll(/\s+/g, ' ')}`);
    return lines.length === 0 ? [] : [[headings[id], ...lines].join('\n')];
  });
  if (parts.length === 0) return '';
  return `${[...(asOf === null ? [] : [asOf]), ...parts].join('\n\n')}\n`;
}
