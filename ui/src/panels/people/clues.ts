/**
 * Evidence for and against a link, in plain words built from the backend's fields. An unknown kind is shown by its name. Pure.
 */
import type { ClueView, LinkView, PersonHandle, PersonView } from '../../api';
import { nameOf, t } from '../../strings';

export interface ClueWords {
  readonly text: string;
  /** Additional text in the muted color. */
  readonly more: string | null;
  /** The conversation it is about. */
  readonly conversation: string | null;
}

export const personName = (person: Pick<PersonView, 'name'>): string => person.name.trim() || t.people.nameless;

/** The display name of a handle, otherwise the handle itself. */
export const handleName = (handle: Pick<PersonHandle, 'display_name' | 'handle'>): string => handle.display_name.trim() || handle.handle.trim() || t.people.nameless;

/** "Robin Hale (Mail)", to distinguish the same name on different channels. */
export const handleWithChannel = (handle: PersonHandle): string => `${handleName(handle)} (${nameOf(t.channel, handle.channel)})`;

/** All handles by id, for evidence that refers to other handles. */
export function handlesById(people: readonly PersonView[]): ReadonlyMap<string, PersonHandle> {
  return new Map(people.flatMap((person) => person.handles.map((handle) => [handle.id, handle] as const)));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []);
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

export function clueWords(clue: ClueView, link: LinkView, known: ReadonlyMap<string, PersonHandle>): ClueWords {
  const { detail, kind } = clue;
  const words = t.people.clue;
  const called = (id: unknown): string => {
    const handle = [link.a, link.b].find((each) => each.id === id) ?? known.get(text(id));
    return handle ? handleWithChannel(handle) : t.people.another;
  };
  const say = (said: string, more: string | null = null, conversation: string | null = null): ClueWords => ({ text: said, more, conversation });
  switch (kind) {
    case 'same_contact':
      return say(words.same_contact(text(detail.contact)), words.contactHow(handleWithChannel(link.a), text(detail.a), handleWithChannel(link.b), text(detail.b)));
    case 'declared_handle':
      return say(words.declared_handle(called(detail.by), text(detail.handle)));
    case 'same_account':
      return say(words.same_account(nameOf(t.channel, text(detail.channel)), text(detail.handle)));
    case 'same_full_name':
      return say(words.same_full_name(text(link.a.display_name) || text(detail.name)));
    case 'shared_companions':
      return say(words.shared_companions([...new Set(texts(detail.companions).map((id) => called(id)))]));
    case 'shared_terms':
      return say(words.shared_terms(texts(detail.terms)));
    case 'same_conversation':
      return say(words.same_conversation, count(detail.answers) > 0 ? words.answers(count(detail.answers)) : null, text(detail.conversation) || null);
    case 'different_names':
      return say(words.different_names(text(detail.a), text(detail.b)), detail.is_partly_shared === true ? words.partlyShared : null);
    case 'same_server':
      return say(words.same_server(text(detail.server) || nameOf(t.channel, link.a.channel)));
    case 'denied':
      return say(words.denied(called(detail.by)));
    case 'declared_other':
      return say(words.declared_other(called(detail.by), text(detail.handle)));
    case 'mixed_scripts':
      return say(words.mixed_scripts(called(detail.handle)));
    case 'namesake':
      return say(words.namesake(called(detail.handle)));
    case 'decided_different':
      return say(words.decided_different(called(detail.a), called(detail.b)));
    default:
      return say(nameOf({}, kind));
  }
}
