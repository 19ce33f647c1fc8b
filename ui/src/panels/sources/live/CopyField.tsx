/** A value to copy, by its button or by hand. */
import { Check, Copy } from 'lucide-react';
import { type Ref, useState } from 'react';
import { Button } from '../../../design';
import { t } from '../../../strings';
import formCss from '../Watched.module.css';
import css from './LiveSources.module.css';

interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  /** Several lines, shown as code. */
  readonly isCode?: boolean;
  /** To be read off and typed on another device. */
  readonly isLarge?: boolean;
  readonly testId?: string;
  readonly copyTestId?: string;
  readonly button?: Ref<HTMLButtonElement>;
  readonly onCopied?: () => void;
}

export function CopyField({ label, value, isCode = false, isLarge = false, testId, copyTestId, button, onCopied }: CopyFieldProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const words = t.liveSources.webhook;
  const note = () => {
    setState('copied');
    onCopied?.();
  };
  const copy = () => {
    navigator.clipboard.writeText(value).then(note, () => setState('failed'));
  };
  // Fields, so that the value can also be selected and copied by keyboard.
  const shared = { readOnly: true, value, 'aria-label': label, 'data-testid': testId, spellCheck: false, onCopy: note };
  return (
    <div className={css.copyField}>
      <span className={formCss.label} aria-hidden="true">
        {label}
      </span>
      {isCode ? <textarea {...shared} className={css.code} rows={4} onFocus={(event) => event.currentTarget.select()} /> : <input {...shared} type="text" className={isLarge ? `${css.code} ${css.large}` : css.code} onFocus={(event) => event.currentTarget.select()} />}
      <Button ref={button} size="s" label={words.copyOf(label)} icon={state === 'copied' ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />} testId={copyTestId} onClick={copy}>
        {words.copy}
      </Button>
      <span className="srOnly" role="status">
        {state === 'copied' ? words.copied : ''}
      </span>
      {state === 'failed' ? (
        <p className={formCss.problem} role="alert">
          {words.copyFailed}
        </p>
      ) : null}
    </div>
  );
}
