/**
 * A person's decisions about memories: shown immediately, sent in order, undone one by one.
 *
 * `decide` returns before the backend has answered. Undo goes back through the decisions of this session, then through those of
 * earlier sessions, which the backend knows. Not in this module: cursors; a list moves its own cursor when rows leave.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type AppStatus, type CreatedVersion, type Decision, type DecisionOutcome, type MemoryRow, call, rpcKey } from '../api';
import { type Change, addLayer, resetLayers } from '../api/layers';
import { type Entry, amend, append, log, nextTick, pendingDelta, remove, stampOf } from '../api/optimistic';
import { shownStatement } from '../design/statement';
import { nameOf, t } from '../strings';
import { TESTIDS } from '../testids';
import { openMemory } from './nav';
import { painted } from './time';
import { createStore, useStore } from './store';
import { hideToast, showError, showToast } from './toasts';

interface Operation {
  entry: Entry;
  readonly decision: Decision;
  readonly rows: readonly MemoryRow[];
  /** Resolves to the backend's answer, or null if it failed. */
  outcome: Promise<DecisionOutcome | null>;
}

/**
 * An undoable action that is not a decision about memories: an answer about two handles, the visibility of a channel. The window
 * stores how to undo it; the backend's own undo does not know it.
 */
export interface Act<Sent = unknown> {
  /** Text of the notice. */
  readonly text: string;
  /** Text of the notice after an undo, if it is not the normal one. */
  readonly undone?: string;
  readonly send: () => Promise<Sent>;
  /** Undoes what was sent; it is given the answer to it. */
  readonly undo: (sent: Sent) => Promise<unknown>;
  /** Its changes to rows: applied and considered immediately, removed if it is refused, restored by an undo. */
  readonly changes?: readonly Change[];
  /** Rows that an undo restores. */
  readonly ids?: readonly string[];
}

interface Performed {
  readonly act: Omit<Act, 'send' | 'undo'> & { readonly undo: () => Promise<unknown> };
  /** Whether it was done. */
  outcome: Promise<boolean>;
}

/** The decisions of this session that can be undone, newest last. */
const done: (Operation | Performed)[] = [];
/** Requests are sent one after another, so that the backend sees them in the person's order. */
let tail: Promise<unknown> = Promise.resolve();

/** Ids that an undo restored: a list that shows one puts its cursor on it. */
export const restored = createStore<{ readonly ids: readonly string[] }>({ ids: [] });
/** Versions created by edits: a list whose cursor is on `from` follows to `id`. */
export const created = createStore<readonly CreatedVersion[]>([]);

function inOrder<T>(send: () => Promise<T>): Promise<T> {
  const next = tail.then(send, send);
  tail = next.catch(() => undefined);
  return next;
}

export const idsOf = (decision: Decision): readonly string[] => ('ids' in decision ? decision.ids : [decision.id]);

/** Memories that return to Review when restored: previously quarantined or expired ones. */
const isCandidate = (row: MemoryRow) => row.status === 'quarantined' || row.status === 'pending';

function patchFor(decision: Decision): Entry['patch'] {
  switch (decision.action) {
    case 'approve':
      return (row) => ({ ...row, status: 'active' });
    case 'reject':
      return (row) => ({ ...row, status: 'rejected' });
    case 'archive':
      return (row) => ({ ...row, status: 'archived' });
    case 'reconfirm':
      return (row) => row;
    case 'restore':
      return (row) => ({ ...row, status: isCandidate(row) ? 'pending' : 'active' });
    case 'edit':
      return (row) => ({ ...row, status: 'active', content: decision.content, category: decision.category ?? row.category, is_edited: true });
    case 'recategorize':
      return (row) => ({ ...row, category: decision.category });
    case 'merge':
    case 'snooze':
      return () => null;
  }
}

function deltaOf(decision: Decision, rows: readonly MemoryRow[]): number {
  const pending = rows.filter((row) => row.status === 'pending').length;
  if (decision.action === 'recategorize' || decision.action === 'reconfirm') return 0;
  if (decision.action === 'restore') return rows.filter(isCandidate).length;
  return -pending;
}

function send(operation: Operation): Promise<DecisionOutcome | null> {
  return inOrder(async () => {
    await painted();
    try {
      const outcome = await call('memory_decide', operation.decision);
      const left = new Set(outcome.needs_look.map((each) => each.id));
      operation.entry = amend(operation.entry, {
        settled: nextTick(),
        ids: left.size > 0 ? new Set([...operation.entry.ids].filter((id) => !left.has(id))) : operation.entry.ids,
        pendingDelta: left.size > 0 ? deltaOf(operation.decision, operation.rows.filter((row) => !left.has(row.id))) : operation.entry.pendingDelta,
      });
      if (outcome.created.length > 0) created.set(outcome.created);
      const first = outcome.needs_look[0];
      if (first) {
        showToast({
          tone: 'warn',
          text: t.review.needsLook(outcome.needs_look.length, first.reason),
          actions: [{ label: t.review.show, run: () => openMemory(first.id) }],
        });
      }
      const aside = outcome.set_aside[0];
      if (aside !== undefined) {
        showToast({
          tone: 'plain',
          text: t.review.setAside(outcome.set_aside.length),
          actions: [{ label: t.review.show, run: () => openMemory(aside) }],
        });
      }
      const against = outcome.contradicts[0];
      if (against) {
        const words = operation.decision.action === 'reject' ? t.review.contradictsRejected : t.review.contradicts;
        showToast({
          tone: 'warn',
          replaces: 'contradiction',
          text: words(outcome.contradicts.length, shownStatement(against.content)),
          actions: [{ label: t.review.show, run: () => openMemory(against.other_id) }],
        });
      }
      return outcome;
    } catch (thrown) {
      remove(operation.entry);
      const at = done.indexOf(operation);
      if (at >= 0) done.splice(at, 1);
      showError(thrown);
      return null;
    }
  });
}

function start(decision: Decision, rows: readonly MemoryRow[]): Operation {
  const entry = append({
    ids: new Set(idsOf(decision)),
    rows,
    patch: patchFor(decision),
    pendingDelta: deltaOf(decision, rows),
    settled: null,
    undone: false,
    undoSettled: null,
  });
  const operation: Operation = { entry, decision, rows, outcome: Promise.resolve(null) };
  done.push(operation);
  operation.outcome = send(operation);
  return operation;
}

/** Makes a decision. `rows` are the affected rows as shown; `text` is the notice. */
export function decide(decision: Decision, rows: readonly MemoryRow[], text: string): Promise<DecisionOutcome | null> {
  const operation = start(decision, rows);
  const reasons = decision.action === 'reject' && decision.reason === null ? Object.entries(t.review.reasons) : [];
  const toast = showToast({
    text,
    replaces: 'decision',
    actions: [{ label: t.app.undo, action: 'app.undo', run: () => undoOne(operation), testId: TESTIDS.undo }],
    chipsLabel: reasons.length > 0 ? t.review.reasonLabel : null,
    chips: reasons.map(([reason, label]) => ({ label, run: () => giveReason(operation, reason) })),
  });
  void operation.outcome.then((outcome) => {
    if (!outcome || outcome.applied.length === 0) hideToast(toast);
  });
  return operation.outcome;
}

/** Dismisses again, with a reason. The rows stay hidden meanwhile. */
function giveReason(operation: Operation, reason: string): void {
  const { decision, rows } = operation;
  const at = done.indexOf(operation);
  if (decision.action !== 'reject' || at < 0) return;
  done.splice(at, 1);
  undoDecision(operation);
  start({ ...decision, reason }, rows);
  showToast({ text: t.review.reasonNoted(nameOf(t.review.reasons, reason)), replaces: 'decision' });
}

/** Performs an action, with one undo in the same series as decisions about memories. Resolves to whether it was done. */
export function perform<Sent>(act: Act<Sent>): Promise<boolean> {
  let sent: Sent;
  const step: Performed = { act: { ...act, undo: () => act.undo(sent) }, outcome: Promise.resolve(false) };
  const layer = addLayer(act.changes ?? []);
  done.push(step);
  step.outcome = inOrder(async () => {
    await painted();
    try {
      sent = await act.send();
      layer.settle();
      return true;
    } catch (thrown) {
      const at = done.indexOf(step);
      if (at >= 0) done.splice(at, 1);
      hideToast(toast);
      layer.remove();
      showError(thrown);
      return false;
    }
  });
  const toast = showToast({ text: act.text, replaces: 'decision', actions: [{ label: t.app.undo, action: 'app.undo', run: () => undoOne(step), testId: TESTIDS.undo }] });
  return step.outcome;
}

/** Records an action that is already done, with its notice and one undo in the same series. */
export function noteDone(act: Pick<Performed['act'], 'text' | 'undone' | 'undo'>): void {
  const step: Performed = { act, outcome: Promise.resolve(true) };
  done.push(step);
  showToast({ text: act.text, replaces: 'decision', actions: [{ label: t.app.undo, action: 'app.undo', run: () => undoOne(step), testId: TESTIDS.undo }] });
}

/** Records an action that cannot be undone: the next undo says so, instead of undoing something older. */
export function noteFinal(undone: string): void {
  done.push({ act: { text: undone, undone, undo: async () => undefined }, outcome: Promise.resolve(true) });
}

function undoAct({ act, outcome }: Performed): void {
  const layer = addLayer(act.changes ?? [], true);
  restored.set({ ids: act.ids ?? [] });
  void inOrder(async () => {
    if (!(await outcome)) {
      layer.remove();
      return;
    }
    try {
      await act.undo();
      layer.settle();
      showToast({ text: act.undone ?? t.app.undone(act.text), replaces: 'decision' });
    } catch (thrown) {
      layer.remove();
      showError(thrown);
    }
  });
}

function undoDecision(operation: Operation): Promise<string | null> {
  operation.entry = amend(operation.entry, { undone: true });
  return inOrder(async () => {
    const outcome = await operation.outcome;
    if (!outcome?.operation_id) {
      // Nothing was done, so nothing is restored.
      operation.entry = amend(operation.entry, { undoSettled: nextTick() });
      return null;
    }
    try {
      const { summary } = await call('undo', { operation_id: outcome.operation_id });
      operation.entry = amend(operation.entry, { undoSettled: nextTick() });
      return summary;
    } catch (thrown) {
      // The decision is still in effect, so it is shown again.
      operation.entry = amend(operation.entry, { undone: false });
      showError(thrown);
      return null;
    }
  });
}

function undoOne(operation: Operation | Performed): void {
  const at = done.indexOf(operation);
  if (at < 0) return;
  done.splice(at, 1);
  if ('act' in operation) {
    undoAct(operation);
    return;
  }
  const back = undoDecision(operation);
  restored.set({ ids: idsOf(operation.decision) });
  void back.then((summary) => summary && showToast({ text: summary, replaces: 'decision' }));
}

/** Undoes the newest decision; can be repeated back through earlier sessions. */
export function undo(): void {
  const operation = done[done.length - 1];
  if (operation) {
    undoOne(operation);
    return;
  }
  void inOrder(async () => {
    try {
      const outcome = await call('undo', {});
      nextTick();
      restored.set({ ids: outcome.restored });
      showToast({ text: outcome.operation_id ? outcome.summary : t.app.nothingToUndo, replaces: 'decision' });
    } catch (thrown) {
      showError(thrown);
    }
  });
}

/** Resolves when all decisions have been answered. For tests, and before the window closes. */
export async function settled(): Promise<void> {
  await tail;
}

/** Forgets the decisions of the session; tests start from here. */
export function resetDecisions(): void {
  done.length = 0;
  log.set([]);
  resetLayers();
}

/** The difference between the sidebar's number of pending memories and the last answer. */
export function usePendingDelta(): number {
  const client = useQueryClient();
  return useStore(log, (entries) => {
    const status = statusIn(client);
    return status ? pendingDelta(entries, stampOf(status)) : 0;
  });
}

const statusIn = (client: QueryClient) => client.getQueryData<AppStatus>(rpcKey('app_status', {}));

/** Remembers words that the person selected, with an undo in the series of decisions. */
export function rememberWords(message: string, start: number, end: number): void {
  void perform({
    text: t.memory.remembered,
    undone: t.memory.forgotten,
    send: () => call('memory_remember', { interaction_id: message, start, end, category: null }),
    // Without an operation, the memory existed before and stays.
    undo: async ({ operation_id }) => operation_id !== null && call('undo', { operation_id }),
  });
}
