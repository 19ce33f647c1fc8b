/** Determines the state of an analysis from the jobs and stored analyses, and the differences between two analyses. Pure. */
import type { AnalysisView, AnalyzeStarted, ConversationRow, JobView } from '../../api';

export type AnalyzeState =
  | { readonly kind: 'private' }
  | { readonly kind: 'queued' | 'running' | 'cancelling'; readonly job: JobView }
  | { readonly kind: 'failed'; readonly job: JobView }
  | { readonly kind: 'nothing_new'; readonly analysis: string }
  | { readonly kind: 'too_short'; readonly messages: number; readonly wanted: number }
  | { readonly kind: 'done'; readonly analysis: string }
  | { readonly kind: 'ready' };

/** The backend's response to the latest press of the button in this window. */
export type Answer = Exclude<AnalyzeStarted, { outcome: 'private' }>;

const byAge = (a: JobView, b: JobView) => b.created_at - a.created_at;

/** `answer` is the backend's response if the analysis was started here; otherwise only the jobs are used. */
export function analyzeState(
  conversation: Pick<ConversationRow, 'id' | 'is_private'>,
  jobs: readonly JobView[],
  answer: Answer | null,
  resultOf: (job: JobView) => string | null,
): AnalyzeState {
  if (conversation.is_private) return { kind: 'private' };
  const job = jobs.filter((each) => each.kind === 'analyze' && each.conversation_id === conversation.id).sort(byAge)[0];
  if (job?.state === 'queued' || job?.state === 'running') {
    return { kind: job.is_cancelling ? 'cancelling' : job.state, job };
  }
  if (answer?.outcome === 'nothing_new') return { kind: 'nothing_new', analysis: answer.analysis_id };
  if (answer?.outcome === 'too_short') return { kind: 'too_short', messages: answer.messages, wanted: answer.messages_min };
  if (job?.state === 'dead') return { kind: 'failed', job };
  const isOurs = answer?.outcome === 'queued' && job?.id === answer.job_id;
  const analysis = isOurs && job.state === 'done' ? resultOf(job) : null;
  return analysis ? { kind: 'done', analysis } : { kind: 'ready' };
}

export interface Comparison {
  readonly addedThemes: readonly string[];
  readonly goneThemes: readonly string[];
  readonly tone: readonly [before: string, after: string] | null;
  readonly arc: readonly { readonly stage: string; readonly before: string | null; readonly after: string | null }[];
  readonly messages: readonly [before: number, after: number] | null;
  readonly proposed: readonly [before: number, after: number] | null;
}

export const proposedCount = (analysis: Pick<AnalysisView, 'proposed'>): number => analysis.proposed.reduce((sum, each) => sum + each.count, 0);

/** The themes and topics that only `after` contains, and those that only `before` contains. */
export function compareAnalyses(before: AnalysisView, after: AnalysisView): Comparison {
  const words = (analysis: AnalysisView) => [...new Set([...analysis.themes, ...analysis.key_topics])];
  const pair = <T>(a: T, b: T) => (a === b ? null : ([a, b] as const));
  const moodAt = (analysis: AnalysisView, stage: string) => analysis.arc.find((point) => point.stage === stage)?.mood ?? null;
  const stages = [...new Set([...before.arc, ...after.arc].map((point) => point.stage))];
  return {
    addedThemes: words(after).filter((word) => !words(before).includes(word)),
    goneThemes: words(before).filter((word) => !words(after).includes(word)),
    tone: pair(before.tone, after.tone),
    arc: stages.map((stage) => ({ stage, before: moodAt(before, stage), after: moodAt(after, stage) })).filter((each) => each.before !== each.after),
    messages: pair(before.messages, after.messages),
    proposed: pair(proposedCount(before), proposedCount(after)),
  };
}

export const isSame = (difference: Comparison): boolean =>
  difference.addedThemes.length + difference.goneThemes.length + difference.arc.length === 0 && difference.tone === null && difference.messages === null && difference.proposed === null;

const PLEASANT = new Set(['joyful', 'excited', 'grateful', 'affectionate', 'hopeful', 'proud', 'relieved', 'amused']);
const UNPLEASANT = new Set(['worried', 'frustrated', 'angry', 'sad', 'tired']);

/** The level of a mood in the arc: up, middle or down. An unknown word is in the middle. */
export function moodLevel(mood: string): 1 | 0 | -1 {
  return PLEASANT.has(mood) ? 1 : UNPLEASANT.has(mood) ? -1 : 0;
}
