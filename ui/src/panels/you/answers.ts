/**
 * The person's answer about two contradicting statements: which one is true now. Shown immediately, with one undo.
 */
import { type DecisionOutcome, type MemoryRow, call } from '../../api';
import { append, amend, nextTick, remove } from '../../api/optimistic';
import { decide, perform } from '../../state';
import { t } from '../../strings';

/** `kept` is true now, `left` is not. One of the two may still be pending. */
export function keep(kept: MemoryRow, left: MemoryRow): void {
  if (left.status === 'pending') void decide({ action: 'reject', ids: [left.id], reason: null }, [left], t.you.keptRejected);
  else if (kept.status === 'pending') approveInstead(kept, left);
  else void decide({ action: 'archive', ids: [left.id] }, [left], t.you.keptTrashed);
}

const wasDone = (outcome: DecisionOutcome): string => {
  if (outcome.operation_id === null) throw new Error(outcome.needs_look[0]?.reason ?? outcome.summary);
  return outcome.operation_id;
};

/**
 * Approves one and archives the other: two decisions for the backend, but one action for the person with one undo. If approving
 * already supersedes the other, nothing more is needed.
 */
function approveInstead(kept: MemoryRow, left: MemoryRow): void {
  let entry = append({
    ids: new Set([kept.id, left.id]),
    rows: [kept, left],
    patch: (row) => ({ ...row, status: row.id === kept.id ? 'active' : 'archived' }),
    pendingDelta: -1,
    settled: null,
    undone: false,
    undoSettled: null,
  });
  const done: string[] = [];
  const undoDone = async () => {
    for (let id = done.pop(); id !== undefined; id = done.pop()) await call('undo', { operation_id: id });
  };
  void perform({
    text: t.you.keptApproved,
    ids: [left.id],
    send: async () => {
      try {
        const approved = await call('memory_decide', { action: 'approve', ids: [kept.id] });
        done.push(wasDone(approved));
        if (!approved.set_aside.includes(left.id)) done.push(wasDone(await call('memory_decide', { action: 'archive', ids: [left.id] })));
        entry = amend(entry, { settled: nextTick() });
      } catch (thrown) {
        // If the second decision fails, the first is undone, because half of the action would be worse than none.
        await undoDone().catch(() => undefined);
        remove(entry);
        throw thrown;
      }
    },
    undo: async () => {
      entry = amend(entry, { undone: true });
      try {
        await undoDone();
        entry = amend(entry, { undoSettled: nextTick() });
      } catch (thrown) {
        entry = amend(entry, { undone: false });
        throw thrown;
      }
    },
  });
}
