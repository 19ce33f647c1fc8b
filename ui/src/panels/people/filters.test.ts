import { describe, expect, test } from 'vitest';
import type { PersonView } from '../../api';
import { NO_FILTERS, facetsOf, isNarrowed, readFilters, shownPeople } from './filters';

const person = (id: string, name: string, type: string, channels: readonly string[], open_links = 0): PersonView => ({
  id,
  name,
  type,
  is_owner: false,
  handles: channels.map((channel) => ({ id: `${id}-${channel}`, channel, handle: `${id}@${channel}.example`, display_name: name, verified: false, messages: 1, first: 0, last: 0 })),
  messages: 1,
  first: 0,
  last: 0,
  memories: 0,
  open_links,
  said_name: null,
});
const EVERYBODY = [person('robin', 'Robin Hale', 'person', ['email', 'matrix'], 1), person('nova', 'Nova', 'agent', ['chat']), person('mum', 'Mum', 'person', ['whatsapp']), person('fetch', 'WebFetch', 'service', ['chat'])];
const ids = (query: string, filters = NO_FILTERS) => shownPeople(EVERYBODY, query, filters).map((each) => each.id);

describe('who is shown', () => {
  test.each([
    ['', ['robin', 'nova', 'mum']],
    ['hale', ['robin']],
    ['ROBIN matrix', ['robin']],
    ['robin@email.example', ['robin']],
    ['mail', ['robin']],
    ['assistant', ['nova']],
    ['nobody', []],
  ])('by the words %j', (query, expected) => expect(ids(query)).toEqual(expected));

  test.each([
    [{ ...NO_FILTERS, kind: ['agent'] }, ['nova']],
    [{ ...NO_FILTERS, kind: ['agent', 'service'] }, ['nova', 'fetch']],
    [{ ...NO_FILTERS, channel: ['whatsapp', 'matrix'] }, ['robin', 'mum']],
    [{ ...NO_FILTERS, open: true }, ['robin']],
    [{ kind: ['agent'], channel: [], open: true }, []],
  ])('by the filters %j', (filters, expected) => expect(ids('', filters)).toEqual(expected));
});

test('a facet is counted without its own condition', () => {
  const facets = facetsOf(EVERYBODY, '', { ...NO_FILTERS, kind: ['agent'] });
  expect(facets.kind.find((each) => each.name === 'person')?.count).toBe(2);
  expect(facets.channel.map((each) => each.name)).toEqual(['chat']);
  expect(facets.open).toBe(0);
});

test.each([
  [null, NO_FILTERS],
  [{ kind: 'agent', channel: [1, 'email'], open: 'yes' }, { kind: [], channel: ['email'], open: false }],
])('remembered filters %j', (stored, expected) => expect(readFilters(stored)).toEqual(expected));

test('blank words narrow nothing', () => expect([isNarrowed(NO_FILTERS, '  '), isNarrowed(NO_FILTERS, 'x')]).toEqual([false, true]));
