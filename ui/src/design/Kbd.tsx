import { type ActionId, action, showKey } from '../keys';
import css from './Kbd.module.css';

/**
 * The keys of an action. Hidden from assistive technology, because the control itself exposes them through `aria-keyshortcuts`.
 */
export function Kbd({ keys, action: id }: { keys?: string; action?: ActionId }) {
  const shown = keys ?? (id ? action(id).keys[0] : undefined);
  return shown ? (
    <kbd className={css.kbd} aria-hidden="true">
      {showKey(shown)}
    </kbd>
  ) : null;
}
