/** Filters people by words in the name, handle or channel, by type, by channel, and by open suggestions. Pure. */
import { type Count, type PersonView, tally } from '../../api';
import { nameOf, t } from '../../strings';

export interface PeopleFilters {
  readonly kind: readonly string[];
  readonly channel: readonly string[];
  readonly open: boolean;
}

export const NO_FILTERS: PeopleFilters = { kind: [], channel: [], open: false };

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []);

/** Reads the filters of an earlier session. Values that are no longer valid are dropped. */
export function readFilters(stored: unknown): PeopleFilters {
  const given = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  return { kind: texts(given.kind), channel: texts(given.channel), open: given.open === true };
}

export const isNarrowed = (filters: PeopleFilters, query: string): boolean => query.trim() !== '' || filters.kind.length > 0 || filters.channel.length > 0 || filters.open;

function hasWords(person: PersonView, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const said = [person.name, ...person.handles.flatMap((each) => [each.display_name, each.handle, each.channel, nameOf(t.channel, each.channel)])].join('\n').toLowerCase();
  return words.every((word) => said.includes(word));
}

/** Services (an assistant's tools, or a program that writes messages) are listed only if that type is selected. */
const fitsKind = (person: PersonView, { kind }: PeopleFilters) => (kind.length === 0 ? person.type !== 'service' : kind.includes(person.type));
const fitsChannel = (person: PersonView, { channel }: PeopleFilters) => channel.length === 0 || person.handles.some((each) => channel.includes(each.channel));
const fitsOpen = (person: PersonView, { open }: PeopleFilters) => !open || person.open_links > 0;

/** The people to show, in the given order. */
export function shownPeople(people: readonly PersonView[], query: string, filters: PeopleFilters): readonly PersonView[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return people.filter((person) => hasWords(person, words) && fitsKind(person, filters) && fitsChannel(person, filters) && fitsOpen(person, filters));
}

/** Counts of each facet, without its own condition. */
export function facetsOf(people: readonly PersonView[], query: string, filters: PeopleFilters): { kind: Count[]; channel: Count[]; open: number } {
  const kinds = shownPeople(people, query, { ...filters, kind: [...new Set(people.map((person) => person.type))] });
  const channels = shownPeople(people, query, { ...filters, channel: [] });
  return {
    kind: tally(kinds.map((person) => person.type)),
    channel: tally(channels.flatMap((person) => [...new Set(person.handles.map((each) => each.channel))])),
    open: shownPeople(people, query, { ...filters, open: true }).length,
  };
}
