/** Decisions about playbooks: stored by the backend, each with one undo. */
import { type PlaybookListRow, call } from '../../api';
import { perform } from '../../state';
import { t } from '../../strings';

export type Status = 'candidate' | 'approved' | 'rejected' | 'parked';

const DONE: Readonly<Record<Status, (title: string) => string>> = {
  candidate: t.playbooks.restoredDone,
  approved: t.playbooks.approvedDone,
  rejected: t.playbooks.rejectedDone,
  parked: t.playbooks.parkedDone,
};

/** The transitions that the lifecycle allows. A rejected playbook must be restored before it can be approved. */
export function mayBecome(playbook: PlaybookListRow, status: Status): boolean {
  if (playbook.status === status) return false;
  return playbook.status !== 'rejected' || status === 'candidate';
}

export function decide(playbook: PlaybookListRow, status: Status): Promise<boolean> {
  return perform({
    text: DONE[status](playbook.title),
    ids: [playbook.id],
    changes: [{ id: playbook.id, to: { status, is_parked_by_age: false }, from: { status: playbook.status, is_parked_by_age: playbook.is_parked_by_age } }],
    send: () => call('playbook_decide', { id: playbook.id, status, version: playbook.version }),
    undo: ({ decision_id }) => call('playbook_undo', { id: decision_id }),
  });
}
