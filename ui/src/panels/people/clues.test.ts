import { describe, expect, test } from 'vitest';
import type { ClueView, LinkView, PersonHandle } from '../../api';
import { clueWords, handleName } from './clues';

const handle = (id: string, display_name: string, channel: string): PersonHandle => ({ id, channel, handle: `${id}@example`, display_name, verified: false, messages: 1, first: 0, last: 0 });
const link = { id: 'lnk', a: handle('a', 'Robin Hale', 'email'), b: handle('b', 'rob', 'matrix') } as LinkView;
const known = new Map([['c', handle('c', 'Mum', 'whatsapp')]]);
const said = (kind: string, detail: Record<string, unknown>) => {
  const { text, more } = clueWords({ kind, detail, lines: [] } satisfies ClueView, link, known);
  return more ? `${text} / ${more}` : text;
};

describe('each kind of reason is said in plain words', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['same_contact', { contact: 'r@example.org', a: 'handle', b: 'signature' }, 'Both give r@example.org as their own / Robin Hale (Email): it is the account itself. rob (Matrix): it is in their signature.'],
    ['declared_handle', { by: 'a', handle: '@rob' }, 'Robin Hale (Email) says that “@rob” is theirs'],
    ['same_account', { channel: 'matrix', handle: '@rob' }, 'Both say that @rob on Matrix is theirs'],
    ['same_full_name', { name: 'robin hale' }, 'Both use the full name Robin Hale'],
    ['shared_companions', { companions: ['c', 'c', 'unknown'] }, 'Both talk with Mum (WhatsApp) and another account'],
    ['shared_terms', { terms: ['atlas', 'rollback'] }, 'Both use words that few others use: atlas and rollback'],
    ['same_conversation', { conversation: 'conv', answers: 0 }, 'Both write in the same conversation'],
    ['same_conversation', { conversation: 'conv', answers: 3 }, 'Both write in the same conversation / One replied to the other there 3 times.'],
    ['different_names', { a: 'Robin Hale', b: 'Robin Marsh', is_partly_shared: true }, 'Their names differ: Robin Hale and Robin Marsh / Part of the name is the same, as can happen after a marriage.'],
    ['same_server', { server: 'example.org' }, 'Both are accounts on example.org, where a person rarely needs two'],
    ['same_server', { server: '' }, 'Both are accounts on Email, where a person rarely needs two'],
    ['denied', { by: 'b' }, 'rob (Matrix) says that the other account is not theirs'],
    ['declared_other', { by: 'b', handle: 'x@example' }, 'rob (Matrix) says that a different account there is theirs: x@example'],
    ['mixed_scripts', { handle: 'b' }, 'The name rob (Matrix) mixes letters from two alphabets, as impersonators do'],
    ['namesake', { handle: 'c' }, 'Another person with that name talks with one of them: Mum (WhatsApp)'],
    ['decided_different', { a: 'a', b: 'c' }, 'You said that Robin Hale (Email) and Mum (WhatsApp) are different people'],
    ['something_new', {}, 'Something new'],
  ])('%s %j', (kind, detail, expected) => expect(said(kind, detail)).toBe(expected));

  test('fields of another shape make no error', () => expect(said('shared_terms', { terms: 7 })).toContain('Both use words'));
  test('a conversation can be opened', () => expect(clueWords({ kind: 'same_conversation', detail: { conversation: 'conv_1' }, lines: [] }, link, known).conversation).toBe('conv_1'));
});

test.each([
  [' Robin ', 'x', 'Robin'],
  ['', '@x', '@x'],
  ['', '', 'Unnamed'],
])('a handle named %j with the address %j is called %s', (display_name, address, expected) => expect(handleName({ display_name, handle: address })).toBe(expected));
