/**
 * Erasing for good: counts first, one plain question, and the receipt.
 *
 * Nothing has the focus that erases, so no key does it by accident. While somebody still reads the data file the receipt says so
 * and follows the job until no file holds anything of it.
 */
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Clock } from 'lucide-react';
import { useState } from 'react';
import { type EraseOutcome, type ErasePreview, type JobView, type JobsResponse, call, useRpc } from '../../api';
import { Button, Dialog, ErrorState, fullTime } from '../../design';
import { noteFinal } from '../../state/decisions';
import { go } from '../../state/nav';
import { useStore } from '../../state/store';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './EraseDialog.module.css';
import { type EraseTarget, erasing } from './erase';

const PREVIEW = { conversation: 'conversation_erase_preview', person: 'person_erase_preview' } as const;
const ERASE = { conversation: 'conversation_erase', person: 'person_erase' } as const;

/** Mounted by each panel that can erase. */
export function EraseDialog() {
  const target = useStore(erasing, (now) => now);
  return target === null ? null : <Asked key={target.id} target={target} onClose={() => erasing.set(null)} />;
}

function Asked({ target, onClose }: { target: EraseTarget; onClose: () => void }) {
  const [outcome, setOutcome] = useState<EraseOutcome | null>(null);
  return outcome === null ? <Question target={target} onClose={onClose} onErased={setOutcome} /> : <Receipt outcome={outcome} onClose={onClose} />;
}

/** What would go, in words; only what there is, and that no memory does. */
export function foreseen(preview: ErasePreview): string[] {
  const words = t.erase;
  return [
    words.messages(preview.messages),
    preview.conversations > 0 ? words.conversations(preview.conversations) : '',
    preview.shortened > 0 ? words.shortened(preview.shortened) : '',
    preview.memories > 0 ? words.memories(preview.memories) : words.noMemories,
  ].filter(Boolean);
}

function Question({ target, onClose, onErased }: { target: EraseTarget; onClose: () => void; onErased: (outcome: EraseOutcome) => void }) {
  const { data: preview, error } = useRpc(PREVIEW[target.kind], { id: target.id });
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const words = t.erase;
  const isPerson = target.kind === 'person';
  const erase = () => {
    setBusy(true);
    setProblem(null);
    call(ERASE[target.kind], { id: target.id }).then(
      (outcome) => {
        noteFinal(words.stays);
        // Answers that are kept for coming back hold what is gone.
        client.removeQueries({ type: 'inactive' });
        onErased(outcome);
      },
      (thrown: unknown) => {
        setBusy(false);
        setProblem(thrown instanceof Error ? thrown.message : String(thrown));
      },
    );
  };
  return (
    <Dialog
      open
      onClose={isBusy ? () => undefined : onClose}
      title={isPerson ? words.titlePerson(target.name) : words.titleConversation(target.name)}
      size="s"
      testId={TESTIDS.eraseDialog}
      actions={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            {t.app.cancel}
          </Button>
          <Button tone="danger" disabled={isBusy || !preview} testId={TESTIDS.eraseConfirm} onClick={erase}>
            {isBusy ? words.erasing : words.confirm}
          </Button>
        </>
      }
    >
      {error && !preview ? (
        <ErrorState title={words.countFailed} text={words.countFailedText} detail={error.message} />
      ) : (
        <>
          <p>{isPerson ? words.textPerson : words.textConversation}</p>
          {preview ? (
            <>
              <h3 className={css.heading}>{words.goes}</h3>
              <ul className={css.counts} data-testid={TESTIDS.eraseCounts}>
                {foreseen(preview).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </>
          ) : (
            <p className={css.waiting} role="status" aria-busy="true">
              {words.counting}
            </p>
          )}
          <p className={css.forGood}>{words.forGood}</p>
          {problem ? (
            <p className={css.failed} role="alert">
              {words.failed} {problem}
            </p>
          ) : null}
        </>
      )}
    </Dialog>
  );
}

/** When the job found that no file holds anything of it. */
function verifiedAt(job: JobView | undefined): number | null {
  if (job?.state !== 'done' || !job.result) return null;
  try {
    const at = (JSON.parse(job.result) as { verified_at_ms?: unknown }).verified_at_ms;
    return typeof at === 'number' ? at : null;
  } catch {
    return null;
  }
}

function Receipt({ outcome, onClose }: { outcome: EraseOutcome; onClose: () => void }) {
  const { data: job } = useRpc('jobs_list', {}, { select: (response: JobsResponse) => response.items.find((each) => each.id === outcome.job_id) });
  const words = t.erase;
  const verified = verifiedAt(job);
  const isDone = !outcome.is_pending || job?.state === 'done';
  const parts = [
    words.messages(outcome.messages),
    outcome.conversations > 0 ? words.countConversations(outcome.conversations) : '',
    outcome.memories > 0 ? words.countMemories(outcome.memories) : '',
  ].filter(Boolean);
  const activity = () => {
    onClose();
    go('activity');
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={isDone ? words.receiptTitle : words.pendingTitle}
      size="s"
      testId={TESTIDS.eraseReceipt}
      actions={
        <>
          {isDone ? null : <Button onClick={activity}>{words.activity}</Button>}
          <Button tone="primary" onClick={onClose}>
            {t.app.close}
          </Button>
        </>
      }
    >
      <div role="status">
        <p>{words.receipt(parts)}</p>
        <p className={`${css.after} ${isDone ? css.done : css.waits}`}>
          {isDone ? <CircleCheck size={15} aria-hidden="true" /> : <Clock size={15} aria-hidden="true" />}
          <span>{isDone ? (verified === null ? words.done : words.doneAt(fullTime(verified))) : words.pending}</span>
        </p>
        {!isDone && job?.state === 'dead' ? (
          <p className={css.failed}>
            {words.pendingFailed} {job.error}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
