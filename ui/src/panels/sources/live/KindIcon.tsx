/** The icon of a kind of account. Its name is always shown beside it. */
import { Mail, MessageSquareLock, MessagesSquare, Webhook } from 'lucide-react';

export function KindIcon({ kind, size }: { kind: string; size: number }) {
  if (kind === 'mail') return <Mail size={size} aria-hidden="true" />;
  if (kind === 'simplex') return <MessageSquareLock size={size} aria-hidden="true" />;
  if (kind === 'webhook') return <Webhook size={size} aria-hidden="true" />;
  return <MessagesSquare size={size} aria-hidden="true" />;
}
