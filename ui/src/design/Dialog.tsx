/** A dialog for decisions that cannot be undone, and for content that is read separately. Everything else happens in place. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { t } from '../strings';
import { IconButton } from './Button';
import css from './Popup.module.css';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Buttons at the bottom, the safest one first. */
  actions?: ReactNode;
  size?: 's' | 'm' | 'l';
  testId?: string;
  /** The element to focus first, if the dialog is a form. */
  focus?: React.RefObject<HTMLElement | null>;
}

export function Dialog({ open, onClose, title, children, actions, size = 'm', testId, focus }: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={css.scrim} />
        <Base.Viewport className={css.dialogViewport}>
          {/* Initially the text has the focus, not an action or the close button, because it should be read first. */}
          <Base.Popup className={css.dialog} data-size={size} data-testid={testId} initialFocus={focus ?? body}>
            <header className={css.dialogHead}>
              <Base.Title className={css.dialogTitle}>{title}</Base.Title>
              <IconButton label={t.app.close} onClick={onClose}>
                <X size={16} />
              </IconButton>
            </header>
            {/* Focusable, so that it can be scrolled by keyboard. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <div ref={body} className={css.dialogBody} tabIndex={0}>
              {children}
            </div>
            {actions ? <footer className={css.dialogFoot}>{actions}</footer> : null}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
