/** Running and finished imports, with the counts of each. The counts add up. */
import { useState } from 'react';
import { ChevronRight, CircleAlert } from 'lucide-react';
import { type AppStatus, type ImportView, type JobView, useRpc } from '../../api';
import { Badge, Button, ErrorState, LoadingRows, RelativeTime, cx } from '../../design';
import { go, useStore } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { JobProgress } from '../shared/JobProgress';
import { askToErase } from '../shared/erase';
import { cancelJob, isOpen, resultOf, retryJob } from '../shared/jobs';
import { UnidentifiedSpeakersNotice } from '../shared/UnidentifiedSpeakersNotice';
import css from './Imports.module.css';
import { Skips } from './Skips';
import { skippedCount, startedJobs } from './files';

const pendingOf = (status: AppStatus) => status.counts.pending;

/** Number of imports shown before "more". The history is for looking something up, not for scrolling. */
const ROWS = 30;

export function Running({ jobs }: { jobs: readonly JobView[] }) {
  const started = useStore(startedJobs, (ids) => ids);
  const shown = jobs.filter((job) => isOpen(job) || (job.state === 'dead' && started.includes(job.id)));
  if (shown.length === 0) return null;
  return (
    <section className={css.section}>
      <h2 className={css.title}>{t.sources.running}</h2>
      <ul className={css.rows}>
        {shown.map((job) => (
          <li key={job.id} className={css.job} data-testid={TESTIDS.jobRow} data-state={job.state}>
            <div className={css.jobBody}>
              <span className={css.name}>{job.title}</span>
              {job.state === 'dead' ? (
                <p className={css.problem} role="alert">
                  <CircleAlert size={14} aria-hidden="true" />
                  {job.error}
                </p>
              ) : job.state === 'queued' ? (
                <span className={css.muted}>{nameOf(t.activity.jobState, job.state)}</span>
              ) : (
                <JobProgress job={job} />
              )}
            </div>
            {job.state === 'dead' ? (
              <Button size="s" testId={TESTIDS.jobRetry} onClick={() => retryJob(job.id)}>
                {t.app.retry}
              </Button>
            ) : (
              <Button size="s" disabled={job.is_cancelling} label={t.activity.cancelJob(job.title)} testId={TESTIDS.jobCancel} onClick={() => cancelJob(job.id)}>
                {t.app.cancel}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Imports({ jobs }: { jobs: readonly JobView[] }) {
  const { data, error, refetch } = useRpc('imports_list', {});
  const started = useStore(startedJobs, (ids) => ids);
  const { data: pending = 0 } = useRpc('app_status', {}, { select: pendingOf });
  const [isAll, setAll] = useState(false);
  const fresh = new Set(jobs.filter((job) => started.includes(job.id)).map((job) => resultOf(job, 'import_id')));
  // Running imports have their own lines above.
  const over = data?.items.filter((each) => each.state !== 'running') ?? [];
  const hasFresh = over.some((each) => fresh.has(each.id));
  return (
    <section className={css.section}>
      <header className={css.head}>
        <h2 className={css.title}>
          {t.sources.history}
          {over.length > 0 ? <span className={css.total}>{number(over.length)}</span> : null}
        </h2>
        {hasFresh ? <UnidentifiedSpeakersNotice /> : null}
        {pending > 0 && hasFresh ? (
          <Button size="s" tone="primary" testId={TESTIDS.importReview} onClick={() => go('review')}>
            {t.sources.review(pending)}
          </Button>
        ) : null}
      </header>
      {error ? (
        <ErrorState title={t.sources.historyFailed} text={t.sources.historyFailedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows rows={3} />
      ) : over.length === 0 ? (
        <p className={css.muted}>{t.sources.historyEmpty}</p>
      ) : (
        <ul className={css.rows}>
          {over.slice(0, isAll ? over.length : ROWS).map((each) => (
            <ImportRow key={each.id} item={each} isFresh={fresh.has(each.id)} />
          ))}
        </ul>
      )}
      {over.length > ROWS && !isAll ? (
        <Button size="s" onClick={() => setAll(true)}>
          {t.app.more}
        </Button>
      ) : null}
    </section>
  );
}

const TONES: Record<string, 'ok' | 'danger' | 'warn' | 'plain'> = { failed: 'danger', cancelled: 'warn' };

function ImportRow({ item, isFresh }: { item: ImportView; isFresh: boolean }) {
  const [toggled, setToggled] = useState<boolean | null>(null);
  const skipped = skippedCount(item);
  const hasMore = item.skipped.length > 0;
  const isOpened = toggled ?? isFresh;
  return (
    <li className={cx(css.import, isFresh && css.fresh)} data-testid={TESTIDS.importRow} data-state={item.state}>
      <div className={css.top}>
        {hasMore ? (
          <button type="button" className={css.toggle} aria-expanded={isOpened} aria-label={t.sources.details(item.name)} onClick={() => setToggled(!isOpened)}>
            <ChevronRight size={14} aria-hidden="true" />
          </button>
        ) : (
          <span className={css.toggle} />
        )}
        <span className={css.name}>{item.name}</span>
        <span className={css.muted}>{nameOf(t.sources.kind, item.kind)}</span>
        {item.is_sample ? <Badge>{t.conversations.sample}</Badge> : null}
        {item.state === 'done' ? null : <Badge tone={TONES[item.state] ?? 'plain'}>{nameOf(t.sources.state, item.state)}</Badge>}
        <span className={css.space} />
        <span className={css.muted}>
          <RelativeTime time={item.finished_at ?? item.started_at} />
        </span>
      </div>
      <p className={css.equation} aria-label={t.sources.equation(item.seen, item.imported, item.duplicate, skipped)}>
        <Part count={item.seen} word={t.sources.seen} />
        <span aria-hidden="true">=</span>
        <Part count={item.imported} word={t.sources.imported} isStrong />
        <span aria-hidden="true">+</span>
        <Part count={item.duplicate} word={t.sources.duplicate} />
        <span aria-hidden="true">+</span>
        <Part count={skipped} word={t.sources.skipped} />
        <span className={css.conversations}>{t.app.conversations(item.conversations)}</span>
        {item.imported > 0 && !item.is_sample && item.state !== 'undone' ? (
          <Button size="s" tone="quiet" label={t.sources.undoImport(item.name)} testId={TESTIDS.importUndo} onClick={() => askToErase({ kind: 'import', id: item.id, name: item.name })}>
            {t.sources.undo}
          </Button>
        ) : null}
      </p>
      {item.error ? <p className={css.problem}>{item.error}</p> : null}
      {item.state === 'cancelled' ? <p className={css.inset}>{t.sources.cancelled}</p> : null}
      {hasMore && isOpened ? (
        <div className={css.inset}>
          <Skips skipped={item.skipped} title={t.sources.skippedTitle} isOpen />
        </div>
      ) : null}
    </li>
  );
}

function Part({ count, word, isStrong = false }: { count: number; word: string; isStrong?: boolean }) {
  return (
    <span className={css.part} data-strong={isStrong || undefined} data-zero={count === 0 || undefined}>
      <b>{number(count)}</b> {word}
    </span>
  );
}
