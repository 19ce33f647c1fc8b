/**
 * Review: pending memories one at a time, with the words that prove them.
 *
 * Every decision is shown immediately and can be undone. The cursor follows memories by identity, not by position. The list, the
 * detail and the actions share one small store, so that a move redraws only two rows and one detail, regardless of the length of
 * the queue.
 */
import { useMemo, useState } from 'react';
import { type MemoryRow, useRpc } from '../../api';
import { Button, PaneBar, PaneHeader, Segmented, SplitPane, focusList, leaveRow } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { beforeLeaving, clearSelection, createListState, createStore, decide, getUiState, go, showToast, useNavTarget, useStore, useUiState } from '../../state';
import { number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMoves, useSelecting } from '../shared/ListDetail';
import { type MemoriesRequest, type MemoryRows, askEarly, useLastRow, useListCursor, useMemoryRows } from '../shared/memoryRows';
import { changedDraft, drafts, dropDrafts, isValidWording, keepDraft } from './drafts';
import { createQueue, isDoubtful, rowIn } from './queue';
import { ReviewDetail } from './ReviewDetail';
import { ReviewList } from './ReviewList';
import type { AppStatus } from '../../api';

type Filter = 'pending' | 'quarantined';

const list = createListState();
/** The pending memory that the person just started to edit. Its editor receives the keys. */
const editing = createStore<string | null>(null);

/** The request of the list. */
const requestFor = (filter: Filter, conversation: string | null): MemoriesRequest => ({ status: [filter], conversation, sort: 'queue', limit: 0, without_facets: true });

const filterOf = (remembered: string): Filter => (remembered === 'quarantined' ? 'quarantined' : 'pending');

/** Requests the first data of the panel while the window is still being drawn. */
export const askFirst = (): void => askEarly(requestFor(filterOf(getUiState<string>('review.filter', 'pending')), null));

const quarantinedOf = (status: AppStatus) => status.counts.quarantined;

export default function Review() {
  const [remembered, setFilter] = useUiState<string>('review.filter', 'pending');
  const filter = filterOf(remembered);
  const target = useNavTarget('review');
  const conversation = target?.onlyConversation ?? null;
  const { data: quarantined = 0 } = useRpc('app_status', {}, { select: quarantinedOf });
  const request = useMemo(() => requestFor(filter, conversation), [filter, conversation]);
  const all = useMemoryRows(request);
  const [showsDoubtful, setShowsDoubtful] = useState(false);
  const isFolded = filter === 'pending' && !showsDoubtful;
  const doubtful = useMemo(() => (filter === 'pending' ? all.rows.filter(isDoubtful).map((row) => row.id) : []), [filter, all.rows]);
  const memories = useMemo(() => (isFolded ? withoutDoubtful(all) : all), [isFolded, all]);
  const { rows, ids } = memories;
  useListCursor(list, ids);
  const toLast = useLastRow(list, memories);
  const [snoozeOpen, setSnoozeOpen] = useState(false);

  const [queueFor] = useState(createQueue);
  const queue = useMemo(() => queueFor(rows), [queueFor, rows]);
  const rowsOf = (wanted: readonly string[]): MemoryRow[] => wanted.flatMap((id) => rowIn(queue, id) ?? all.rows.find((row) => row.id === id) ?? []);
  const isPending = filter === 'pending';

  const cursorRow = () => rowIn(queue, list.get().cursor);
  const selectedIds = () => ids.filter((id) => list.get().selected.has(id));

  // A whole group disappears without an animation.
  const leave = (wanted: readonly string[], how: 'up' | 'fade') => {
    const [id, ...more] = wanted;
    if (id !== undefined && more.length === 0) leaveRow(id, how);
    list.update((state) => beforeLeaving(state, ids, wanted));
  };
  /**
   * Stores the edited text and approves it, as one action with one undo. If the new text cannot be stored, nothing is approved.
   */
  const approveWording = (row: MemoryRow) => {
    const draft = drafts.get().get(row.id);
    if (!draft) return false;
    if (!isValidWording(draft.content)) {
      showToast({ tone: 'warn', text: t.review.wordingInvalid });
      return true;
    }
    dropDrafts([row.id]);
    leave([row.id], 'up');
    focusList(TESTIDS.reviewList);
    const edit = { action: 'edit', id: row.id, content: draft.content.trim(), category: draft.category === row.category ? null : draft.category } as const;
    void decide(edit, [row], t.review.edited).then((outcome) => {
      // If refused, the text is kept as a draft.
      if (!outcome || outcome.applied.length === 0) keepDraft(row.id, draft);
    });
    return true;
  };
  const approve = (wanted: readonly string[]) => {
    if (!isPending || wanted.length === 0) return false;
    const leaving = rowsOf(wanted);
    const reworded = leaving.find((row) => changedDraft(drafts.get(), row));
    if (reworded) {
      if (leaving.length === 1) return approveWording(reworded);
      // Drafts in the selection must be finished first, so that none is discarded: each edited text needs an action of its own,
      // but the selection must be a single action.
      showToast({ tone: 'warn', text: t.review.draftsFirst });
      list.update((state) => ({ ...state, cursor: reworded.id }));
      return true;
    }
    dropDrafts(wanted);
    leave(wanted, 'up');
    void decide({ action: 'approve', ids: [...wanted] }, leaving, t.review.approved(wanted.length));
    return true;
  };
  const reject = (wanted: readonly string[]) => {
    if (wanted.length === 0) return false;
    const leaving = rowsOf(wanted);
    dropDrafts(wanted);
    leave(wanted, 'fade');
    void decide({ action: 'reject', ids: [...wanted], reason: null }, leaving, t.review.rejected(wanted.length));
    return true;
  };
  const restore = (wanted: readonly string[]) => {
    if (isPending || wanted.length === 0) return false;
    const leaving = rowsOf(wanted);
    list.update((state) => beforeLeaving(state, ids, wanted));
    void decide({ action: 'restore', ids: [...wanted] }, leaving, t.review.restored(wanted.length));
    return true;
  };
  /** The ids that a key acts on: the selection, otherwise the row under the cursor. */
  const meant = (): readonly string[] => {
    const selected = selectedIds();
    const row = cursorRow();
    return selected.length > 0 ? selected : row ? [row.id] : [];
  };
  const onMeant = (act: (wanted: readonly string[]) => boolean) => () => act(meant());

  useMoves('review', list, ids, undefined, toLast);
  useSelecting('review', list, ids);
  useActions('review', {
    'review.approve': onMeant(approve),
    'review.reject': onMeant(reject),
    'review.restore': onMeant(restore),
    'review.edit': () => {
      const row = cursorRow();
      if (!row || !isPending) return false;
      editing.set(row.id);
      if (drafts.get().has(row.id)) focusList(TESTIDS.editInput);
      else keepDraft(row.id, { content: row.content, category: row.category });
      return true;
    },
    'review.snooze': () => {
      if (!isPending || !cursorRow()) return false;
      setSnoozeOpen(true);
      return true;
    },
    'review.approveSelected': () => approve(selectedIds()),
    'review.rejectSelected': () => reject(selectedIds()),
    'review.showDoubtful': () => {
      if (doubtful.length === 0) return false;
      setShowsDoubtful(!showsDoubtful);
      return true;
    },
    'review.rejectDoubtful': () => all.isWhole && reject(doubtful),
    'review.clear': () => list.update(clearSelection),
  });

  return (
    <SplitPane
      name="review"
      list={
        <>
          <PaneHeader title={t.panels.review} count={<span data-testid={TESTIDS.reviewCount}>{number(memories.total)}</span>}>
            {quarantined > 0 || !isPending ? (
              <Segmented
                label={t.review.filter}
                value={filter}
                testId={TESTIDS.reviewFilter}
                choices={[
                  { value: 'pending', label: t.review.toReview },
                  { value: 'quarantined', label: t.review.quarantined, count: quarantined, testId: 'filter-quarantined' },
                ]}
                onChange={(next) => {
                  list.update((state) => ({ ...clearSelection(state), cursor: null }));
                  setFilter(next);
                  focusList(TESTIDS.reviewList);
                }}
              />
            ) : null}
          </PaneHeader>
          {conversation === null ? null : (
            <PaneBar>
              <span>{t.review.onlyConversation(rows[0]?.conversation_title ?? '…')}</span>
              <Button size="s" tone="quiet" onClick={() => go('review')}>
                {t.app.showAll}
              </Button>
            </PaneBar>
          )}
          <SelectionBar isPending={isPending} onApprove={() => approve(selectedIds())} onReject={() => reject(selectedIds())} />
          <DoubtfulBar count={doubtful.length} isWhole={all.isWhole} isShown={showsDoubtful} />
          <ReviewList list={list} memories={memories} queue={queue} isPending={isPending} onApproveGroup={approve} />
          <p className="srOnly" aria-live="polite">
            {t.review.live(memories.total)}
          </p>
        </>
      }
      detail={
        <ReviewDetail
          list={list}
          editing={editing}
          ids={ids}
          queue={queue}
          isPending={isPending}
          onApprove={approve}
          meant={meant}
          snoozeOpen={snoozeOpen}
          onSnoozeOpen={setSnoozeOpen}
          isEmpty={!memories.isLoading && rows.length === 0}
        />
      }
    />
  );
}

/** All rows except the doubtful ones. */
function withoutDoubtful(all: MemoryRows): MemoryRows {
  const rows = all.rows.filter((row) => !isDoubtful(row));
  if (rows.length === all.rows.length) return all;
  return { ...all, rows, ids: rows.map((row) => row.id), total: all.total - (all.rows.length - rows.length) };
}

/**
 * The bar for doubtful memories, which are probably noise: they are collapsed, and one key dismisses all of them. The bar is
 * above the list, because notices cover the list's end.
 */
function DoubtfulBar({ count, isWhole, isShown }: { count: number; isWhole: boolean; isShown: boolean }) {
  if (count === 0) return null;
  return (
    <PaneBar testId={TESTIDS.reviewDoubtful}>
      <span className="num" title={t.review.doubtfulHint}>
        {t.review.doubtful(count)}
      </span>
      <Button size="s" tone="quiet" action="review.showDoubtful" testId={TESTIDS.showDoubtful} onClick={() => hotkeys.run('review.showDoubtful')}>
        {isShown ? t.review.hideDoubtful : t.review.showDoubtful}
      </Button>
      <Button size="s" tone="quiet" action="review.rejectDoubtful" testId={TESTIDS.rejectDoubtful} disabled={!isWhole} onClick={() => hotkeys.run('review.rejectDoubtful')}>
        {t.review.rejectDoubtful}
      </Button>
    </PaneBar>
  );
}

/** Actions on the selection, if there is one. */
function SelectionBar({ isPending, onApprove, onReject }: { isPending: boolean; onApprove: () => void; onReject: () => void }) {
  const count = useStore(list, (state) => state.selected.size);
  if (count === 0) return null;
  return (
    <PaneBar tone="accent" testId={TESTIDS.bulkBar}>
      <span className="num">{t.review.selected(count)}</span>
      <Button size="s" action="review.approveSelected" testId={TESTIDS.approveSelected} disabled={!isPending} onClick={onApprove}>
        {t.review.approve}
      </Button>
      <Button size="s" action="review.rejectSelected" testId={TESTIDS.rejectSelected} onClick={onReject}>
        {t.review.reject}
      </Button>
      <Button size="s" tone="quiet" action="review.clear" onClick={() => list.update(clearSelection)}>
        {t.app.clear}
      </Button>
    </PaneBar>
  );
}
