/** Small changes of a connected account, below its row: another name, or a new token for a webhook. */
import { useEffect, useId, useRef, useState } from 'react';
import { type LiveSourceView, type LiveSourcesResponse, call } from '../../../api';
import { t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import css from './LiveSources.module.css';
import { RowForm } from './RowForm';

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
  useEffect(() => field.current?.select(), []);
  const submit = async () => {
    if (edit === 'name') onTake(await call('live_source_rename', { id: source.id, name }));
    else onToken((await call('live_source_token', { id: source.id })).token ?? '');
  };
  return (
    <RowForm
      label={(edit === 'name' ? words.renameOf : words.newTokenOf)(source.name)}
      testId={TESTIDS.liveEdit}
      confirm={edit === 'name' ? words.confirmRename : words.confirmToken}
      confirmTestId={TESTIDS.liveEditConfirm}
      failed={words.notChanged}
      onSubmit={submit}
      onClose={onClose}
    >
      {({ isBusy, isWrong }) =>
        edit === 'name' ? (
          <div className={css.field}>
            <label className={css.label} htmlFor={id}>
              {words.newName}
            </label>
            <div className={css.entry}>
              <input ref={field} id={id} className={css.input} readOnly={isBusy} value={name} aria-invalid={isWrong || undefined} onChange={(event) => setName(event.target.value)} />
            </div>
          </div>
        ) : (
          <p>{words.newTokenText}</p>
        )
      }
    </RowForm>
  );
}
