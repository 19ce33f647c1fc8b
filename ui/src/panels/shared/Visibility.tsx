/**
 * Who may see the knowledge from a place, as an icon and a word, never by color only. Next to a quote, where space is limited,
 * only the icon is shown, with the word on hover and for assistive technology; public places have no mark there.
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
