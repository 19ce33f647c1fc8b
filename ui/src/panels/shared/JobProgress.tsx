import type { JobView } from '../../api';
import { Progress } from '../../design';
import { useSeconds } from '../../state';
import { t } from '../../strings';
import { progressWords, useProgress } from './jobs';

/** The bar of a running job: step, n of m, elapsed time. */
export function JobProgress({ job }: { job: JobView }) {
  const { stage, done, total } = useProgress(job);
  const now = useSeconds(true);
  return (
    <Progress
      stage={job.is_cancelling ? t.activity.cancelling : stage}
      done={done}
      total={total}
      words={progressWords(job, done, total)}
      elapsed_ms={job.started_at === null ? undefined : now - job.started_at}
    />
  );
}
