/** What connecting a program, or disconnecting it, would change in its configuration, line by line; and the change. */
import { useState } from 'react';
import { type ConnectProgram, call, useRpc } from '../../api';
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
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const words = t.connect;
  const { name, title } = program;
  const { data: preview, error } = useRpc('connect_preview', { name, remove, instructions, hooks, replace: false });
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
  const isReplacing = preview !== undefined && preview.replaces.length > 0;
  const isNothing = preview?.diff === '';
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
          <Button tone="primary" disabled={isBusy || preview === undefined || isNothing || (isReplacing && !replace)} testId={TESTIDS.connectApply} onClick={() => void apply()}>
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
          {preview.diff.split('\n').map((line, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no identity of their own
            <span key={at} data-kind={kindOf(line)}>
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

/** What a line of a diff says. */
function kindOf(line: string): 'file' | 'place' | 'added' | 'removed' | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}
