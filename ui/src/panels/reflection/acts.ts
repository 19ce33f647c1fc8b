/** Decisions about cleanup proposals: stored by the backend immediately, with one undo. No memory changes before a run. */
import { type ReflectionListRow, call } from '../../api';
import { perform, showToast } from '../../state';
import { t } from '../../strings';

export type Status = 'open' | 'accepted' | 'refused' | 'parked';

const DONE: Readonly<Record<Status, (count: number) => string>> = {
  open: () => t.reflection.restoredDone,
  accepted: t.reflection.acceptedDone,
  refused: () => t.reflection.refusedDone,
  parked: () => t.reflection.parkedDone,
};

/** The transitions that the lifecycle allows. Only an undo changes an applied proposal. */
export function mayBecome(row: ReflectionListRow, to: Status): boolean {
  if (row.status === to || row.status === 'applied') return false;
  return row.status !== 'refused' || to !== 'parked';
}

/** Whether it is waiting for an answer or to be applied. */
export const isWaiting = (row: ReflectionListRow): boolean => row.status === 'open' || row.status === 'accepted';

/** Decides about several proposals at once. An undo returns each to its previous status. */
export function decide(rows: readonly ReflectionListRow[], to: Status): Promise<boolean> {
  const chosen = rows.filter((row) => mayBecome(row, to));
  const ids = chosen.map((row) => row.id);
  const before = new Map<string, string[]>();
  for (const row of chosen) before.set(row.status, [...(before.get(row.status) ?? []), row.id]);
  return perform({
    text: DONE[to](ids.length),
    ids,
    changes: chosen.map(({ id, status, is_parked_by_age }) => ({ id, to: { status: to, is_parked_by_age: false }, from: { status, is_parked_by_age } })),
    send: () => call('reflections_decide', { ids, status: to }),
    undo: async () => {
      for (const [status, of] of before) {
        // A dismissed proposal must be opened again before it can be set aside.
        if (to === 'refused' && status === 'parked') await call('reflections_decide', { ids: of, status: 'open' });
        await call('reflections_decide', { ids: of, status });
      }
    },
  });
}

/** Applies all accepted proposals as one run with one undo. */
export function apply(rows: readonly ReflectionListRow[]): Promise<boolean> {
  return perform({
    text: t.reflection.applying(rows.length),
    undone: t.reflection.runUndone,
    ids: rows.map((row) => row.id),
    changes: rows.map(({ id, status }) => ({ id, to: { status: 'applied' }, from: { status } })),
    send: async () => {
      const run = await call('reflections_apply', { ids: rows.map((row) => row.id) });
      const first = run.needs_look[0];
      if (first) showToast({ tone: 'warn', text: t.reflection.needsLook(run.needs_look.length, first.reason) });
      return run;
    },
    undo: async ({ operation_id }) => operation_id !== null && call('undo', { operation_id }),
  });
}
