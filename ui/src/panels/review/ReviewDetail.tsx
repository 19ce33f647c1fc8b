/** The pending memory under the cursor, and all actions on it as buttons that show their keys. */
import { Check, Clock, GitMerge, Pencil, ShieldAlert, Undo2, X } from 'lucide-react';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MemoryRow, NearMemory } from '../../api';
import { Button, Dialog, EmptyState, Menu, PaneBody, PaneFoot, focusList, fullTime, shownStatement } from '../../design';
import { useActions } from '../../keys';
import { type ListState, type Store, beforeLeaving, decide, painted, stepFrom, useNow, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMemoryDetail } from '../shared/detail';
import { Nothing } from '../shared/ListPane';
import { MemoryBody, nearOf, openSource } from '../shared/MemoryBody';
import { MemoryEditor } from '../shared/MemoryEditor';
import { PositionHeader } from '../shared/PaneSteps';
import { drafts, dropDrafts, keepDraft } from './drafts';
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
  /** The ids that a key acts on. */
  meant: () => readonly string[];
  snoozeOpen: boolean;
  onSnoozeOpen: (open: boolean) => void;
}

export function ReviewDetail(props: ReviewDetailProps) {
  const { list, ids, queue, isEmpty } = props;
  const cursor = useStore(list, (state) => state.cursor);
  const row = rowIn(queue, cursor);
  if (!row) return isEmpty ? <Nothing /> : <EmptyState title="" />;
  return <Candidate {...props} row={row} at={ids.indexOf(row.id)} />;
}

/** The value as of the last frame, so that expensive parts are drawn after the response to a key. */
function usePainted<T>(value: T): T {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    let isLeft = false;
    void painted().then(() => isLeft || setShown(value));
    return () => {
      isLeft = true;
    };
  }, [value]);
  return shown;
}

function Candidate({ row, at, ids, list, queue, editing, isPending, onApprove, meant, snoozeOpen, onSnoozeOpen }: ReviewDetailProps & { row: MemoryRow; at: number }) {
  const next = stepFrom(ids, row.id, 1);
  const { data: detail, error } = useMemoryDetail(row.id, next);
  const heavyId = usePainted(row.id);
  const isEditing = useStore(drafts, (all) => all.has(row.id)) && isPending;
  const near = isPending ? nearOf(detail) : null;
  const target = near?.can_merge ? near : null;
  const [merging, setMerging] = useState<NearMemory | null>(null);
  const leave = () => list.update((state) => beforeLeaving(state, ids, [row.id]));
  const stopEditing = () => {
    editing.set(null);
    dropDrafts([row.id]);
    focusList(TESTIDS.reviewList);
  };
  const merge = () => {
    if (target) setMerging(target);
    return target !== null;
  };
  const confirmMerge = (into: NearMemory) => {
    setMerging(null);
    dropDrafts([row.id]);
    leave();
    void decide({ action: 'merge', id: row.id, into: into.id }, [row], t.review.merged);
    focusList(TESTIDS.reviewList);
  };
  const save = (content: string, category: string) => {
    keepDraft(row.id, { content, category });
    onApprove([row.id]);
    focusList(TESTIDS.reviewList);
  };
  // When the cursor leaves the memory, editing ends.
  useEffect(() => () => editing.update((id) => (id === row.id ? null : id)), [editing, row.id]);
  useActions('review', { 'review.merge': merge, 'review.source': () => openSource(detail, row) });
  const snooze = (until: number) => {
    const wanted = meant();
    const leaving = wanted.flatMap((id) => rowIn(queue, id) ?? []);
    dropDrafts(wanted);
    list.update((state) => beforeLeaving(state, ids, wanted));
    void decide({ action: 'snooze', ids: [...wanted], until }, leaving, t.review.snoozed(wanted.length, fullTime(until)));
    focusList(TESTIDS.reviewList);
  };
  const latest = useRef(snooze);
  useLayoutEffect(() => {
    latest.current = snooze;
  });
  const onSnooze = useCallback((until: number) => latest.current(until), []);

  return (
    <>
      <PositionHeader scope="review" at={at} of={ids.length} />
      <PaneBody label={t.review.detail} of={row.id}>
        <MemoryBody
          row={row}
          detail={heavyId === row.id ? detail : undefined}
          statementTestId={TESTIDS.reviewStatement}
          sourceAction="review.source"
          editor={isEditing ? <MemoryEditor key={row.id} row={row} saveLabel={t.review.saveApprove} onSave={save} onCancel={stopEditing} draft={drafts.get().get(row.id)} onDraft={(content, category) => keepDraft(row.id, { content, category })} takesFocus={editing.get() === row.id} /> : undefined}
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
      {merging ? <MergeDialog row={row} into={merging} onMerge={() => confirmMerge(merging)} onClose={() => setMerging(null)} /> : null}
      <Foot isPending={isPending} isEditing={isEditing} canMerge={target !== null} snoozeOpen={snoozeOpen} onSnoozeOpen={onSnoozeOpen} onSnooze={onSnooze} />
    </>
  );
}

/** Before a merge, shows the memory that is removed and the one that is kept. */
function MergeDialog({ row, into, onMerge, onClose }: { row: MemoryRow; into: NearMemory; onMerge: () => void; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.review.mergeTitle}
      testId={TESTIDS.mergeDialog}
      confirm={{ label: t.review.merge, run: onMerge, isFirst: true, testId: TESTIDS.mergeConfirm }}
    >
      <dl className={css.merge}>
        <dt>{t.review.mergeCandidate}</dt>
        <dd>{shownStatement(row.content)}</dd>
        <dt>{t.review.mergeInto}</dt>
        <dd>{shownStatement(into.content)}</dd>
      </dl>
      <p>{t.review.mergeText}</p>
    </Dialog>
  );
}

interface FootProps {
  isPending: boolean;
  isEditing: boolean;
  canMerge: boolean;
  snoozeOpen: boolean;
  onSnoozeOpen: (open: boolean) => void;
  onSnooze: (until: number) => void;
}

const Foot = memo(function Foot({ isPending, isEditing, canMerge, snoozeOpen, onSnoozeOpen, onSnooze }: FootProps) {
  return (
    <PaneFoot label={t.review.detail}>
      {isPending ? (
        <>
          <Button tone="primary" icon={<Check size={16} aria-hidden="true" />} action="review.approve" testId={TESTIDS.approve}>
            {t.review.approve}
          </Button>
          <Button icon={<X size={16} aria-hidden="true" />} action="review.reject" testId={TESTIDS.reject}>
            {t.review.reject}
          </Button>
          <span className={css.space} />
          <Button tone="quiet" icon={<Pencil size={15} aria-hidden="true" />} action="review.edit" testId={TESTIDS.edit} disabled={isEditing}>
            {t.review.edit}
          </Button>
          <Button tone="quiet" icon={<GitMerge size={15} aria-hidden="true" />} action="review.merge" testId={TESTIDS.merge} disabled={!canMerge} title={canMerge ? undefined : t.review.mergeHint}>
            {t.review.merge}
          </Button>
          <Snooze open={snoozeOpen} onOpen={onSnoozeOpen} onSnooze={onSnooze} />
        </>
      ) : (
        <>
          <Button icon={<Undo2 size={16} aria-hidden="true" />} action="review.restore" testId={TESTIDS.restore}>
            {t.review.restore}
          </Button>
          <Button icon={<X size={16} aria-hidden="true" />} action="review.reject" testId={TESTIDS.reject}>
            {t.review.reject}
          </Button>
        </>
      )}
    </PaneFoot>
  );
});

function Snooze({ open, onOpen, onSnooze }: { open: boolean; onOpen: (open: boolean) => void; onSnooze: (until: number) => void }) {
  const now = useNow();
  const times = snoozeTimes(now);
  const choice = (id: string, label: string, until: number) => ({
    id,
    label,
    hint: fullTime(until),
    testId: `snooze-${id}`,
    run: () => onSnooze(until),
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
