/**
 * Parses the typed query as the backend does, so that filters can be written into the query and read from it. The text in the box
 * is the only representation of a search. Pure.
 */

export const OPERATORS = ['person', 'channel', 'after', 'before', 'type'] as const;
export type Operator = (typeof OPERATORS)[number];

export const KINDS = ['message', 'memory', 'topic', 'person'] as const;
export type Kind = (typeof KINDS)[number];

interface Operation {
  readonly operator: Operator;
  readonly value: string;
  /** Its position, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const NAMES: Readonly<Record<string, Kind>> = { message: 'message', messages: 'message', memory: 'memory', memories: 'memory', topic: 'topic', topics: 'topic', person: 'person', people: 'person', persons: 'person' };

/** An operator with its value, which may be quoted and unclosed. Phrases are skipped as a whole. */
const PIECE = new RegExp(`"[^"]*"?|(?<=^|[\\s"])(${OPERATORS.join('|')}):(?:"([^"]*)"?|([^\\s"]*))|[^\\s"]+`, 'giu');

export function operationsOf(typed: string): Operation[] {
  return [...typed.matchAll(PIECE)].flatMap((match) => {
    const [whole, name, quoted, plain] = match;
    if (name === undefined) return [];
    return [{ operator: name.toLowerCase() as Operator, value: (quoted ?? plain ?? '').trim(), start: match.index, end: match.index + whole.length }];
  });
}

/** The values of an operator. */
export const valuesOf = (typed: string, operator: Operator): string[] => operationsOf(typed).flatMap((each) => (each.operator === operator && each.value !== '' ? [each.value] : []));

export const written = (operator: Operator, value: string): string => {
  const plain = value.replaceAll('"', '').trim();
  return `${operator}:${/\s/u.test(plain) ? `"${plain}"` : plain}`;
};

const tidy = (text: string): string => text.replace(/\s+/gu, ' ').trim();

const same = (a: string, b: string): boolean => a.localeCompare(b, undefined, { sensitivity: 'accent' }) === 0;

/** Removes the operations that match. */
function without(typed: string, isOut: (each: Operation) => boolean): string {
  let left = typed;
  for (const each of operationsOf(typed).filter(isOut).toReversed()) left = `${left.slice(0, each.start)} ${left.slice(each.end)}`;
  return tidy(left);
}

/** The text in which an operator has exactly these values. Other parts keep their place. */
export function withValues(typed: string, operator: Operator, values: readonly string[]): string {
  const known = valuesOf(typed, operator);
  const left = without(typed, (each) => each.operator === operator && !values.some((value) => same(value, each.value)));
  const added = values.filter((value) => !known.some((each) => same(each, value)));
  return tidy([left, ...added.map((value) => written(operator, value))].join(' '));
}

/** The search words, without operators. */
export const wordsOf = (typed: string): string => without(typed, () => true);

export const isNarrowed = (typed: string): boolean => operationsOf(typed).some((each) => each.value !== '');

/** The kind the search is limited to; `all` if there is none or more than one. */
export function kindOf(typed: string): Kind | 'all' {
  const kinds = new Set(valuesOf(typed, 'type').flatMap((value) => NAMES[value.toLowerCase()] ?? []));
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined ? kind : 'all';
}

export const withKind = (typed: string, kind: Kind | 'all'): string => withValues(typed, 'type', kind === 'all' ? [] : [kind]);

const MONTH = /^(\d{4})-(\d{2})$/u;

/** The following month, as `2026-03`. */
export function monthAfter(month: string): string {
  const [, year = '', number = ''] = MONTH.exec(month) ?? [];
  return number === '12' ? `${Number(year) + 1}-01` : `${year}-${String(Number(number) + 1).padStart(2, '0')}`;
}

/** The month to which the search is limited, if it is a single one. */
export function monthOf(typed: string): string | null {
  const [after, ...others] = valuesOf(typed, 'after');
  const [before, ...more] = valuesOf(typed, 'before');
  if (after === undefined || before === undefined || others.length > 0 || more.length > 0) return null;
  return MONTH.test(after) && monthAfter(after) === before ? after : null;
}

export function withMonth(typed: string, month: string | null): string {
  const left = withValues(withValues(typed, 'after', []), 'before', []);
  return month === null ? left : withValues(withValues(left, 'after', [month]), 'before', [monthAfter(month)]);
}

/** The operator whose value is being typed at the cursor. */
export function operationAt(typed: string, caret: number): Operation | null {
  const found = operationsOf(typed).find((each) => each.start < caret && caret <= each.end);
  if (!found || caret < found.start + found.operator.length + 1) return null;
  const isClosed = typed.slice(found.start, found.end).match(/"/gu)?.length === 2;
  return isClosed ? null : found;
}

/** The text with the operation at the cursor completed, and the new cursor position. */
export function completed(typed: string, operation: Operation, value: string): { text: string; caret: number } {
  const head = `${typed.slice(0, operation.start)}${written(operation.operator, value)} `;
  return { text: head + typed.slice(operation.end).trimStart(), caret: head.length };
}

/** The text with an empty operator added at its end. */
export const withOperator = (typed: string, operator: Operator): string => {
  const left = typed.trimEnd();
  return `${left}${left === '' ? '' : ' '}${operator}:`;
};
