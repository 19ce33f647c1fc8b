/** The category of a memory as tint, icon and name, so that color is never the only indication. */
import {
  BookOpen,
  Compass,
  Footprints,
  FolderKanban,
  Heart,
  Lightbulb,
  type LucideIcon,
  MessageCircle,
  Ruler,
  Signpost,
  Sparkles,
  Target,
  UserRound,
  UsersRound,
  Wrench,
} from 'lucide-react';
import { nameOf, t } from '../strings';
import css from './Badge.module.css';
import { cx } from './cx';

const ICONS: Record<string, LucideIcon> = {
  personal_info: UserRound,
  preference: Heart,
  experience: Footprints,
  relationship: UsersRound,
  goal: Target,
  skill: Wrench,
  project: FolderKanban,
  story: BookOpen,
  reasoning: Lightbulb,
  philosophy: Compass,
  standard: Ruler,
  decision: Signpost,
  reaction: MessageCircle,
};

/** All tints; the five kinds of knowledge share one. */
export const TINTS = ['personal_info', 'preference', 'experience', 'relationship', 'goal', 'skill', 'project', 'story', 'knowledge'] as const;

export const CATEGORIES = Object.keys(t.category);

export function tintOf(category: string): (typeof TINTS)[number] {
  return (TINTS as readonly string[]).includes(category) ? (category as (typeof TINTS)[number]) : 'knowledge';
}

export function CategoryIcon({ category, size = 14 }: { category: string; size?: number }) {
  const Icon = ICONS[category] ?? Sparkles;
  return <Icon size={size} strokeWidth={2} aria-hidden="true" />;
}

/** With `bare`, only the icon is shown, with the name for assistive technology. For narrow rows. */
export function CategoryBadge({ category, bare = false }: { category: string; bare?: boolean }) {
  const name = nameOf(t.category, category);
  return (
    <span className={cx(css.badge, css[tintOf(category)], bare && css.bare)} title={bare ? name : undefined}>
      <CategoryIcon category={category} size={bare ? 14 : 12} />
      <span className={bare ? 'srOnly' : undefined}>{name}</span>
    </span>
  );
}

/** A small badge for a state, a count or a kind of source. */
export function Badge({ children, tone = 'plain' }: { children: React.ReactNode; tone?: 'plain' | 'accent' | 'ok' | 'warn' | 'danger' }) {
  return <span className={cx(css.mark, css[`mark_${tone}`])}>{children}</span>;
}
