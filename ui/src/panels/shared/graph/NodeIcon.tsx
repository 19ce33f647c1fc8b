/** The icon of each kind of node; a memory has the icon of its category. */
import { FolderKanban, Layers, type LucideIcon, MessagesSquare, Share2, UserRound, Wrench } from 'lucide-react';
import { CategoryIcon } from '../../../design';

const ICONS: Readonly<Record<string, LucideIcon>> = { person: UserRound, topic: Layers, project: FolderKanban, technology: Wrench, conversation: MessagesSquare };

export function NodeIcon({ kind, detail, size = 12 }: { kind: string; detail: string; size?: number }) {
  if (kind === 'memory') return <CategoryIcon category={detail} size={size} />;
  const Icon = ICONS[kind] ?? Share2;
  return <Icon size={size} aria-hidden="true" />;
}
