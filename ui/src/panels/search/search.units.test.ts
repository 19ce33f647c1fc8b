import { describe, expect, test } from 'vitest';
import type { SearchHit } from '../../api';
import { excerptOf, firstLine } from './excerpt';
import { completed, isNarrowed, kindOf, monthAfter, monthOf, operationAt, operationsOf, valuesOf, withKind, withMonth, withOperator, withValues, wordsOf } from './operators';
import { rowsOf } from './rows';

describe('what was typed', () => {
  test.each([
    ['boat person:Ana', [['person', 'Ana']], 'boat'],
    ['PERSON:"Ana Lima" boat', [['person', 'Ana Lima']], 'boat'],
    ['person:"Ana', [['person', 'Ana']], ''],
    ['"person:Ana" boat', [], '"person:Ana" boat'],
    ['content:boat https://x.org', [], 'content:boat https://x.org'],
    ['channel:dm  channel:email  x', [['channel', 'dm'], ['channel', 'email']], 'x'],
    ['xperson:Ana', [], 'xperson:Ana'],
    ['"a b"person:Ana', [['person', 'Ana']], '"a b"'],
    ['person:', [['person', '']], ''],
    ['', [], ''],
  ])('%s is read as the backend reads it', (typed, expected, words) => {
    expect(operationsOf(typed).map((each) => [each.operator, each.value])).toEqual(expected);
    expect(wordsOf(typed)).toBe(words);
  });

  test('values are put in and taken out where they stand', () => {
    expect(withValues('boat', 'person', ['Ana Lima'])).toBe('boat person:"Ana Lima"');
    expect(withValues('person:Ana boat person:ben', 'person', ['Ben'])).toBe('boat person:ben');
    expect(withValues('person:Ana boat', 'person', ['Ana', 'Ben'])).toBe('person:Ana boat person:Ben');
    expect(withValues('person:Ana boat', 'person', [])).toBe('boat');
    expect(valuesOf('channel:dm channel: x', 'channel')).toEqual(['dm']);
    expect(isNarrowed('boat person:')).toBe(false);
    expect(isNarrowed('boat person:a')).toBe(true);
  });

  test('a kind and a month are operators too', () => {
    expect(withKind('boat', 'topic')).toBe('boat type:topic');
    expect(withKind('boat type:topics', 'message')).toBe('boat type:message');
    expect(withKind('type:topic boat', 'all')).toBe('boat');
    expect(kindOf('type:people x')).toBe('person');
    expect(kindOf('type:people type:topic x'), 'several are no single one').toBe('all');
    expect(kindOf('type:boat')).toBe('all');
    expect(withMonth('boat', '2026-12')).toBe('boat after:2026-12 before:2027-01');
    expect(monthOf('boat after:2026-12 before:2027-01')).toBe('2026-12');
    expect(monthOf('boat after:2026-12')).toBeNull();
    expect(withMonth('boat after:2026-12 before:2027-01', null)).toBe('boat');
    expect(monthAfter('2026-03')).toBe('2026-04');
  });

  test.each([
    ['person:An', 9, 'An'],
    ['person:', 7, ''],
    ['boat person:"Ana L', 18, 'Ana L'],
    ['person:An', 3, null],
    ['person:"Ana" ', 12, null],
    ['boat', 4, null],
  ])('at the caret of %s (%i) the value %s is being typed', (typed, caret, value) => expect(operationAt(typed, caret)?.value ?? null).toBe(value));

  test('a value is completed, and the caret stands behind it', () => {
    const operation = operationAt('boat person:An paint', 14);
    expect(operation && completed('boat person:An paint', operation, 'Ana Lima')).toEqual({ text: 'boat person:"Ana Lima" paint', caret: 23 });
    expect(withOperator('boat ', 'person')).toBe('boat person:');
    expect(withOperator('', 'type')).toBe('type:');
  });
});

describe('an excerpt', () => {
  const marked = ({ text, ranges }: { text: string; ranges: readonly { start: number; end: number }[] }) => ranges.map((range) => Array.from(text).slice(range.start, range.end).join(''));
  const at = (text: string, word: string) => {
    const start = Array.from(text.slice(0, text.indexOf(word))).length;
    return { start, end: start + Array.from(word).length };
  };

  test('of a short text is all of it, line breaks as blanks', () => {
    const text = '🍳 one\ntwo';
    expect(excerptOf(text, [at(text, 'two')])).toEqual({ text: '🍳 one two', ranges: [{ start: 6, end: 9 }] });
  });

  test('of a long text stands around the first word, beginning with a whole one', () => {
    const text = `${'🍳 filler words '.repeat(60)}the harbour dues ${'and more '.repeat(60)}`;
    const excerpt = excerptOf(text, [at(text, 'harbour'), { start: 2_000, end: 2_003 }]);
    expect(marked(excerpt)).toEqual(['harbour']);
    expect(excerpt.text).toMatch(/^…(🍳|filler|words) /u);
    expect(excerpt.text.endsWith('…')).toBe(true);
    expect(Array.from(excerpt.text).length).toBeLessThan(250);
  });

  test('of a text without blanks is cut anywhere', () => {
    const text = `${'東'.repeat(400)}京${'西'.repeat(400)}`;
    expect(marked(excerptOf(text, [at(text, '京')]))).toEqual(['京']);
  });

  test('the first line of a topic is its title', () => {
    expect(firstLine('Kitchen\nno gas', [{ start: 0, end: 7 }, { start: 8, end: 10 }])).toEqual({ text: 'Kitchen', ranges: [{ start: 0, end: 7 }] });
  });
});

describe('the rows', () => {
  const hit = (kind: string, id: string) => ({ kind, id }) as SearchHit;
  const hits = [hit('person', 'a'), ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => hit('memory', id)), hit('message', 'a'), hit('message', 'b'), hit('unknown', 'x')];

  test('of all kinds stand under headings, with the way to the rest', () => {
    expect(rowsOf({ hits }, 'all').map((row) => row.key)).toEqual([
      'heading person', 'person a', 'heading memory', 'memory a', 'memory b', 'memory c', 'memory d', 'more memory', 'heading message', 'message a', 'message b',
    ]);
  });

  test('of one kind are all there are', () => expect(rowsOf({ hits: hits.filter((each) => each.kind === 'memory') }, 'memory')).toHaveLength(6));
});
