/**
 * Notices, with undo. A polite live region announces them, and they never take the focus. A notice stays while the pointer or the
 * focus is on it.
 */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { painted } from '../state/time';
import { useStore } from '../state/store';
import { type Toast, clearCard, hideToast, toasts } from '../state/toasts';
import { t } from '../strings';
import { TESTIDS } from '../testids';
import { IconButton } from './Button';
import { Kbd } from './Kbd';
import css from './Toasts.module.css';

/** Long enough to read two lines and reach for Undo. */
const SHOWN_MS = 8_000;

/**
 * Shows a notice one frame late, so that it is drawn after the change that it reports. A notice that was hidden goes at once: what it
 * offers may be impossible now.
 */
function useAfterPaint(current: readonly Toast[]): readonly Toast[] {
  const [drawn, setDrawn] = useState(current);
  useEffect(() => {
    let isLatest = true;
    void painted().then(() => isLatest && setDrawn(current));
    return () => {
      isLatest = false;
    };
  }, [current]);
  return drawn.filter(({ card }) => current.some((each) => each.card === card));
}

export function Toasts() {
  const shown = useAfterPaint(useStore(toasts, (list) => list));
  return (
    <section className={css.stack} aria-label={t.app.notices}>
      <div role="status" aria-live="polite" className={css.live}>
        {shown.map((toast) => (
          <ToastCard key={toast.card} toast={toast} />
        ))}
      </div>
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  const { card } = toast;
  useEffect(() => {
    if (held) return undefined;
    const timer = window.setTimeout(() => hideToast(toast.id), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [held, toast.id]);
  const hold = { onMouseEnter: () => setHeld(true), onMouseLeave: () => setHeld(false), onFocus: () => setHeld(true), onBlur: () => setHeld(false) };
  return (
    <div className={css.toast} data-tone={toast.tone} data-testid={TESTIDS.toast} {...hold}>
      <div className={css.line}>
        <span className={css.text}>{toast.text}</span>
        {toast.actions.map((each) => (
          <button
            key={each.label}
            type="button"
            className={css.action}
            data-testid={each.testId}
            onClick={() => {
              hideToast(toast.id);
              each.run();
            }}
          >
            {each.label}
            {each.action ? <Kbd action={each.action} /> : null}
          </button>
        ))}
        <IconButton label={t.app.dismiss} size="s" className={css.close} onClick={() => clearCard(card)}>
          <X size={14} />
        </IconButton>
      </div>
      {toast.chips.length > 0 ? (
        <div className={css.chips}>
          <span className="srOnly">{toast.chipsLabel}</span>
          {toast.chips.map((chip) => (
            <button
              key={chip.label}
              type="button"
              className={css.chip}
              onClick={() => {
                hideToast(toast.id);
                chip.run();
              }}
            >
              {chip.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
