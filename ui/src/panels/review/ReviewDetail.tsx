/** The candidate under the cursor, and everything that can be done with it, as buttons that name their keys. */
import { ChevronDown, ChevronUp, Check, Clock, GitMerge, Pencil, ShieldAlert, Undo2, X } from 'lucide-react';
import type { MemoryRow } from '../../api';
import { Button, EmptyState, IconButton, Menu, PaneBody, PaneFoot, PaneHeader, fullTime } from '../../design';
import { useActions } from '../../keys';
import { useNow } from '../../state/clock';
import { decide } from '../../state/decisions';
import { type ListState, stepFrom } from '../../state/list';
import { type Store, useStore } from '../../state/store';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMemoryDetail } from '../shared/detail';
import { focusList } from '../shared/focus';
import { MemoryBody, nearOf, openSource } from '../shared/MemoryBody';
import { MemoryEditor } from '../shared/MemoryEditor';
import { type Queue, rowIn, snoozeTimes } from './queue';
import css from './Review.module.css';

export interface ReviewDetailProps {
  list: Store<ListState>;
  editing: Store<string | null>;
  ids: readonly string[];
  queue: Queue;
  isPending: boolean;
  isEmpty: boolean;
  onApprove: (ids: readonly string[]) => void;
  onReject: (ids: readonly string[]) => void;
  onRestore: (ids: readonly string[]) => void;
  onStep: (by: number) => void;
  snoozeOpen: boolean;
  onSnoozeOpen: (open: boolean) => void;
}

export function ReviewDetail(props: ReviewDetailProps) {
  const { list, ids, queue, isEmpty } = props;
  const cursor = useStore(list, (state) => state.cursor);
  const row = rowIn(queue, cursor);
  if (!row) return isEmpty ? <div className={css.nothing} /> : <EmptyState title="" />;
  return <Candidate {...props} row={row} at={ids.indexOf(row.id)} />;
}

function Candidate({ row, at, ids, editing, isPending, onApprove, onReject, onRestore, onStep, snoozeOpen, onSnoozeOpen }: ReviewDetailProps & { row: MemoryRow; at: number }) {
  const next = stepFrom(ids, row.id, 1);
  const { data: detail, error } = useMemoryDetail(row.id, next);
  const isEditing = useStore(editing, (id) => id === row.id);
  const near = isPending ? nearOf(detail) : null;
  const stopEditing = () => {
    editing.set(null);
    focusList(TESTIDS.reviewList);
  };
  const merge = () => {
    if (!near) return false;
    void decide({ action: 'merge', id: row.id, into: near.id }, [row], t.review.merged);
    return true;
  };
  const save = (content: string, category: string) => {
    stopEditing();
    if (content === row.content && category === row.category) onApprove([row.id]);
    else void decide({ action: 'edit', id: row.id, content, category: category === row.category ? null : category }, [row], t.review.edited);
  };
  useActions('review', { 'review.merge': merge, 'review.source': () => openSource(detail, row) });

  return (
    <>
      <PaneHeader level={2} title={<span className="num">{t.review.position(at + 1, ids.length)}</span>}>
        <IconButton label={t.app.previous} action="review.previous" onClick={() => onStep(-1)} disabled={at <= 0}>
          <ChevronUp size={16} />
        </IconButton>
        <IconButton label={t.app.next} action="review.next" onClick={() => onStep(1)} disabled={at >= ids.length - 1}>
          <ChevronDown size={16} />
        </IconButton>
      </PaneHeader>
      <PaneBody label={t.review.detail} key={row.id}>
        <MemoryBody
          row={row}
          detail={detail}
          statementTestId={TESTIDS.reviewStatement}
          sourceAction="review.source"
          editor={isEditing ? <MemoryEditor row={row} saveLabel={t.review.saveApprove} onSave={save} onCancel={stopEditing} /> : undefined}
          note={
            <>
              {row.status === 'quarantined' ? (
                <div className={css.warning}>
                  <ShieldAlert size={16} aria-hidden="true" />
                  <p>
                    <strong>{t.review.quarantineTitle}.</strong> {t.review.quarantineText} {detail?.quarantine_reason}
                  </p>
                </div>
              ) : null}
              {error && !detail ? <p className={css.failed}>{t.memory.detailFailed}</p> : null}
            </>
          }
        />
      </PaneBody>
      <PaneFoot label={t.review.detail}>
        {isPending ? (
          <>
            <Button tone="primary" icon={<Check size={16} aria-hidden="true" />} action="review.approve" testId={TESTIDS.approve} onClick={() => onApprove([row.id])}>
              {t.review.approve}
            </Button>
            <Button icon={<X size={16} aria-hidden="true" />} action="review.reject" testId={TESTIDS.reject} onClick={() => onReject([row.id])}>
              {t.review.reject}
            </Button>
            <span className={css.space} />
            <Button tone="quiet" icon={<Pencil size={15} aria-hidden="true" />} action="review.edit" testId={TESTIDS.edit} disabled={isEditing} onClick={() => editing.set(row.id)}>
              {t.review.edit}
            </Button>
            <Button tone="quiet" icon={<GitMerge size={15} aria-hidden="true" />} action="review.merge" testId={TESTIDS.merge} disabled={!near} title={near ? undefined : t.review.mergeHint} onClick={merge}>
              {t.review.merge}
            </Button>
            <Snooze row={row} open={snoozeOpen} onOpen={onSnoozeOpen} />
          </>
        ) : (
          <>
            <Button icon={<Undo2 size={16} aria-hidden="true" />} action="review.restore" testId={TESTIDS.restore} onClick={() => onRestore([row.id])}>
              {t.review.restore}
            </Button>
            <Button icon={<X size={16} aria-hidden="true" />} action="review.reject" testId={TESTIDS.reject} onClick={() => onReject([row.id])}>
              {t.review.reject}
            </Button>
          </>
        )}
      </PaneFoot>
    </>
  );
}

function Snooze({ row, open, onOpen }: { row: MemoryRow; open: boolean; onOpen: (open: boolean) => void }) {
  const now = useNow();
  const times = snoozeTimes(now);
  const choice = (id: string, label: string, until: number) => ({
    id,
    label,
    hint: fullTime(until),
    testId: `snooze-${id}`,
    run: () => {
      void decide({ action: 'snooze', ids: [row.id], until }, [row], t.review.snoozed(1, fullTime(until)));
      focusList(TESTIDS.reviewList);
    },
  });
  return (
    <Menu
      open={open}
      onOpenChange={onOpen}
      side="top"
      align="end"
      trigger={
        <Button tone="quiet" icon={<Clock size={15} aria-hidden="true" />} action="review.snooze" testId={TESTIDS.snooze}>
          {t.review.snooze}
        </Button>
      }
      entries={[
        ...(times.later === null ? [] : [choice('later', t.review.laterToday, times.later)]),
        choice('tomorrow', t.review.tomorrow, times.tomorrow),
        choice('next-week', t.review.nextWeek, times.nextWeek),
      ]}
    />
  );
}
