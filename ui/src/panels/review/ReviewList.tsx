/** The queue: pending memories grouped by conversation, in one virtualized list. */
import { CheckCheck, Inbox, Lock, ShieldCheck } from 'lucide-react';
import { useCallback } from 'react';
import type { MemoryRow } from '../../api';
import { Button, EmptyState, ErrorState, LoadingRows, VirtualList } from '../../design';
import { type ListState, type Store, go, useStore } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { pickRow } from '../shared/ListDetail';
import { MemoryListRow, ROW_HEIGHT } from '../shared/MemoryListRow';
import { type MemoryRows } from '../shared/memoryRows';
import { changedDraft, drafts } from './drafts';
import { type Queue, type QueueEntry, indexIn } from './queue';
import css from './Review.module.css';

const GROUP_HEIGHT = 36;

export interface ReviewListProps {
  list: Store<ListState>;
  memories: MemoryRows;
  queue: Queue;
  isPending: boolean;
  onApproveGroup: (ids: readonly string[]) => void;
}

export function ReviewList({ list, memories, queue, isPending, onApproveGroup }: ReviewListProps) {
  const { rows, ids, isWhole, isLoading, error, retry } = memories;
  const cursor = useStore(list, (state) => state.cursor);
  const selected = useStore(list, (state) => state.selected);
  const entries = queue;
  const keyOf = useCallback((index: number) => entries[index]?.key ?? '', [entries]);
  const heightOf = useCallback((index: number) => (entries[index]?.kind === 'group' ? GROUP_HEIGHT : ROW_HEIGHT), [entries]);

  if (error && rows.length === 0) return <ErrorState title={t.review.loadFailed} text={t.app.safeInDatabase} detail={error.message} onRetry={retry} />;
  if (isLoading) return <LoadingRows />;
  if (rows.length === 0) {
    return isPending ? (
      <EmptyState icon={<Inbox size={18} />} title={t.review.emptyTitle} text={t.review.emptyText} action={<Button onClick={() => go('sources')}>{t.app.addSource}</Button>} testId={TESTIDS.reviewEmpty} />
    ) : (
      <EmptyState icon={<ShieldCheck size={18} />} title={t.review.emptyQuarantine} testId={TESTIDS.reviewEmpty} />
    );
  }
  // The last conversation may have more memories that are not loaded yet, so "all" cannot be applied to it.
  const isCut = (entry: QueueEntry) => !isWhole && entry.kind === 'group' && entry.conversation === rows[rows.length - 1]?.conversation_id;
  const rowAt = (index: number) => {
    const entry = entries[index];
    return entry?.kind === 'row' ? entry.row : null;
  };
  return (
    <VirtualList
      label={t.review.list}
      testId={TESTIDS.reviewList}
      rowTestId={TESTIDS.reviewRow}
      pattern="grid"
      isMulti
      autoFocus
      count={entries.length}
      keyOf={keyOf}
      heightOf={heightOf}
      activeIndex={indexIn(entries, cursor)}
      isHeading={(index) => entries[index]?.kind === 'group'}
      isSelected={(index) => selected.has(rowAt(index)?.id ?? '')}
      onPick={(index, event) => pickRow(list, ids, rowAt(index)?.id, event)}
      render={(index) => {
        const entry = entries[index];
        if (!entry) return null;
        if (entry.kind === 'row') return <Row row={entry.row} list={list} />;
        return <Group entry={entry} onApprove={isPending && !isCut(entry) ? onApproveGroup : null} />;
      }}
    />
  );
}

/** Each row reads its own draft, so that typing redraws only that row. */
function Row({ row, list }: { row: MemoryRow; list: Store<ListState> }) {
  const hasDraft = useStore(drafts, (all) => changedDraft(all, row) !== null);
  return <MemoryListRow row={row} list={list} hasDraft={hasDraft} />;
}

function Group({ entry, onApprove }: { entry: Extract<QueueEntry, { kind: 'group' }>; onApprove: ((ids: readonly string[]) => void) | null }) {
  return (
    <div className={css.group} data-testid={TESTIDS.reviewGroup}>
      {entry.isPrivate ? <Lock size={12} aria-label={t.memory.private} /> : null}
      <span className={css.groupTitle}>{entry.title}</span>
      <span className={css.groupChannel}>{nameOf(t.channel, entry.channel)}</span>
      <span className={css.space} />
      {onApprove && entry.ids.length > 1 ? (
        <Button size="s" tone="quiet" icon={<CheckCheck size={14} aria-hidden="true" />} label={t.review.approveGroupLabel(entry.ids.length, entry.title)} testId={TESTIDS.reviewApproveGroup} tabIndex={-1} onClick={() => onApprove(entry.ids)}>
          {t.review.approveGroup(entry.ids.length)}
        </Button>
      ) : null}
    </div>
  );
}
