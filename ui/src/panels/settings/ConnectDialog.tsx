/** What connecting a program, or disconnecting it, would change in its configuration, line by line; and the change. */
import { useEffect, useId, useState } from 'react';
import { type ConnectPreview, type ConnectProgram, call } from '../../api';
import { Button, Dialog, LoadingRows, Switch } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Connect.module.css';
import { Problem } from './Rows';
import { errorMessage } from './models';

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
  const [preview, setPreview] = useState<ConnectPreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const replaceHint = useId();
  const words = t.connect;
  const { name, title } = program;
  useEffect(() => {
    let isCurrent = true;
    setProblem(null);
    call('connect_preview', { name, remove, instructions, hooks, replace: false }).then(
      (next) => isCurrent && setPreview(next),
      (thrown: unknown) => isCurrent && setProblem(errorMessage(thrown)),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, remove, instructions, hooks]);
  const apply = async () => {
    setBusy(true);
    setProblem(null);
    try {
      onDone((await call('connect_apply', { name, remove, instructions, hooks, replace })).notes);
    } catch (thrown) {
      setBusy(false);
      setProblem(errorMessage(thrown));
    }
  };
  const isReplacing = preview !== null && preview.replaces.length > 0;
  const isNothing = preview !== null && preview.diff === '';
  return (
    <Dialog
      open
      onClose={isBusy ? () => undefined : onClose}
      title={remove ? words.disconnectTitle(title) : words.connectTitle(title)}
      testId={TESTIDS.connectDialog}
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            {t.app.cancel}
          </Button>
          <Button tone="primary" disabled={isBusy || preview === null || isNothing || (isReplacing && !replace)} testId={TESTIDS.connectApply} onClick={() => void apply()}>
            {isBusy ? words.changing : remove ? words.disconnectConfirm : words.connectConfirm}
          </Button>
        </>
      }
    >
      <p className={css.text}>{remove ? words.disconnectText : words.connectText(title)}</p>
      {remove ? null : (
        <div className={css.choices}>
          <Choice name={words.instructions} hint={words.instructionsHint} isOn={instructions} testId={TESTIDS.connectInstructions} onChange={setInstructions} />
          <Choice name={words.hooks} hint={words.hooksHint} isOn={hooks} testId={TESTIDS.connectHooks} onChange={setHooks} />
        </div>
      )}
      {preview === null ? (
        problem === null ? (
          <LoadingRows />
        ) : null
      ) : isNothing ? (
        <p className={css.text}>{words.nothing}</p>
      ) : (
        // It scrolls, so the keyboard must reach it.
        <pre className={css.diff} tabIndex={0} aria-label={words.changes} data-testid={TESTIDS.connectDiff}>
          {preview.diff.split('\n').map((line, at) => (
            <span key={at} data-kind={kindOf(line)}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
      {isReplacing ? (
        <div className={css.choices}>
          <Choice name={words.replace} hint={words.replaceHint(preview.replaces.join(', '))} hintId={replaceHint} isOn={replace} testId={TESTIDS.connectReplace} onChange={setReplace} />
        </div>
      ) : null}
      <Problem text={problem} />
    </Dialog>
  );
}

function Choice({ name, hint, hintId, isOn, testId, onChange }: { name: string; hint: string; hintId?: string; isOn: boolean; testId: string; onChange: (isOn: boolean) => void }) {
  return (
    <div className={css.choice}>
      <div>
        <div>{name}</div>
        <div className={css.hint} id={hintId}>
          {hint}
        </div>
      </div>
      <Switch label={name} checked={isOn} testId={testId} onChange={onChange} />
    </div>
  );
}

/** What a line of a diff says. */
function kindOf(line: string): 'file' | 'place' | 'added' | 'removed' | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}
