/** Words for where a conversation stands: whether it goes on and why, how it sounds, what it came to. */
import { listed, plural } from './words';

export const standing = {
  title: 'Where it stands',
  status: { active: 'Active', idle: 'Paused', archived: 'Ended' } as Readonly<Record<string, string>>,
  statusText: {
    active: 'It goes on.',
    idle: 'Nobody writes at the moment; it goes on as soon as somebody does.',
    archived: 'It has come to its end; it goes on if somebody writes again.',
  } as Readonly<Record<string, string>>,
  show: 'Show where it stands',
  hide: 'Hide where it stands',
  why: 'Why',
  judgedBy: (who: string) => `judged by ${who}`,
  reasons: {
    empty: () => 'no message counts',
    within_rhythm: (silence: string | null) => (silence === null ? 'no longer a silence than usual' : `quiet for ${silence}, as usual here`),
    beyond_rhythm: (silence: string | null, usual: string | null) => (silence === null ? 'a longer silence than usual' : `quiet for ${silence}${usual === null ? '' : `, usually ${usual} at most`}`),
    long_silence: (silence: string | null) => (silence === null ? 'a long silence' : `quiet for ${silence}`),
    farewell: () => 'goodbye was said',
    settled: () => 'what was asked is settled',
    open_question: () => 'a question is open',
    pending_promise: () => 'a promise is open',
  } as Readonly<Record<string, (silence: string | null, usual: string | null) => string>>,
  reasonLine: 'Show the line',
  tone: 'Tone',
  pace: { quick: 'quick answers', steady: 'steady answers', slow: 'slow answers' } as Readonly<Record<string, string>>,
  words: (count: number) => `${plural(count, 'word', 'words')} a message`,
  toneOf: (parts: readonly string[]) => listed(parts).replace(/^./, (first) => first.toUpperCase()),
  summary: 'Summary',
  covers: 'Covers',
  firstLine: 'the first line',
  lastLine: 'the last line',
  to: 'to',
  openPromises: (count: number) => plural(count, 'open promise', 'open promises'),
};
