/** Texts about unidentified speakers: speakers whom a meeting's transcript does not name. */
import { number, plural } from './words';

export const unidentifiedSpeakers = {
  /** Shown above a meeting. */
  bar: (count: number) => `${plural(count, 'unidentified speaker', 'unidentified speakers')}. Nothing is remembered about them until you say who they are.`,
  ask: 'Identify',
  leave: 'Leave unidentified',
  manage: 'Speakers',
  manageHint: 'Identify the speakers in this meeting',
  /** Shown in People. */
  waiting: (speakers: number, meetings: number) => `${plural(speakers, 'unidentified speaker', 'unidentified speakers')} in ${plural(meetings, 'meeting', 'meetings')}`,
  title: 'Who are these speakers?',
  text: 'The transcript distinguishes these speakers but does not name them. Your answers apply only to this meeting.',
  who: (label: string) => `Who is ${label}?`,
  placeholder: 'You, a known person or a new name',
  you: 'You',
  means: {
    owner: 'This is you. Statements this person made about themselves are proposed as memories about you.',
    person: (name: string) => `${name}, already in People`,
    name: (name: string) => `New person: ${name}`,
    open: 'Unidentified: nothing is remembered about them.',
  },
  save: 'Save names',
  saved: (count: number) => (count === 1 ? 'Identified one speaker' : `Identified ${number(count)} speakers`),
  cleared: 'Names removed',
  undone: 'Undone. Your earlier answers apply.',
  left: (count: number) => `Left ${plural(count, 'speaker', 'speakers')} unidentified`,
  asksAgain: 'Undone. Keepsake asks about the speakers again.',
  failed: 'The speakers could not be loaded',
  failedText: 'Their messages are safe in the database.',
  label: (label: string) => `${label} in the transcript`,
};
