/**
 * Who may see what is known from a place, as a mark: an icon and its word, never colour alone. Beside a quote, where there is no
 * room, the icon alone with its word on hover and for assistive technology; public needs no mark there.
 */
import { Globe, GlobeLock, Split } from 'lucide-react';
import { nameOf, t } from '../../strings';
import css from './Visibility.module.css';

const ICONS = { public: Globe, private: GlobeLock, mixed: Split } as const;

export function VisibilityMark({ visibility, bare = false }: { visibility: string; bare?: boolean }) {
  const Icon = ICONS[visibility as keyof typeof ICONS] ?? GlobeLock;
  if (bare && visibility === 'public') return null;
  return (
    <span className={css.mark} title={nameOf(t.privacy.visibilityLong, visibility)}>
      <Icon size={13} aria-hidden="true" />
      <span className={bare ? 'srOnly' : undefined}>{nameOf(t.privacy.visibility, visibility)}</span>
    </span>
  );
}
