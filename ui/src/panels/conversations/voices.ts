/** Who a speaker without a name may be, as one types it; and what an answer replaces. Pure. */
import type { PersonView, VoiceAnswerRequest, VoiceView } from '../../api';
import type { Option } from '../../design';
import { nameOf, t } from '../../strings';

export type Answer = Pick<VoiceAnswerRequest, 'answer' | 'person' | 'name'>;

export interface Known {
  readonly options: readonly Option[];
  /** What each text of the list stands for, in small letters. */
  readonly byText: ReadonlyMap<string, { readonly name: string; readonly answer: Answer }>;
}

const fold = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** You, and everybody who is known by a handle elsewhere. Two of one name are told apart by a handle. */
export function knownPeople(people: readonly PersonView[]): Known {
  const byText = new Map<string, { name: string; answer: Answer }>([[fold(t.voices.you), { name: t.voices.you, answer: { answer: 'owner', person: null, name: null } }]]);
  const options: Option[] = [{ value: t.voices.you, label: t.voices.you }];
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

/** What a typed text answers: somebody of the list, somebody new, or nothing. */
export function answerOf(text: string, known: Known): Answer {
  const found = known.byText.get(fold(text));
  if (found) return found.answer;
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' ? { answer: 'open', person: null, name: null } : { answer: 'name', person: null, name };
}

/** Whom of the list a text means, by name. */
export const meantBy = (text: string, known: Known): string => known.byText.get(fold(text))?.name ?? text.trim();

/** What was answered before, so that it can be put back. */
export function answered(voice: VoiceView): Answer {
  if (voice.is_owner) return { answer: 'owner', person: null, name: null };
  if (voice.linked !== null) return { answer: 'person', person: voice.linked, name: null };
  if (voice.name !== null) return { answer: 'name', person: null, name: voice.name };
  return { answer: voice.is_left ? 'leave' : 'open', person: null, name: null };
}

/** What stands in the field at first: who the voice is now. */
export function textOf(voice: VoiceView, known: Known): string {
  if (voice.is_owner) return t.voices.you;
  if (voice.linked === null) return voice.name ?? '';
  for (const option of known.options) {
    if (known.byText.get(fold(option.value))?.answer.person === voice.linked) return option.value;
  }
  return voice.name ?? '';
}

/** The voices whose answer is another one than it was. An empty field of one left without a name is no change. */
export function changes(voices: readonly VoiceView[], texts: ReadonlyMap<string, string>, known: Known): { voice: VoiceView; to: Answer; from: Answer }[] {
  return voices.flatMap((voice) => {
    const text = texts.get(voice.handle);
    if (text === undefined || fold(text) === fold(textOf(voice, known))) return [];
    return [{ voice, to: answerOf(text, known), from: answered(voice) }];
  });
}
