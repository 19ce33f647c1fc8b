/** A short list of names. Each can be removed, and others can be added from a menu or by typing. */
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton, Menu, TextInput } from '../../design';
import { t } from '../../strings';
import css from './Chips.module.css';

interface ChipsProps {
  label: string;
  values: readonly string[];
  nameOf: (value: string) => string;
  suggestions: readonly string[];
  addLabel: string;
  fieldLabel: string;
  /** Shown if the list is empty. */
  none?: string;
  normalise: (text: string) => string;
  /** The problem with an entry, or null. */
  problemOf: (value: string) => string | null;
  mayRemove?: boolean;
  mayNotRemove?: string;
  onChange: (next: string[]) => void;
}

export function Chips({ label, values, nameOf, suggestions, addLabel, fieldLabel, none, normalise, problemOf, mayRemove = true, mayNotRemove, onChange }: ChipsProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const entry = typed === null ? '' : normalise(typed);
  const problem = entry === '' ? null : problemOf(entry);
  const add = () => {
    if (entry === '' || problem) return;
    onChange([...values, entry]);
    setTyped(null);
  };
  const offered = suggestions.filter((value) => !values.includes(value));
  return (
    <div className={css.chips}>
      <ul className={css.list} aria-label={label}>
        {values.map((value) => (
          <li key={value} className={css.chip}>
            {nameOf(value)}
            <IconButton label={mayRemove ? t.settings.remove(nameOf(value)) : (mayNotRemove ?? '')} size="s" disabled={!mayRemove} onClick={() => onChange(values.filter((each) => each !== value))}>
              <X size={12} />
            </IconButton>
          </li>
        ))}
        {values.length === 0 && none ? <li className={css.none}>{none}</li> : null}
        {typed === null ? (
          <li>
            <Menu
              align="end"
              trigger={
                <Button size="s" icon={<Plus size={13} aria-hidden="true" />}>
                  {addLabel}
                </Button>
              }
              entries={[
                ...offered.map((value) => ({ id: value, label: nameOf(value), run: () => onChange([...values, value]) })),
                ...(offered.length > 0 ? (['separator'] as const) : []),
                { id: 'other', label: `${fieldLabel} …`, run: () => setTyped('') },
              ]}
            />
          </li>
        ) : null}
      </ul>
      {typed === null ? null : (
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <TextInput className={css.field} aria-label={fieldLabel} placeholder={fieldLabel} value={typed} autoFocus isBad={problem !== null} onType={setTyped} onEscape={() => setTyped(null)} />
          <Button size="s" disabled={entry === '' || problem !== null} onClick={add}>
            {t.settings.add}
          </Button>
          <Button size="s" tone="quiet" onClick={() => setTyped(null)}>
            {t.app.cancel}
          </Button>
          <span className={css.problem} role="status">
            {problem}
          </span>
        </form>
      )}
    </div>
  );
}
