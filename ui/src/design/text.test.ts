import { describe, expect, test } from 'vitest';
import { codePointSlice, segmentsOf } from './codePoints';
import { momentAhead, partialDate, relativeTime, shortDate } from './time';
import { tokens, wordDiff } from './wordDiff';

describe('spans in code points', () => {
  const marked = (text: string, start: number, end: number) =>
    segmentsOf(text, [{ start, end }])
      .map((segment) => (segment.spans.length > 0 ? `[${segment.text}]` : segment.text))
      .join('');

  test.each([
    ['plain text', 'I live in Utrecht.', 10, 17, 'I live in [Utrecht].'],
    ['an emoji before the span', 'And yes 🍳 I bake bread', 10, 23, 'And yes 🍳 [I bake bread]'],
    ['an emoji within the span', 'so 👩‍🚀 it is', 3, 6, 'so [👩‍🚀] it is'],
    ['letters beyond the basic plane', '𝒳𝒴𝒵 abc', 1, 5, '𝒳[𝒴𝒵 a]bc'],
    ['combining marks', 'cafe\u0301 noir', 0, 5, '[cafe\u0301] noir'],
    ['right-to-left text', 'שלום world', 0, 4, '[שלום] world'],
    ['a span to the very end', 'abc', 1, 3, 'a[bc]'],
    ['a span that reaches past the end', 'abc', 1, 99, 'a[bc]'],
    ['an empty span', 'abc', 1, 1, 'abc'],
    ['a span turned round', 'abc', 2, 1, 'abc'],
  ])('%s', (_, text, start, end, expected) => expect(marked(text, start, end)).toBe(expected));

  test('overlapping spans are cut at every border', () => {
    const a = { start: 0, end: 5, id: 'a' };
    const b = { start: 3, end: 8, id: 'b' };
    expect(segmentsOf('0123456789', [a, b]).map((segment) => [segment.text, segment.spans.map((span) => span.id).join('')])).toEqual([
      ['012', 'a'],
      ['34', 'ab'],
      ['567', 'b'],
      ['89', ''],
    ]);
  });

  test('segments join to the text whatever the spans', () => {
    const text = 'a🍳b👩‍🚀c\u0301d';
    const length = Array.from(text).length;
    for (let start = -1; start <= length + 1; start += 1)
      for (let end = -1; end <= length + 1; end += 1) {
        const joined = segmentsOf(text, [{ start, end }]).map((segment) => segment.text).join('');
        expect(joined, `span ${start}..${end} must lose nothing`).toBe(text);
      }
  });

  test('a slice counts as the backend does', () => expect(codePointSlice('🍳🍳ab', 1, 3)).toBe('🍳a'));
});

describe('word difference', () => {
  const shown = (before: string, after: string) =>
    wordDiff(before, after)
      .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `{+${text}+}` : `{-${text}-}`))
      .join('');

  test.each([
    ['nothing changed', 'User lives in Utrecht.', 'User lives in Utrecht.', 'User lives in Utrecht.'],
    ['detail added', 'User lives in Utrecht.', 'User lives in an old flat in Utrecht.', 'User lives in {+an old flat in +}Utrecht.'],
    ['one word replaced', 'User likes tea.', 'User likes coffee.', 'User likes {-tea-}{+coffee+}.'],
    ['a phrase replaced stays one phrase', 'User works at night.', 'User works every single morning.', 'User works {-at night-}{+every single morning+}.'],
    ['letter case alone is no change', 'user lives here', 'User lives here', 'User lives here'],
    ['all gone', 'abc', '', '{-abc-}'],
    ['all new', '', 'abc', '{+abc+}'],
  ])('%s', (_, before, after, expected) => expect(shown(before, after)).toBe(expected));

  test('same and added words give the new text, whatever the two are', () => {
    const words = ['User', 'lives', 'in', 'Utrecht', ',', 'and', 'runs', '🍳', 'on', 'left-handed', "Ines’s"];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const text = () => Array.from({ length: next(9) }, () => words[next(words.length)]).join(' ');
      const [before, after] = [text(), text()];
      const parts = wordDiff(before, after);
      expect(parts.filter((part) => part.kind !== 'gone').map((part) => part.text).join(''), `“${before}” → “${after}”`).toBe(after);
    }
  });

  test('tokens join to the text', () => expect(tokens('Ines’s left-handed 🍳, no?').join('')).toBe('Ines’s left-handed 🍳, no?'));
});

describe('times in words', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const ago = (hours: number) => relativeTime(now - hours * 3_600_000, now, 'en');
  test.each([
    [0, 'now'],
    [0.1, '6 minutes ago'],
    [5, '5 hours ago'],
    [24, 'yesterday'],
    [24 * 9, '9 days ago'],
    [24 * 30, 'Oct 21'],
  ])('%d hours back', (hours, expected) => expect(ago(hours)).toBe(expected));
  test.each([
    ['2026-11-07', 'November 7, 2026'],
    ['2026-11', 'November 2026'],
    ['2026', '2026'],
  ])('%s is as precise as it was said', (date, words) => expect(partialDate(date, 'en')).toBe(words));

  test('names another year', () => expect(shortDate(Date.UTC(2024, 4, 2, 12), now, 'en')).toBe('May 2, 2024'));
});

describe('a moment that comes', () => {
  const now = new Date(2026, 2, 12, 22, 30).getTime();
  test.each([
    ['today', new Date(2026, 2, 12, 23, 5).getTime(), /^11:05 PM$/],
    ['after midnight', new Date(2026, 2, 13, 0, 5).getTime(), /^tomorrow, 12:05 AM$/],
    ['tomorrow', new Date(2026, 2, 13, 8, 0).getTime(), /^tomorrow, 0?8:00 AM$/],
    ['later', new Date(2026, 2, 20, 8, 0).getTime(), /^Mar 20, 2026, 8:00 AM$/],
  ])('%s', (_, time, said) => expect(momentAhead(time, now, 'en').replace(/\u202f/g, ' ')).toMatch(said));
});
