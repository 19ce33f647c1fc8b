/** What connecting a program, or disconnecting it, would change in its configuration, line by line; and the change. */
import { useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type ConnectProgram, call, useRpc } from '../../api';
import { Dialog, LoadingRows, Switch } from '../../design';
import { errorMessage, useAttempt } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Connect.module.css';
import { Problem } from './Rows';
import { diffLines } from './diff';

interface Props {
  readonly program: ConnectProgram;
  readonly remove: boolean;
  readonly onClose: () => void;
  readonly onDone: (notes: readonly string[]) => void;
}

export function ConnectDialog({ program, remove, onClose, onDone }: Props) {
  const [instructions, setInstructions] = useState(true);
  const [hooks, setHooks] = useState(true);
  const [replace, setReplace] = useState(false);
  const { isBusy, problem, run } = useAttempt();
  const client = useQueryClient();
  const words = t.connect;
  const { name, title } = program;
  const isUpdate = program.standing === 'different';
  // The files may change once this is closed.
  useEffect(() => () => client.removeQueries({ queryKey: ['connect_preview'] }), [client]);
  const { data: preview, error } = useRpc('connect_preview', { name, remove, instructions, hooks });
  const apply = async () => {
    const isDone = await run(async () => onDone((await call('connect_apply', { name, remove, instructions, hooks, replace, shown: preview?.diff ?? null })).notes));
    // The files may have changed since they were shown.
    if (!isDone) void client.invalidateQueries({ queryKey: ['connect_preview'] });
  };
  const isReplacing = preview !== undefined && preview.replaces.length > 0;
  const isNothing = preview?.diff === '';
  return (
    <Dialog
      open
      onClose={onClose}
      title={remove ? words.disconnectTitle(title) : isUpdate ? words.updateTitle(title) : words.connectTitle(title)}
      testId={TESTIDS.connectDialog}
      isBusy={isBusy}
      confirm={{ label: isBusy ? words.changing : remove ? words.disconnectConfirm : isUpdate ? words.updateConfirm : words.connectConfirm, run: apply, isDisabled: preview === undefined || isNothing || (isReplacing && !replace), testId: TESTIDS.connectApply }}
    >
      <p className={css.text}>{remove ? words.disconnectText : words.connectText(title)}</p>
      {remove || !(program.has_instructions || program.has_hooks) ? null : (
        <div className={css.choices}>
          {program.has_instructions ? <Choice name={words.instructions} hint={words.instructionsHint} isOn={instructions} testId={TESTIDS.connectInstructions} onChange={setInstructions} /> : null}
          {program.has_hooks ? <Choice name={words.hooks} hint={words.hooksHint} isOn={hooks} testId={TESTIDS.connectHooks} onChange={setHooks} /> : null}
        </div>
      )}
      {preview === undefined ? (
        error === null ? (
          <LoadingRows />
        ) : null
      ) : isNothing ? (
        <p className={css.text}>{words.nothing}</p>
      ) : (
        // It scrolls, so the keyboard must reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={css.diff} tabIndex={0} aria-label={words.changes} data-testid={TESTIDS.connectDiff}>
          {diffLines(preview.diff).map(({ line, kind }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no identity of their own
            <span key={at} data-kind={kind}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
      {isReplacing ? (
        <div className={css.choices}>
          <Choice name={words.replace} hint={words.replaceHint(preview.replaces.join(', '))} isOn={replace} testId={TESTIDS.connectReplace} onChange={setReplace} />
        </div>
      ) : null}
      <Problem text={problem ?? (error && preview === undefined ? errorMessage(error) : null)} />
    </Dialog>
  );
}

function Choice({ name, hint, isOn, testId, onChange }: { name: string; hint: string; isOn: boolean; testId: string; onChange: (isOn: boolean) => void }) {
  return (
    <div className={css.choice}>
      <div>
        <div>{name}</div>
        <div className={css.hint}>{hint}</div>
      </div>
      <Switch label={name} checked={isOn} testId={testId} onChange={onChange} />
    </div>
  );
}
