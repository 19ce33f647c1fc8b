/** Jobs as shown in panels: in words, with the latest reported progress. */
import { type JobView, type JobsResponse, call, useRpc } from '../../api';
import { showError, showToast, useLiveProgress } from '../../state';
import { bytes, nameOf, t } from '../../strings';

const itemsOf = (response: JobsResponse): JobView[] => response.items;

/** All jobs that the backend lists, newest first. Updated by events. */
export function useJobs(): readonly JobView[] | undefined {
  return useRpc('jobs_list', {}, { select: itemsOf }).data;
}

export const isOpen = (job: JobView): boolean => job.state === 'queued' || job.state === 'running';

export const jobTitle = (job: JobView): string => t.activity.jobTitle(nameOf(t.activity.jobKind, job.kind), job.title);

/** Imports count bytes, all other jobs count objects. */
export function progressWords(job: Pick<JobView, 'kind'>, done: number, total: number): string | undefined {
  if (job.kind !== 'import' || total === 0) return undefined;
  return t.activity.bytes(bytes(done), bytes(total));
}

/** Progress of a running job: the latest report, otherwise the value from the list. */
export function useProgress(job: JobView): { stage: string; done: number; total: number } {
  const live = useLiveProgress(job.id);
  const { stage, done, total } = live && (live.total !== job.total || live.done >= job.done) ? live : job;
  return { stage: stage ?? t.conversations.starting, done, total };
}

/** A field of a job's result, if there is one. */
export function resultOf(job: Pick<JobView, 'result'>, field: 'analysis_id' | 'import_id'): string | null {
  if (!job.result) return null;
  try {
    const value = (JSON.parse(job.result) as Record<string, unknown>)[field];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

export const cancelJob = (id: string): void => void call('job_cancel', { id }).catch(showError);

export function retryJob(id: string): void {
  call('job_retry', { id }).then(() => showToast({ text: t.activity.retrying, replaces: 'job' }), showError);
}
