import { expect, test } from 'vitest';
import type { DryRunFile } from '../../api';
import { bytes, listed } from '../../strings/words';
import { type Answers, UNANSWERED, importable, isDay, localDay, statusOf, withKnownOwner } from './files';

const look = (change: Partial<DryRunFile>): DryRunFile => ({
  token: 't',
  name: 'chat.txt',
  kind: 'whatsapp',
  error: null,
  conversations: 1,
  seen: 10,
  imported: 7,
  duplicate: 3,
  skipped: [],
  first: null,
  last: null,
  participants: [],
  channels: [],
  more_channels: 0,
  needs_owner: false,
  date_questions: [],
  needs_meeting: false,
  export: null,
  parts: [],
  may_be: [],
  left_out: [],
  ...change,
});
const question = { written: '03/04/2026', day_first: '3 April', month_first: '4 March' };
const skip = (count: number) => [{ reason: 'empty', text: 'empty message', count, sample: '' }];

test.each<[string, DryRunFile | undefined, Partial<Answers>, string]>([
  ['not read yet', undefined, {}, 'looking'],
  ['ready', look({}), {}, 'ready'],
  ['no export', look({ kind: null, error: 'This is a picture.' }), {}, 'unreadable'],
  ['nothing in it', look({ seen: 0, imported: 0, duplicate: 0 }), {}, 'empty'],
  ['all of it skipped', look({ imported: 0, duplicate: 0, skipped: skip(10) }), {}, 'empty'],
  ['all of it there: the owner may still be named', look({ imported: 0, duplicate: 10, needs_owner: true }), { me: 'Mara' }, 'ready'],
  ['the owner is not known', look({ needs_owner: true }), {}, 'asks'],
  ['the owner was named', look({ needs_owner: true }), { me: 'Mara' }, 'ready'],
  ['the owner does not speak', look({ needs_owner: true }), { isNobody: true }, 'ready'],
  ['dates read two ways', look({ date_questions: [question] }), {}, 'asks'],
  ['dates answered', look({ date_questions: [question] }), { dateOrder: 'day_first' }, 'ready'],
  ['a meeting without a date', look({ needs_meeting: true }), {}, 'asks'],
  ['its day was said', look({ needs_meeting: true }), { meeting: '2026-01-05' }, 'ready'],
  ['nobody knows its day', look({ needs_meeting: true }), { isUndated: true }, 'ready'],
  ['one of two questions answered', look({ needs_owner: true, date_questions: [question] }), { me: 'Mara' }, 'asks'],
])('a file: %s', (_, seen, answers, status) => expect(statusOf(seen, false, { ...UNANSWERED, ...answers })).toBe(status));

const mara = { name: 'Mara', handle: 'mara@example.org', messages: 3, sample: '', received: 0 };
test.each<[string, Partial<DryRunFile>, Partial<Answers>, string[], string | null]>([
  ['the same handle', { participants: [mara] }, {}, ['mara@example.org'], 'mara@example.org'],
  ['the same name', { participants: [mara] }, {}, ['Ben', 'Mara'], 'Mara'],
  ['who does not speak here', { participants: [mara] }, {}, ['Ben'], null],
  ['this file was answered', { participants: [mara] }, { me: 'Ana' }, ['Mara'], 'Ana'],
  ['nobody, said the person', { participants: [mara] }, { isNobody: true }, ['Mara'], null],
  ['asked for this file alone', { participants: [mara] }, { isAskedAlone: true }, ['Mara'], null],
])('who the owner is was said of another file: %s', (_, change, answers, known, me) =>
  expect(withKnownOwner(look({ needs_owner: true, ...change }), { ...UNANSWERED, ...answers }, known).me).toBe(me),
);

test('a file that could not be read says so', () => expect(statusOf(undefined, true, UNANSWERED)).toBe('failed'));
test('what is skipped is not counted as importable', () => expect(importable(look({ imported: 4, duplicate: 2, skipped: skip(4) }))).toBe(6));

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [24_000, '24.0 KB'],
  [412_000, '412 KB'],
  [96_400_000, '96.4 MB'],
  [1_500_000_000, '1.5 GB'],
])('%d bytes are written %s', (size, text) => expect(bytes(size)).toBe(text));

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('%j is listed as "%s"', (parts, text) => expect(listed(parts)).toBe(text));

test('a day on which a meeting can have been is neither of a half typed year nor to come', () => {
  const today = localDay(new Date(2026, 2, 12, 9).getTime());
  expect(today).toBe('2026-03-12');
  expect(['2026-03-12', '1990-01-01', '2026-03-13', '0012-12-03', '2026-13-01', ''].map((day) => isDay(day, today))).toEqual([true, true, false, false, false, false]);
});
