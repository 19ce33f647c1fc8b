/** Small changes of a connected account, below its row: another name, or a new token for a webhook. */
import { useEffect, useId, useRef, useState } from 'react';
import { type LiveSourceView, type LiveSourcesResponse, call } from '../../../api';
import { Button } from '../../../design';
import { showError } from '../../../state/toasts';
import { t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import formCss from '../Watched.module.css';
import css from './LiveSources.module.css';

export type Edit = 'name' | 'token';

interface SourceEditProps {
  readonly source: LiveSourceView;
  readonly edit: Edit;
  readonly onTake: (sources: LiveSourcesResponse) => void;
  readonly onToken: (token: string) => void;
  readonly onClose: () => void;
}

export function SourceEdit({ source, edit, onTake, onToken, onClose }: SourceEditProps) {
  const words = t.liveSources;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(source.name);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => field.current?.select(), []);
  const submit = async () => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      if (edit === 'name') onTake(await call('live_source_rename', { id: source.id, name }));
      else onToken((await call('live_source_token', { id: source.id })).token ?? '');
      onClose();
    } catch (thrown) {
      setBusy(false);
      setFailure(`${words.notChanged} ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  };
  return (
    <form
      className={`${formCss.form} ${css.edit}`}
      aria-label={(edit === 'name' ? words.renameOf : words.newTokenOf)(source.name)}
      noValidate
      autoComplete="off"
      data-testid={TESTIDS.liveEdit}
      onSubmit={(event) => {
        event.preventDefault();
        submit().catch(showError);
      }}
    >
      {edit === 'name' ? (
        <div className={css.field}>
          <label className={css.label} htmlFor={id}>
            {words.newName}
          </label>
          <div className={css.entry}>
            <input ref={field} id={id} className={css.input} readOnly={isBusy} value={name} aria-invalid={failure !== null || undefined} onChange={(event) => setName(event.target.value)} />
          </div>
        </div>
      ) : (
        <p>{words.newTokenText}</p>
      )}
      {failure === null ? null : (
        <p role="alert" className={formCss.problem}>
          {failure}
        </p>
      )}
      <div className={formCss.foot}>
        <Button size="s" tone="quiet" disabled={isBusy} onClick={onClose}>
          {t.app.cancel}
        </Button>
        <Button size="s" tone="primary" disabled={isBusy} testId={TESTIDS.liveEditConfirm} onClick={() => submit().catch(showError)}>
          {edit === 'name' ? words.confirmRename : words.confirmToken}
        </Button>
      </div>
    </form>
  );
}
