/** Words for speakers of a meeting whom its transcript does not name. */
import { number, plural } from './words';

export const voices = {
  /** Over a meeting. */
  bar: (count: number) => `${plural(count, 'speaker has', 'speakers have')} no name here. Nothing is remembered about them until you say who they are.`,
  ask: 'Who are they?',
  leave: 'Leave without a name',
  manage: 'Speakers',
  manageHint: 'Say who spoke in this meeting',
  /** In People. */
  waiting: (speakers: number, meetings: number) => `${plural(speakers, 'speaker', 'speakers')} in ${plural(meetings, 'meeting', 'meetings')} without a name`,
  title: 'Who are these speakers?',
  text: 'The transcript tells their voices apart and does not name them. What you say here counts for this meeting alone.',
  who: (label: string) => `Who is ${label}?`,
  said: (count: number) => plural(count, 'message', 'messages'),
  placeholder: 'You, somebody you know, or a new name',
  you: 'You',
  means: {
    owner: 'It is you: what they said of themselves is proposed as yours.',
    person: (name: string) => `${name}, whom you know already`,
    name: (name: string) => `Somebody new: ${name}`,
    open: 'No name: nothing is remembered about them.',
  },
  save: 'Save names',
  saved: (count: number) => (count === 1 ? 'Named one speaker' : `Named ${number(count)} speakers`),
  cleared: 'Took the names back',
  tookBack: 'The speakers are as they were',
  left: (count: number) => `${plural(count, 'speaker stays', 'speakers stay')} without a name`,
  asksAgain: 'You are asked about the speakers again',
  failed: 'The speakers could not be loaded',
  failedText: 'What they said is safe in the database.',
  label: (label: string) => `${label} in the transcript`,
};
