/** Menus. Entries for actions in the key table show their keys. */
import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import type { ActionId } from '../keys';
import { cx } from './cx';
import { Kbd } from './Kbd';
import css from './Popup.module.css';

export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly hint?: string;
  readonly action?: ActionId;
  readonly tone?: 'plain' | 'danger';
  readonly disabled?: boolean;
  /** Set for a choice that can be on or off. The menu stays open. */
  readonly checked?: boolean;
  /** One of several exclusive choices: shown with a round mark, and the menu closes. */
  readonly isRadio?: boolean;
  readonly testId?: string;
  readonly run: () => void;
}

export interface MenuProps {
  /** The button that opens the menu: a `Button` or `IconButton` element. */
  trigger: ReactElement;
  /** `'separator'` draws a line; `{ heading }` is a heading. */
  entries: readonly (MenuEntry | 'separator' | { readonly heading: string })[];
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: 'bottom' | 'top' | 'right';
  align?: 'start' | 'end';
}

export function Menu({ trigger, entries, open, onOpenChange, side = 'bottom', align = 'start' }: MenuProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={4} className={css.above}>
          <Base.Popup className={css.popup}>
            {entries.map((entry, index) => {
              // oxlint-disable-next-line react/no-array-index-key -- lines have no identity of their own
              if (entry === 'separator') return <hr key={`line ${index}`} className={css.separator} />;
              if ('heading' in entry)
                return (
                  <div key={entry.heading} className={css.groupLabel} role="presentation">
                    {entry.heading}
                  </div>
                );
              return <Entry key={entry.id} entry={entry} />;
            })}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  const inside = (
    <>
      {entry.icon ? <span className={css.itemIcon}>{entry.icon}</span> : null}
      <span className={css.itemText}>{entry.label}</span>
      {entry.hint ? <span className={css.itemHint}>{entry.hint}</span> : null}
      {entry.action ? <Kbd action={entry.action} /> : null}
    </>
  );
  if (entry.checked === undefined) {
    return (
      <Base.Item className={cx(css.item, entry.tone === 'danger' && css.itemDanger)} disabled={entry.disabled} data-testid={entry.testId} onClick={entry.run}>
        {inside}
      </Base.Item>
    );
  }
  return (
    <Base.CheckboxItem
      className={css.item}
      checked={entry.checked}
      disabled={entry.disabled}
      closeOnClick={entry.isRadio ?? false}
      data-testid={entry.testId}
      onCheckedChange={entry.run}
    >
      <span className={cx(css.check, entry.isRadio && css.round)} data-on={entry.checked} aria-hidden="true">
        {entry.checked ? <Check size={12} strokeWidth={3} /> : null}
      </span>
      {inside}
    </Base.CheckboxItem>
  );
}
