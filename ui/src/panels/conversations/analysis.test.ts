import { describe, expect, test } from 'vitest';
import type { AnalysisView, JobView } from '../../api';
import { type Answer, analyzeState, compareAnalyses, isSame, moodLevel } from './analysis';

const job = (change: Partial<JobView>): JobView => ({
  id: 'job_1',
  kind: 'analyze',
  title: 'Talk',
  conversation_id: 'conv_1',
  state: 'queued',
  is_cancelling: false,
  stage: null,
  done: 0,
  total: 0,
  attempts: 0,
  attempts_max: 4,
  retry_at: null,
  error: null,
  result: null,
  created_at: 1,
  started_at: null,
  finished_at: null,
  ...change,
});
const queued: Answer = { outcome: 'queued', job_id: 'job_1' };

describe('what Analyze now is doing', () => {
  test.each<[string, JobView[], Answer | null, string]>([
    ['nothing was ever asked', [], null, 'ready'],
    ['it waits', [job({})], queued, 'queued'],
    ['it runs', [job({ state: 'running' })], queued, 'running'],
    ['it runs although another window asked', [job({ state: 'running' })], null, 'running'],
    ['cancel is on its way', [job({ state: 'running', is_cancelling: true })], queued, 'cancelling'],
    ['it was cancelled', [job({ state: 'cancelled' })], queued, 'ready'],
    ['it failed', [job({ state: 'dead', error: 'no room' })], queued, 'failed'],
    ['it is done', [job({ state: 'done', result: 'ana_1' })], queued, 'done'],
    ['an older run is no news', [job({ state: 'done', result: 'ana_1' })], null, 'ready'],
    ['it is done without a result', [job({ state: 'done' })], queued, 'ready'],
    ['another conversation is at work', [job({ state: 'running', conversation_id: 'conv_2' })], null, 'ready'],
    ['another kind of work is about it', [job({ state: 'running', kind: 'extract' })], null, 'ready'],
    ['the newest job counts', [job({ state: 'dead' }), job({ id: 'job_2', state: 'running', created_at: 2 })], null, 'running'],
    ['nothing is new', [], { outcome: 'nothing_new', analysis_id: 'ana_1' }, 'nothing_new'],
    ['nothing is new after an earlier failure', [job({ state: 'dead' })], { outcome: 'nothing_new', analysis_id: 'ana_1' }, 'nothing_new'],
    ['too little was said', [], { outcome: 'too_short', messages: 2, messages_min: 5 }, 'too_short'],
  ])('%s', (_, jobs, answer, kind) => expect(analyzeState({ id: 'conv_1', is_private: false }, jobs, answer, (each) => each.result).kind).toBe(kind));

  test('a private conversation is never analysed, whatever runs', () => {
    expect(analyzeState({ id: 'conv_1', is_private: true }, [job({ state: 'running' })], queued, () => null)).toEqual({ kind: 'private' });
  });
});

const analysis = (change: Partial<AnalysisView>): AnalysisView => ({
  id: 'ana',
  created_at: 0,
  proposer: 'builtin/1',
  summary: [],
  themes: ['Home'],
  tone: 'warm',
  arc: [{ stage: 'start', mood: 'worried', interaction_id: null }],
  participants: [],
  key_topics: ['garden'],
  messages: 4,
  proposed: [{ name: 'goal', label: null, count: 2 }],
  stopped: [],
  repeated: 0,
  candidate_ids: [],
  new_since_last: [],
  ...change,
});

describe('two analyses compared', () => {
  test('the same says nothing', () => expect(isSame(compareAnalyses(analysis({}), analysis({ id: 'other', created_at: 9 })))).toBe(true));
  test('what is new and what is gone', () => {
    const difference = compareAnalyses(analysis({}), analysis({ themes: ['Travel'], tone: 'tense', messages: 6, proposed: [], arc: [{ stage: 'end', mood: 'hopeful', interaction_id: null }] }));
    expect(difference).toEqual({
      addedThemes: ['Travel'],
      goneThemes: ['Home'],
      tone: ['warm', 'tense'],
      arc: [
        { stage: 'start', before: 'worried', after: null },
        { stage: 'end', before: null, after: 'hopeful' },
      ],
      messages: [4, 6],
      proposed: [2, 0],
    });
    expect(isSame(difference)).toBe(false);
  });
  test('a theme that became a topic is not new', () => expect(compareAnalyses(analysis({}), analysis({ themes: [], key_topics: ['Home', 'garden'] })).addedThemes).toEqual([]));
});

test.each([
  ['joyful', 1],
  ['tired', -1],
  ['neutral', 0],
  ['mixed', 0],
  ['a word nobody knows', 0],
])('the mood %s stands at %d', (mood, level) => expect(moodLevel(mood)).toBe(level));
