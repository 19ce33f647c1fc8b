/** Shown while waiting for a model: the purpose, the elapsed time, and a way to stop. */
import { Button, Progress } from '../../design';
import { useSeconds } from '../../state';
import { t } from '../../strings';
import css from './Models.module.css';
import settingsCss from './Settings.module.css';

export interface AskingProps {
  stage: string;
  since?: number;
  done?: number;
  /** 0 if unknown. */
  total?: number;
  words?: string;
  hint?: string;
  stopTestId?: string;
  /** Without it, there is no way to stop. */
  onStop?: () => void;
}

export function Asking({ stage, since, done = 0, total = 0, words, hint, stopTestId, onStop }: AskingProps) {
  const now = useSeconds(since !== undefined);
  return (
    <div role="status">
      <Progress stage={stage} done={done} total={total} words={words} elapsed_ms={since === undefined ? undefined : Math.max(0, now - since)} />
      {onStop ? (
        <div className={css.stop}>
          <span className={settingsCss.hint}>{hint}</span>
          <Button size="s" testId={stopTestId} onClick={onStop}>
            {t.app.cancel}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
