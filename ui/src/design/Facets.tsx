/**
 * Filters with live counts.
 *
 * A selected value is always listed, even if its count is 0, so that it can be deselected.
 */
import { ChevronDown, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Count } from '../api/schema';
import { number, t } from '../strings';
import css from './Facets.module.css';
import { cx } from './cx';
import { Menu } from './Menu';

export interface FacetValue {
  readonly name: string;
  readonly label: string;
  readonly count?: number;
}

/** The values to offer: those that occur, and selected ones that no longer occur. `order` puts known names first. */
export function facetValues(counts: readonly Count[], chosen: readonly string[], labelOf: (name: string) => string, order: readonly string[] = []): FacetValue[] {
  const rank = (name: string) => {
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  const present = counts.filter((each) => each.count > 0 || chosen.includes(each.name));
  const missing = chosen.filter((name) => !present.some((each) => each.name === name)).map((name) => ({ name, label: null, count: 0 }));
  return [...present, ...missing]
    .map(({ name, label, count }) => ({ name, label: label ?? labelOf(name), count }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** Adds a value, or removes it. */
export const toggled = (chosen: readonly string[], name: string): string[] => (chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);

export interface FacetProps {
  label: string;
  values: readonly FacetValue[];
  chosen: readonly string[];
  onChange: (next: string[]) => void;
  /** Only one value can be selected at a time. Selecting it again deselects it. */
  isSingle?: boolean;
  iconOf?: (name: string) => ReactNode;
  testId?: string;
}

export function Facet({ label, values, chosen, onChange, isSingle = false, iconOf, testId }: FacetProps) {
  const names = values.filter((value) => chosen.includes(value.name)).map((value) => value.label);
  const said = names.length === 0 ? label : names.length === 1 ? names[0] : `${label} ${names.length}`;
  return (
    <span className={cx(css.facet, chosen.length > 0 && css.on)}>
      <Menu
        trigger={
          <button type="button" className={css.trigger} aria-label={names.length > 0 ? `${label}: ${names.join(', ')}` : label} data-testid={testId}>
            <span className={css.said}>{said}</span>
            {chosen.length > 0 ? null : <ChevronDown size={12} aria-hidden="true" />}
          </button>
        }
        entries={values.map((value) => ({
          id: value.name,
          label: value.label,
          icon: iconOf?.(value.name),
          hint: value.count === undefined ? undefined : number(value.count),
          checked: chosen.includes(value.name),
          isRadio: isSingle,
          run: () => onChange(isSingle ? (chosen.includes(value.name) ? [] : [value.name]) : toggled(chosen, value.name)),
        }))}
      />
      {chosen.length > 0 ? (
        <button type="button" className={css.off} aria-label={`${t.app.clear}: ${label}`} onClick={() => onChange([])}>
          <X size={12} aria-hidden="true" />
        </button>
      ) : null}
    </span>
  );
}
