/** A dialog with something that is shown only this once. Closing it before it was copied takes a second attempt. */
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Button, Dialog } from '../../design';
import { t } from '../../strings';

interface Once {
  readonly isCopied: boolean;
  /** Whether the person tried to close it before. */
  readonly isWarning: boolean;
  readonly noteCopied: () => void;
  /** The button that copies it has the focus at first. */
  readonly button: RefObject<HTMLButtonElement | null>;
}

export function OnceDialog({ title, testId, doneTestId, onClose, children }: { title: string; testId: string; doneTestId: string; onClose: () => void; children: (once: Once) => ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const isWarning = isWarned && !isCopied;
  const close = () => {
    if (isCopied || isWarned) onClose();
    else setWarned(true);
  };
  return (
    <Dialog
      open
      onClose={close}
      title={title}
      testId={testId}
      focus={button}
      actions={
        <Button tone={isCopied ? 'primary' : 'plain'} testId={doneTestId} onClick={close}>
          {isWarning ? t.agents.closeAnyway : t.agents.done}
        </Button>
      }
    >
      {children({ isCopied, isWarning, noteCopied: () => setCopied(true), button })}
    </Dialog>
  );
}
