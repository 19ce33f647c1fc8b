/** Texts of a conversation's status: whether it is still going and why, its tone, and its summary. */
import { listed, plural } from './words';

export const conversationStatus = {
  title: 'Status',
  status: { active: 'Active', idle: 'Paused', archived: 'Ended' } as Readonly<Record<string, string>>,
  statusText: {
    active: 'This conversation is ongoing.',
    idle: 'No one is writing at the moment. It becomes active again with the next message.',
    archived: 'This conversation has ended. It becomes active again if someone writes.',
  } as Readonly<Record<string, string>>,
  show: 'Show status',
  hide: 'Hide status',
  why: 'Why',
  judgedBy: (who: string) => `judged by ${who}`,
  reasons: {
    empty: () => 'no one has said anything yet',
    within_rhythm: (silence: string | null) => (silence === null ? 'no unusual pause' : `last message ${silence} ago, a normal pause here`),
    beyond_rhythm: (silence: string | null, usual: string | null) => (silence === null ? 'a longer pause than usual' : `last message ${silence} ago${usual === null ? '' : `, usual pauses are up to ${usual}`}`),
    long_silence: (silence: string | null) => (silence === null ? 'a long pause' : `last message ${silence} ago`),
    farewell: () => 'someone said goodbye',
    settled: () => 'the request is settled',
    open_question: () => 'an open question',
    pending_promise: () => 'an open promise',
  } as Readonly<Record<string, (silence: string | null, usual: string | null) => string>>,
  tone: 'Tone',
  pace: { quick: 'quick replies', steady: 'steady replies', slow: 'slow replies' } as Readonly<Record<string, string>>,
  words: (count: number) => `${plural(count, 'word', 'words')} per message`,
  toneOf: (parts: readonly string[]) => listed(parts).replace(/^./, (first) => first.toUpperCase()),
  summary: 'Summary',
  covers: 'Covers',
  firstLine: 'the first message',
  lastLine: 'the last message',
  to: 'to',
  openPromises: (count: number) => plural(count, 'open promise', 'open promises'),
};
