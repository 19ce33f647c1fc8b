/** The memory derived from the highlighted words: its statement, its status, and a link to it. */
import { Popover } from '@base-ui/react/popover';
import type { MemorySpan } from '../../api';
import { Badge, Button, CategoryBadge, shownStatement } from '../../design';
import popup from '../../design/Popup.module.css';
import { go, openMemory } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './SpanPopover.module.css';

const TONES: Record<string, 'ok' | 'accent' | 'warn' | 'plain'> = { active: 'ok', pending: 'accent', quarantined: 'warn' };
const waitsInReview = (span: MemorySpan) => span.status === 'pending' || span.status === 'quarantined';

export function SpanPopover({ anchor, spans, onClose }: { anchor: HTMLElement; spans: readonly MemorySpan[]; onClose: () => void }) {
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} side="bottom" align="start" sideOffset={6} className={popup.above}>
          <Popover.Popup className={css.popup} data-testid={TESTIDS.spanPopover} finalFocus={() => anchor}>
            <Popover.Title className="srOnly">{t.conversations.remembered}</Popover.Title>
            {spans.map((span) => (
              <div key={span.memory_id} className={css.memory}>
                <div className={css.head}>
                  <CategoryBadge category={span.category} />
                  <Badge tone={TONES[span.status] ?? 'plain'}>{nameOf(t.statusOne, span.status)}</Badge>
                </div>
                <p className={css.content}>{shownStatement(span.content)}</p>
                <Button size="s" onClick={() => (waitsInReview(span) ? go('review', { memory: span.memory_id }) : openMemory(span.memory_id))}>
                  {waitsInReview(span) ? t.conversations.openReview : t.conversations.openMemories}
                </Button>
              </div>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
