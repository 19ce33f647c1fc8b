/** A dialog for decisions that cannot be undone, and for content that is read separately. Everything else happens in place. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { ActionId } from '../keys';
import { t } from '../strings';
import { Button, IconButton } from './Button';
import css from './Popup.module.css';

interface Confirm {
  label: string;
  run: () => unknown;
  /** The way out, if it is not just "Cancel". */
  otherwise?: string;
  tone?: 'primary' | 'danger';
  isDisabled?: boolean;
  action?: ActionId;
  /** It has the focus at first, because the rest is read quickly. */
  isFirst?: boolean;
  testId?: string;
}

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Buttons at the bottom, the safest one first. */
  actions?: ReactNode;
  /** What the dialog is about to do, offered next to a way out. */
  confirm?: Confirm | undefined;
  /** While it is done, the dialog stays open and nothing can be pressed. */
  isBusy?: boolean;
  size?: 's' | 'm' | 'l';
  testId?: string;
  /** The element to focus first, if the dialog is a form. */
  focus?: React.RefObject<HTMLElement | null>;
}

export function Dialog({ open, onClose, title, children, actions, confirm, isBusy = false, size = 'm', testId, focus }: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  const confirmButton = useRef<HTMLButtonElement>(null);
  const close = () => {
    if (!isBusy) onClose();
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && close()}>
      <Base.Portal>
        <Base.Backdrop className={css.scrim} />
        <Base.Viewport className={css.dialogViewport}>
          {/* Initially the text has the focus, not an action or the close button, because it should be read first. */}
          <Base.Popup className={css.dialog} data-size={size} data-testid={testId} initialFocus={confirm?.isFirst ? confirmButton : (focus ?? body)}>
            <header className={css.dialogHead}>
              <Base.Title className={css.dialogTitle}>{title}</Base.Title>
              <IconButton label={t.app.close} onClick={close}>
                <X size={16} />
              </IconButton>
            </header>
            {/* Focusable, so that it can be scrolled by keyboard. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <div ref={body} className={css.dialogBody} tabIndex={0}>
              {children}
            </div>
            {actions || confirm ? (
              <footer className={css.dialogFoot}>
                {actions}
                {confirm ? (
                  <>
                    <Button onClick={onClose} disabled={isBusy}>
                      {confirm.otherwise ?? t.app.cancel}
                    </Button>
                    <Button ref={confirmButton} tone={confirm.tone ?? 'primary'} action={confirm.action} disabled={isBusy || confirm.isDisabled} testId={confirm.testId} onClick={() => void confirm.run()}>
                      {confirm.label}
                    </Button>
                  </>
                ) : null}
              </footer>
            ) : null}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
