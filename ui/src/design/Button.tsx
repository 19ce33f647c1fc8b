/**
 * Buttons. For an action in the key table, pass `action`: the button then shows the key, exposes it to assistive technology and
 * does the same as the key, unless it has an `onClick` of its own.
 * Clicks do not bubble, so that a button in a row does not also open the row.
 */
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { type ActionId, action, ariaKeys, hotkeys, showKey } from '../keys';
import css from './Button.module.css';
import { cx } from './cx';
import { Kbd } from './Kbd';
import { Tooltip } from './Tooltip';

type Native = Omit<ComponentProps<'button'>, 'type' | 'children' | 'aria-label'>;

const pressed = (id: ActionId | undefined, onClick: Native['onClick']) => (event: MouseEvent<HTMLButtonElement>) => {
  event.stopPropagation();
  if (onClick) onClick(event);
  else if (id) hotkeys.run(id);
};

export interface ButtonProps extends Native {
  children: ReactNode;
  tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  size?: 'm' | 's';
  icon?: ReactNode;
  action?: ActionId;
  /** Accessible name, if the visible text is not sufficient. */
  label?: string;
  testId?: string;
}

export function Button({ children, tone = 'plain', size = 'm', icon, action: id, label, testId, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      className={cx(css.button, css[tone], size === 's' && css.small, className)}
      aria-label={label}
      aria-keyshortcuts={id ? ariaKeys(action(id).keys) : undefined}
      data-tone={tone}
      data-testid={testId}
      onClick={pressed(id, onClick)}
    >
      {icon}
      <span className={css.text}>{children}</span>
      {id ? <Kbd action={id} /> : null}
    </button>
  );
}

export interface IconButtonProps extends Native {
  /** The name of the button, shown in the tooltip and read aloud. */
  label: string;
  children: ReactNode;
  action?: ActionId;
  testId?: string;
  tone?: 'plain' | 'danger';
  size?: 'm' | 's';
}

export function IconButton({ label, children, action: id, testId, tone = 'plain', size = 'm', className, onClick, ...rest }: IconButtonProps) {
  const key = id ? action(id).keys[0] : undefined;
  return (
    <Tooltip text={label} keys={key ? showKey(key) : undefined}>
      <button
        {...rest}
        type="button"
        className={cx(css.icon, size === 's' && css.iconSmall, tone === 'danger' && css.iconDanger, className)}
        aria-label={label}
        aria-keyshortcuts={id ? ariaKeys(action(id).keys) : undefined}
        data-testid={testId}
        onClick={pressed(id, onClick)}
      >
        {children}
      </button>
    </Tooltip>
  );
}
