/** Jobs in four groups. Running ones can be canceled, failed ones retried. */
import { CircleAlert, CircleCheck, CircleSlash, Clock, LoaderCircle } from 'lucide-react';
import { type JobView, useRpc } from '../../api';
import { Button, EmptyState, ErrorState, LoadingRows, RelativeTime, VirtualList, formatElapsed, momentAhead } from '../../design';
import { openConversation } from '../../state';
import { number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { JobProgress } from '../shared/JobProgress';
import { cancelJob, jobTitle, retryJob } from '../shared/jobs';
import css from './Activity.module.css';

const GROUPS = ['running', 'waiting', 'failed', 'done'] as const;
type Group = (typeof GROUPS)[number];
const GROUP_OF: Record<string, Group> = { running: 'running', queued: 'waiting', dead: 'failed' };

type Item = { readonly kind: 'heading'; readonly group: Group; readonly count: number } | { readonly kind: 'job'; readonly job: JobView };

const HEADING_PX = 36;
const ROW_PX = 56;

/** Headings and jobs in display order. Empty groups are left out. */
export function grouped(jobs: readonly JobView[]): Item[] {
  return GROUPS.flatMap((group): Item[] => {
    const members = jobs.filter((job) => (GROUP_OF[job.state] ?? 'done') === group);
    return members.length === 0 ? [] : [{ kind: 'heading', group, count: members.length }, ...members.map((job): Item => ({ kind: 'job', job }))];
  });
}

export function Jobs() {
  const { data, error, refetch } = useRpc('jobs_list', {});
  if (error) return <ErrorState title={t.activity.jobsFailed} text={t.activity.failedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows />;
  const items = grouped(data.items);
  if (items.length === 0) return <EmptyState icon={<CircleCheck size={20} />} title={t.activity.jobsEmpty} text={t.activity.jobsEmptyText} />;
  const running = data.items.filter((job) => job.state === 'running').length;
  return (
    <>
      <VirtualList
        label={t.activity.jobs}
        pattern="grid"
        rowTestId={TESTIDS.jobRow}
        count={items.length}
        keyOf={(index) => {
          const item = items[index];
          return item?.kind === 'job' ? item.job.id : `heading ${item?.group}`;
        }}
        heightOf={(index) => (items[index]?.kind === 'heading' ? HEADING_PX : ROW_PX)}
        isHeading={(index) => items[index]?.kind === 'heading'}
        activeIndex={-1}
        render={(index) => {
          const item = items[index];
          if (!item) return null;
          if (item.kind === 'job') return <JobRow job={item.job} />;
          return (
            <h2 className={css.heading}>
              {t.activity[item.group]} <span className={css.muted}>{number(item.count)}</span>
            </h2>
          );
        }}
      />
      <span className="srOnly" role="status">
        {t.activity.live(running, data.queued)}
      </span>
    </>
  );
}

const ICONS = {
  running: <LoaderCircle size={16} aria-hidden="true" />,
  queued: <Clock size={16} aria-hidden="true" />,
  dead: <CircleAlert size={16} aria-hidden="true" />,
  cancelled: <CircleSlash size={16} aria-hidden="true" />,
  done: <CircleCheck size={16} aria-hidden="true" />,
};

/** The time of the next retry, shown before the last error. Empty if the job is only waiting in the queue. */
function waitsFor(job: JobView): string {
  if (job.retry_at === null || job.state !== 'queued') return '';
  const at = momentAhead(job.retry_at);
  // A job that was postponed without a failure has not used an attempt.
  return `${job.attempts > 0 ? t.activity.retryAttempt(at, job.attempts + 1, job.attempts_max) : t.activity.retryAt(at)} · `;
}

function JobRow({ job }: { job: JobView }) {
  const title = jobTitle(job);
  const took_ms = (job.finished_at ?? 0) - (job.started_at ?? job.finished_at ?? 0);
  return (
    <div className={css.job} data-state={job.state}>
      <span className={css.icon}>{ICONS[job.state as keyof typeof ICONS] ?? ICONS.done}</span>
      <div className={css.jobBody}>
        <span className={css.jobTitle} title={title}>
          {title}
        </span>
        {job.state === 'running' ? (
          <JobProgress job={job} />
        ) : (
          <span className={css.meta} title={job.state === 'cancelled' ? undefined : (job.error ?? undefined)}>
            {waitsFor(job)}
            {job.state === 'cancelled' ? t.activity.cancelled : (job.error ?? t.activity.jobState[job.state] ?? job.state)}
            {job.attempts > 0 && job.state !== 'cancelled' && job.retry_at === null ? ` · ${t.activity.attempts(job.attempts)}` : ''}
            {took_ms >= 1_000 && job.state === 'done' ? ` · ${t.activity.took(formatElapsed(took_ms))}` : ''}
          </span>
        )}
      </div>
      {job.state === 'running' ? null : (
        <span className={css.when}>
          <RelativeTime time={job.finished_at ?? job.created_at} />
        </span>
      )}
      {job.conversation_id ? (
        <Button size="s" tone="quiet" onClick={() => openConversation(job.conversation_id ?? '')}>
          {t.activity.openWhole}
        </Button>
      ) : null}
      {(job.state === 'running' || job.state === 'queued') && job.kind !== 'erase' ? (
        <Button size="s" disabled={job.is_cancelling} label={t.activity.cancelJob(title)} testId={TESTIDS.jobCancel} onClick={() => cancelJob(job.id)}>
          {t.app.cancel}
        </Button>
      ) : null}
      {job.state === 'dead' ? (
        <Button size="s" label={t.activity.retryJob(title)} testId={TESTIDS.jobRetry} onClick={() => retryJob(job.id)}>
          {t.app.retry}
        </Button>
      ) : null}
    </div>
  );
}
