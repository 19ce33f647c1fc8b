/** Long work that a command waits for: how far it is, told by the backend, and a cancel that it hears. */
import { useState } from 'react';
import { call } from '../../api';
import { Button, Progress } from '../../design';
import { useLiveProgress } from '../../state/host';
import { showError } from '../../state/toasts';
import { t } from '../../strings';
import css from './TaskProgress.module.css';

interface TaskProgressProps {
  /** What the backend calls this work. */
  task: string;
  /** What is being done, given the backend's name for the part that is under way; `null` before the first is told. */
  words: (stage: string | null) => string;
  testId: string;
  cancelTestId: string;
}

export function TaskProgress({ task, words, testId, cancelTestId }: TaskProgressProps) {
  const heard = useLiveProgress(task);
  // What was heard last time is not how far it is now.
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
