/** Matches typed text to the person that an unidentified speaker may be, and compares answers with earlier ones. Pure. */
import type { PersonView, VoiceAnswerRequest, VoiceView } from '../../api';
import type { Option } from '../../design';
import { nameOf, t } from '../../strings';

export type Answer = Pick<VoiceAnswerRequest, 'answer' | 'person' | 'name'>;

export interface Known {
  readonly options: readonly Option[];
  /** The meaning of each text in the list, by lower-case text. */
  readonly byText: ReadonlyMap<string, { readonly name: string; readonly answer: Answer }>;
}

const fold = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/**
 * The people to choose from: the owner, and everyone with a handle elsewhere. A handle distinguishes people with the same name.
 */
export function knownPeople(people: readonly PersonView[]): Known {
  const byText = new Map<string, { name: string; answer: Answer }>([[fold(t.unidentifiedSpeakers.you), { name: t.unidentifiedSpeakers.you, answer: { answer: 'owner', person: null, name: null } }]]);
  const options: Option[] = [{ value: t.unidentifiedSpeakers.you, label: t.unidentifiedSpeakers.you }];
  for (const person of people) {
    const handle = person.handles.toSorted((a, b) => b.messages - a.messages)[0];
    const name = person.name.trim();
    if (person.type !== 'person' || person.is_owner || !handle || name === '') continue;
    const value = byText.has(fold(name)) ? `${name} (${handle.handle})` : name;
    if (byText.has(fold(value))) continue;
    byText.set(fold(value), { name, answer: { answer: 'person', person: handle.id, name: null } });
    options.push({ value, label: name, hint: `${nameOf(t.channel, handle.channel)} · ${handle.handle}` });
  }
  return { options, byText };
}

/** The answer that a typed text means: a person in the list, a new person, or none. */
export function answerOf(text: string, known: Known): Answer {
  const found = known.byText.get(fold(text));
  if (found) return found.answer;
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' ? { answer: 'open', person: null, name: null } : { answer: 'name', person: null, name };
}

/** The name in the list that a text means. */
export const meantBy = (text: string, known: Known): string => known.byText.get(fold(text))?.name ?? text.trim();

/** The earlier answer, for undo. */
export function answered(speaker: VoiceView): Answer {
  if (speaker.is_owner) return { answer: 'owner', person: null, name: null };
  if (speaker.linked !== null) return { answer: 'person', person: speaker.linked, name: null };
  if (speaker.name !== null) return { answer: 'name', person: null, name: speaker.name };
  return { answer: speaker.is_left ? 'leave' : 'open', person: null, name: null };
}

/** The initial text of the field: who the speaker is now. */
export function textOf(speaker: VoiceView, known: Known): string {
  if (speaker.is_owner) return t.unidentifiedSpeakers.you;
  if (speaker.linked === null) return speaker.name ?? '';
  for (const option of known.options) {
    if (known.byText.get(fold(option.value))?.answer.person === speaker.linked) return option.value;
  }
  return speaker.name ?? '';
}

/** The speakers whose answer has changed. An empty field is not a change for a speaker who was left without a name before. */
export function changes(speakers: readonly VoiceView[], texts: ReadonlyMap<string, string>, known: Known): { speaker: VoiceView; to: Answer; from: Answer }[] {
  return speakers.flatMap((speaker) => {
    const text = texts.get(speaker.handle);
    if (text === undefined || fold(text) === fold(textOf(speaker, known))) return [];
    return [{ speaker, to: answerOf(text, known), from: answered(speaker) }];
  });
}
