/** Who may see what is known from a place, as a mark: an icon and its word, never colour alone. */
import { Globe, GlobeLock, Split } from 'lucide-react';
import { cx } from '../../design';
import { nameOf, t } from '../../strings';
import css from './Visibility.module.css';

const ICONS = { public: Globe, private: GlobeLock, mixed: Split } as const;

export function VisibilityMark({ visibility, bare = false }: { visibility: string; bare?: boolean }) {
  const Icon = ICONS[visibility as keyof typeof ICONS] ?? GlobeLock;
  return (
    <span className={cx(css.mark, css[visibility])} title={nameOf(t.privacy.visibilityLong, visibility)}>
      <Icon size={13} aria-hidden="true" />
      <span className={bare ? 'srOnly' : undefined}>{nameOf(t.privacy.visibility, visibility)}</span>
    </span>
  );
}
