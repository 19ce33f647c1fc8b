/** A small form below the row of a connected account: what is entered, what went wrong, Cancel, and what it does. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../design';
import { showError, useAttempt } from '../../../state';
import { t } from '../../../strings';
import formCss from '../Watched.module.css';
import css from './LiveSources.module.css';

interface RowFormProps {
  readonly label: string;
  readonly testId: string;
  readonly confirm: string;
  readonly confirmTestId: string;
  /** What is said while it is at work, if that takes long. */
  readonly busy?: string;
  /** Begins the sentence about a failure. */
  readonly failed: string;
  /** What is wrong with what was entered. */
  readonly refuse?: () => string | null;
  /** Does it. The form is closed afterwards, and stays open with the reason if this fails. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: (state: { readonly isBusy: boolean; readonly isWrong: boolean }) => ReactNode;
}

export function RowForm({ label, testId, confirm, confirmTestId, busy, failed, refuse, onSubmit, onClose, children }: RowFormProps) {
  const { isBusy, problem, run, say } = useAttempt();
  const [refusal, setRefusal] = useState<string | null>(null);
  const failure = refusal ?? (problem === null ? null : `${failed} ${problem}`);
  const submit = async () => {
    if (isBusy) return;
    const wrong = refuse?.() ?? null;
    setRefusal(wrong);
    say(null);
    if (wrong === null && (await run(onSubmit))) onClose();
  };
  return (
    <form
      className={`${formCss.form} ${css.rowForm}`}
      aria-label={label}
      noValidate
      autoComplete="off"
      data-testid={testId}
      onSubmit={(event) => {
        event.preventDefault();
        submit().catch(showError);
      }}
    >
      {children({ isBusy, isWrong: failure !== null })}
      {failure === null ? null : (
        <p role="alert" className={formCss.problem}>
          {failure}
        </p>
      )}
      {busy === undefined ? null : (
        <p className="srOnly" role="status">
          {isBusy ? busy : ''}
        </p>
      )}
      <div className={formCss.foot}>
        <Button size="s" tone="quiet" disabled={isBusy} onClick={onClose}>
          {t.app.cancel}
        </Button>
        <Button size="s" tone="primary" disabled={isBusy} testId={confirmTestId} onClick={() => submit().catch(showError)}>
          {isBusy && busy !== undefined ? busy : confirm}
        </Button>
      </div>
    </form>
  );
}
