/**
 * A field for choosing one of many options by typing, with a list that narrows. Only a limited number of rows is drawn; typing
 * more letters finds the rest. With `free`, text that is not in the list is accepted as well.
 */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Combobox } from '@base-ui/react/combobox';
import { X } from 'lucide-react';
import type { Ref } from 'react';
import { t } from '../strings';
import css from './Pick.module.css';

export interface Option {
  readonly value: string;
  readonly label: string;
  /** Shown next to the label in the muted color, and also searched. */
  readonly hint?: string;
}

/** Maximum number of rows drawn, to keep the document small. Typing more letters finds the rest. */
const SHOWN_MAX = 50;

const finds = (option: Option, query: string) => `${option.label} ${option.hint ?? ''}`.toLowerCase().includes(query.trim().toLowerCase());

interface PickProps {
  id?: string;
  label: string;
  options: readonly Option[];
  value: string;
  onChange: (next: string) => void;
  placeholder?: string;
  /** The text to show if nothing matches. */
  none: string;
  describedBy?: string;
  testId?: string;
  ref?: Ref<HTMLInputElement>;
}

function Rows({ option }: { option: Option }) {
  return (
    <>
      <span className={css.label}>{option.label}</span>
      {option.hint ? <span className={css.hint}>{option.hint}</span> : null}
    </>
  );
}

export function Pick({ id, label, options, value, onChange, placeholder, none, describedBy, testId, ref }: PickProps) {
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Combobox.Root<Option>
      items={options}
      value={chosen}
      onValueChange={(next) => onChange(next?.value ?? '')}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={finds}
      limit={SHOWN_MAX}
      autoHighlight
    >
      <Combobox.InputGroup className={css.field}>
        <Combobox.Input ref={ref} id={id} className={css.input} aria-label={id ? undefined : label} aria-describedby={describedBy} placeholder={placeholder} spellCheck={false} data-testid={testId} />
        {chosen ? (
          <Combobox.Clear className={css.clear} aria-label={t.privacy.clearField(label)}>
            <X size={14} aria-hidden="true" />
          </Combobox.Clear>
        ) : null}
      </Combobox.InputGroup>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className={css.above}>
          <Combobox.Popup className={css.popup}>
            <Combobox.Empty className={css.empty}>{none}</Combobox.Empty>
            <Combobox.List>
              {(option: Option) => (
                <Combobox.Item key={option.value} value={option} className={css.item}>
                  <Rows option={option} />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

export function FreePick({ id, label, options, value, onChange, placeholder, describedBy, testId }: Omit<PickProps, 'none' | 'ref'>) {
  return (
    <Autocomplete.Root<Option> items={options} value={value} onValueChange={onChange} itemToStringValue={(option) => option.value} filter={finds} limit={SHOWN_MAX} openOnInputClick={options.length > 0}>
      <Autocomplete.InputGroup className={css.field}>
        <Autocomplete.Input id={id} className={css.input} aria-label={id ? undefined : label} aria-describedby={describedBy} placeholder={placeholder} spellCheck={false} data-testid={testId} />
      </Autocomplete.InputGroup>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className={css.above}>
          <Autocomplete.Popup className={css.popup}>
            <Autocomplete.List>
              {(option: Option) => (
                <Autocomplete.Item key={option.value} value={option} className={css.item}>
                  <Rows option={option} />
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
