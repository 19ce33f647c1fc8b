/** A memory as a row of 56 px: statement, subject, confidence, date. It reads its own selection state. */
import { Check, EyeOff, GitCompareArrows, Lock, NotebookPen, PencilLine } from 'lucide-react';
import { memo } from 'react';
import type { MemoryRow } from '../../api';
import { CategoryBadge, Confidence, RelativeTime, cx, shownStatement } from '../../design';
import { type ListState, type Store, toggleSelected, useStore } from '../../state';
import { nameOf, t } from '../../strings';
import css from './MemoryListRow.module.css';

export const ROW_HEIGHT = 56;

export interface MemoryListRowProps {
  row: MemoryRow;
  list: Store<ListState>;
  /** Shows the source. Not needed in a list grouped by conversation. */
  showSource?: boolean;
  /** Shows the status if it differs from this one. */
  usualStatus?: string;
  /** True if there is an unsaved draft. */
  hasDraft?: boolean;
}

export const MemoryListRow = memo(function MemoryListRow({ row, list, showSource = false, usualStatus, hasDraft = false }: MemoryListRowProps) {
  const isSelected = useStore(list, (state) => state.selected.has(row.id));
  const isQuoted = row.status === 'quarantined';
  return (
    <div className={cx(css.row, row.is_private_source && css.private)} data-selected={isSelected || undefined}>
      {/* For the pointer only: by keyboard, x selects a row, and the list announces the selection. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */}
      <span
        className={css.lead}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          list.update((state) => toggleSelected(state, row.id));
        }}
      >
        <span className={css.badge}>
          <CategoryBadge category={row.category} bare />
        </span>
        <span className={css.check}>{isSelected ? <Check size={12} strokeWidth={3} /> : null}</span>
      </span>
      <span className={css.text}>
        <span className={css.statement}>{isQuoted ? `“${row.content}”` : shownStatement(row.content)}</span>
        <span className={css.meta}>
          <span>{nameOf(t.category, row.category)}</span>
          {row.band ? <Confidence value={row.confidence} band={row.band} plain /> : null}
          {row.subject === 'owner' ? null : <span className={css.shrink}>{row.subject}</span>}
          {usualStatus !== undefined && row.status !== usualStatus ? <span>{nameOf(t.statusOne, row.status)}</span> : null}
          {showSource ? <span className={css.shrink}>{row.conversation_title}</span> : null}
          <span className={css.space} />
          {row.has_near && row.status === 'pending' ? <Mark icon={<GitCompareArrows size={13} />} name={t.memory.near} /> : null}
          {hasDraft ? <Mark icon={<NotebookPen size={13} />} name={t.review.draft} /> : null}
          {row.is_edited ? <Mark icon={<PencilLine size={13} />} name={t.memory.edited} /> : null}
          {row.is_hidden ? <Mark icon={<EyeOff size={13} />} name={t.memory.hidden} /> : null}
          {row.is_private_source ? <Mark icon={<Lock size={13} />} name={t.memory.private} /> : null}
          <RelativeTime time={row.said_at} />
        </span>
      </span>
    </div>
  );
});

function Mark({ icon, name }: { icon: React.ReactNode; name: string }) {
  return (
    <span className={css.mark} role="img" aria-label={name} title={name}>
      {icon}
    </span>
  );
}
