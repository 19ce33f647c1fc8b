/**
 * The welcome page: what Keepsake is, what it promises, and one click to something worth reviewing.
 *
 * With the sample data, it shows the progress and goes to Review as soon as there is a pending memory.
 */
import { EyeOff, HardDrive, Keyboard, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type AppStatus, type JobView, type JobsResponse, call, useRpc } from '../../api';
import { Button, Progress } from '../../design';
import { go, showError } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { FollowOffers } from '../shared/FollowOffers';
import { JobProgress } from '../shared/JobProgress';
import { isOpen, retryJob } from '../shared/jobs';
import css from './Welcome.module.css';

const jobsOf = (response: JobsResponse): JobView[] => response.items;

export default function Welcome() {
  const { data: status } = useRpc('app_status', {});
  return (
    <div className={css.page} data-testid={TESTIDS.welcome}>
      <div className={css.column}>
        <Mark />
        <h1 className={css.title}>{t.welcome.title}</h1>
        <p className={css.text}>{t.welcome.text}</p>
        <Start pending={status?.counts.pending ?? 0} openJobs={status?.counts.jobs ?? 0} />
        <FollowOffers />
        <ul className={css.promises}>
          <Pledge icon={HardDrive} title={t.welcome.local} text={t.welcome.localText} />
          <Pledge icon={Keyboard} title={t.welcome.asks} text={t.welcome.asksText} />
          <Pledge icon={EyeOff} title={t.welcome.private} text={t.welcome.privateText} />
        </ul>
        {status ? <Foot status={status} /> : null}
      </div>
    </div>
  );
}

function Mark() {
  return (
    <svg width="44" height="44" viewBox="0 0 20 20" aria-hidden="true" className={css.mark}>
      <rect x="1" y="1" width="18" height="18" rx="5" />
      <path d="M6 14V6M6 10.5l6-4.5M8.6 8.6L13 14" />
    </svg>
  );
}

function Start({ pending, openJobs }: { pending: number; openJobs: number }) {
  const [jobIds, setJobIds] = useState<readonly string[] | null>(null);
  const [isAsking, setAsking] = useState(false);
  const { data: jobs = [] } = useRpc('jobs_list', {}, { select: jobsOf });
  const ours = jobs.filter((job) => jobIds?.includes(job.id));
  const load = ours.find(isOpen);
  const failed = ours.find((job) => job.state === 'dead');
  // Memories are found by separate jobs after the import.
  const reading = jobs.find((job) => job.state === 'running' && job.kind !== 'import') ?? jobs.find((job) => isOpen(job) && job.kind !== 'import');
  const isLoaded = jobIds !== null && ours.length > 0 && !load && !failed;
  const hasFound = jobIds !== null && pending > 0;
  useEffect(() => {
    if (hasFound) go('review');
  }, [hasFound]);

  const start = () => {
    setAsking(true);
    call('sample_load', {})
      .then(({ job_ids }) => setJobIds(job_ids), showError)
      .finally(() => setAsking(false));
  };
  if (jobIds === null) {
    return (
      <div className={css.actions}>
        <Button tone="primary" className={css.big} disabled={isAsking} testId={TESTIDS.welcomeSample} onClick={start} autoFocus>
          {t.welcome.sample}
        </Button>
        <Button className={css.big} testId={TESTIDS.welcomeImport} onClick={() => go('sources')}>
          {t.welcome.import}
        </Button>
        <Button tone="quiet" className={css.big} testId={TESTIDS.welcomeSkip} onClick={() => go('review')}>
          {t.welcome.skip}
        </Button>
        <p className={css.hint}>{t.welcome.sampleHint}</p>
      </div>
    );
  }
  return (
    <div className={css.progress} role="status">
      {failed ? (
        <>
          <p className={css.problem}>
            {t.welcome.failed}
            {failed.error ? `: ${failed.error}` : '.'}
          </p>
          <Button onClick={() => retryJob(failed.id)}>{t.app.retry}</Button>
        </>
      ) : load?.state === 'running' ? (
        <JobProgress job={load} />
      ) : !isLoaded ? (
        <Progress stage={t.welcome.loading} done={0} total={0} />
      ) : reading?.state === 'running' ? (
        <JobProgress job={reading} />
      ) : reading || openJobs > 0 ? (
        <Progress stage={t.welcome.reading} done={0} total={0} />
      ) : (
        <>
          <p>{t.welcome.nothing}</p>
          <Button onClick={() => go('review')}>{t.welcome.toReview}</Button>
        </>
      )}
    </div>
  );
}

function Pledge({ icon: Icon, title, text }: { icon: LucideIcon; title: string; text: string }) {
  return (
    <li className={css.promise}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
      <h2 className={css.promiseTitle}>{title}</h2>
      <p className={css.promiseText}>{text}</p>
    </li>
  );
}

function Foot({ status }: { status: AppStatus }) {
  const { state } = status.embedding;
  const note = state === 'loading' ? t.welcome.modelLoading : state === 'ready' ? null : t.welcome.modelMissing;
  return (
    <footer className={css.foot}>
      <p>
        {t.welcome.where} <code className={css.path}>{status.data_dir}</code>
      </p>
      {status.shared_dir === null ? null : <p className={css.note}>{t.settings.dataDirShared(status.shared_dir)}</p>}
      {note ? (
        <p className={css.note} data-tone={state === 'loading' ? 'plain' : 'warn'}>
          <TriangleAlert size={14} aria-hidden="true" />
          {note}
        </p>
      ) : null}
    </footer>
  );
}
