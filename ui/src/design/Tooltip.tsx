import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import css from './Popup.module.css';

/**
 * A tooltip with the name of a control, shown on hover and focus. It repeats the accessible name, so it is hidden from assistive
 * technology.
 */
export function Tooltip({ text, keys, children, side = 'bottom' }: { text: ReactNode; keys?: string; children: ReactElement; side?: 'bottom' | 'right' | 'top' }) {
  return (
    <Base.Root>
      <Base.Trigger delay={450} render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className={css.above}>
          <Base.Popup className={css.tooltip} aria-hidden="true">
            {text}
            {keys ? <kbd className={css.tooltipKeys}>{keys}</kbd> : null}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
