/** Small inputs: a choice of a few values, a switch, a search field. */
import { Search, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, type Ref, useRef } from 'react';
import { t } from '../strings';
import { IconButton } from './Button';
import { cx } from './cx';
import css from './Fields.module.css';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly count?: number;
  readonly icon?: ReactNode;
  readonly testId?: string;
}

/** A choice among a few visible values. It is a radio group, so arrow keys move between them. */
export function Segmented<T extends string>({ label = t.app.show, value, choices, onChange, testId }: { label?: string; value: T; choices: readonly Choice<T>[]; onChange: (next: T) => void; testId?: string }) {
  const group = useRef<HTMLDivElement>(null);
  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = choices.findIndex((choice) => choice.value === value);
    const to = (at + step + choices.length) % choices.length;
    const next = choices[to];
    if (!next) return;
    onChange(next.value);
    group.current?.querySelectorAll<HTMLElement>('[role=radio]')[to]?.focus();
  };
  return (
    <div ref={group} className={css.segmented} role="radiogroup" aria-label={label} data-testid={testId}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={choice.value === value}
          tabIndex={choice.value === value ? 0 : -1}
          className={css.segment}
          data-testid={choice.testId}
          onClick={() => onChange(choice.value)}
          onKeyDown={move}
        >
          {choice.icon}
          {choice.label}
          {choice.count === undefined ? null : <span className={cx('num', css.count)}>{choice.count}</span>}
        </button>
      ))}
    </div>
  );
}

/** A switch that takes effect immediately. */
export function Switch({ label, checked, onChange, disabled, testId }: { label: string; checked: boolean; onChange: (next: boolean) => void; disabled?: boolean; testId?: string }) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      className={css.switch}
      disabled={disabled}
      data-testid={testId}
      onClick={() => onChange(!checked)}
    >
      <span className={css.knob} />
    </button>
  );
}

/** A search field. Escape first clears it, then leaves it. */
export function SearchField({ label, value, onChange, ref, testId, onLeave }: { label: string; value: string; onChange: (next: string) => void; ref?: Ref<HTMLInputElement>; testId?: string; onLeave?: () => void }) {
  return (
    <div className={css.search}>
      <Search size={14} aria-hidden="true" />
      <input
        ref={ref}
        type="text"
        role="searchbox"
        className={css.input}
        aria-label={label}
        placeholder={label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        data-testid={testId}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') {
            event.stopPropagation();
            if (value) onChange('');
            else {
              event.currentTarget.blur();
              onLeave?.();
            }
          } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault();
            event.currentTarget.blur();
            onLeave?.();
          }
        }}
      />
      {value ? (
        <IconButton label={t.app.clear} size="s" onClick={() => onChange('')}>
          <X size={14} />
        </IconButton>
      ) : null}
    </div>
  );
}

interface TextInputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  onType: (text: string) => void;
  isBad?: boolean;
  onEnter?: (() => unknown) | undefined;
  onEscape?: (() => unknown) | undefined;
  testId?: string;
}

/** A field for names, numbers, addresses and keys: nothing in it is completed or corrected. */
export function TextInput({ onType, isBad, onEnter, onEscape, testId, type = 'text', ...rest }: TextInputProps) {
  return (
    <input
      type={type}
      spellCheck={false}
      autoComplete="off"
      aria-invalid={isBad}
      data-testid={testId}
      {...rest}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') onEscape?.();
        if (event.key !== 'Enter' || !onEnter || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}

/**
 * A field whose value is stored when it is left or with Enter, and reset with Escape. `typed` is null as long as nothing was
 * typed.
 */
export function EntryField({ name, typed, stored, onType, onSave, ...rest }: Omit<TextInputProps, 'value'> & { name: string; typed: string | null; stored: string; onType: (typed: string | null) => void; onSave: () => unknown }) {
  return <TextInput {...rest} aria-label={name} value={typed ?? stored} onType={onType} onBlur={() => void onSave()} onEnter={onSave} onEscape={() => onType(null)} />;
}

/** A text area that grows with its text. */
export function TextArea({ className, testId, ...rest }: ComponentProps<'textarea'> & { testId?: string }) {
  return <textarea {...rest} className={cx(css.area, className)} data-testid={testId} />;
}
