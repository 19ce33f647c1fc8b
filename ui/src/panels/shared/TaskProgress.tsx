/** The progress of a long task that a command waits for, as reported by the backend, and a cancel button. */
import { useState } from 'react';
import { call } from '../../api';
import { Button, Progress } from '../../design';
import { showError, useLiveProgress } from '../../state';
import { t } from '../../strings';
import css from './TaskProgress.module.css';

interface TaskProgressProps {
  /** The backend's name of this task. */
  task: string;
  /** The text for a step of the backend; `null` before the first step is reported. */
  words: (stage: string | null) => string;
  testId: string;
  cancelTestId: string;
}

export function TaskProgress({ task, words, testId, cancelTestId }: TaskProgressProps) {
  const heard = useLiveProgress(task);
  // The last report of an earlier task is not the current progress.
  const [before] = useState(heard);
  const live = heard === before ? null : heard;
  return (
    <div className={css.work} data-testid={testId}>
      <div className={css.bar}>
        <Progress stage={words(live?.stage ?? null)} done={live?.done ?? 0} total={live?.total ?? 0} />
      </div>
      <Button size="s" testId={cancelTestId} onClick={() => void call('task_cancel', { id: task }).catch(showError)}>
        {t.app.cancel}
      </Button>
    </div>
  );
}
