/**
 * Erases for good: shows counts, asks one plain question, and shows the receipt.
 *
 * No button that erases has the initial focus, so that no key press erases by accident. While another process is still reading
 * the data file, the receipt says so and tracks the job until no file contains erased data.
 */
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Clock } from 'lucide-react';
import { useState } from 'react';
import { type ErasePreview, type JobView, type JobsResponse, type MemoriesErasePreview, call, useRpc } from '../../api';
import { Button, Dialog, ErrorState, fullTime } from '../../design';
import { go, hideToasts, noteFinal, useAttempt, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './EraseDialog.module.css';
import { type EraseTarget, erasing } from './erase';

const PREVIEW = { conversation: 'conversation_erase_preview', person: 'person_erase_preview', import: 'import_undo_preview' } as const;
const ERASE = { conversation: 'conversation_erase', person: 'person_erase', import: 'import_undo' } as const;

/** The receipt: what was erased, in words, and the job that checks the files. */
export interface Erased {
  readonly parts: readonly string[];
  readonly isPending: boolean;
  /** Null if the command does not name it; the receipt then leads to Activity. */
  readonly job: string | null;
}

/** Mounted by each panel that can erase. */
export function EraseDialog() {
  const target = useStore(erasing, (now) => now);
  if (target === null) return null;
  return <Asked key={target.kind === 'memories' ? target.ids.join(' ') : target.id} target={target} onClose={() => erasing.set(null)} />;
}

function Asked({ target, onClose }: { target: EraseTarget; onClose: () => void }) {
  const [erased, setErased] = useState<Erased | null>(null);
  if (erased !== null) return <Receipt erased={erased} onClose={onClose} />;
  const asked = { onClose, onErased: setErased };
  return target.kind === 'memories' ? <AskMemories target={target} {...asked} /> : <AskWhole target={target} {...asked} />;
}

/** The counts of data that would be erased, in words. Kinds with a count of 0 are left out, except memories. */
export function foreseen(preview: ErasePreview): string[] {
  const words = t.erase;
  return [
    t.app.messages(preview.messages),
    preview.conversations > 0 ? words.conversations(preview.conversations) : '',
    preview.shortened > 0 ? words.shortened(preview.shortened) : '',
    preview.memories > 0 ? words.memories(preview.memories) : words.noMemories,
  ].filter(Boolean);
}

/** The same for memories, in the order of the list of texts. */
export function goesWithMemories(preview: MemoriesErasePreview): string[] {
  const words = t.erase.ofMemory;
  return (Object.keys(words) as (keyof typeof words)[]).filter((part) => preview[part] > 0).map((part) => words[part](preview[part]));
}

interface AskProps {
  readonly onClose: () => void;
  readonly onErased: (erased: Erased) => void;
}

function AskWhole({ target, ...asked }: AskProps & { target: Exclude<EraseTarget, { kind: 'memories' }> }) {
  const { data: preview, error } = useRpc(PREVIEW[target.kind], { id: target.id });
  const words = t.erase;
  const send = async () => {
    const outcome = await call(ERASE[target.kind], { id: target.id });
    const parts = [
      t.app.messages(outcome.messages),
      outcome.conversations > 0 ? t.app.conversations(outcome.conversations) : '',
      outcome.memories > 0 ? words.countMemories(outcome.memories) : '',
    ].filter(Boolean);
    return { parts, isPending: outcome.is_pending, job: outcome.job_id };
  };
  return (
    <Question
      {...asked}
      title={words.title[target.kind](target.name)}
      text={words.text[target.kind]}
      forGood={target.kind === 'import' ? words.forGoodImport : words.forGood}
      confirm={target.kind === 'import' ? words.confirmImport : words.confirm}
      goes={preview ? foreseen(preview) : null}
      failure={error?.message ?? null}
      send={send}
    />
  );
}

function AskMemories({ target, ...asked }: AskProps & { target: Extract<EraseTarget, { kind: 'memories' }> }) {
  const ids = [...target.ids];
  const { data: preview, error } = useRpc('memories_erase_preview', { ids });
  const words = t.erase;
  const send = async () => {
    const outcome = await call('memories_erase', { ids });
    return { parts: [words.ofMemory.memories(outcome.gone.memories), outcome.gone.versions > 0 ? words.ofMemory.versions(outcome.gone.versions) : ''].filter(Boolean), isPending: outcome.is_pending, job: outcome.job_id };
  };
  return (
    <Question
      {...asked}
      title={words.titleMemories(ids.length)}
      quoted={target.statement}
      text={words.textMemories}
      forGood={words.forGoodMemories}
      confirm={words.confirm}
      goes={preview ? goesWithMemories(preview) : null}
      failure={error?.message ?? null}
      send={send}
    />
  );
}

interface QuestionProps extends AskProps {
  readonly title: string;
  readonly quoted?: string | null;
  readonly text: string;
  readonly forGood: string;
  readonly confirm: string;
  /** Null while it is being counted. */
  readonly goes: readonly string[] | null;
  readonly failure: string | null;
  readonly send: () => Promise<Erased>;
}

function Question({ title, quoted = null, text, forGood, confirm, goes, failure, send, onClose, onErased }: QuestionProps) {
  const client = useQueryClient();
  const { isBusy, problem, run } = useAttempt();
  const words = t.erase;
  const erase = () =>
    run(async () => {
      const erased = await send();
      noteFinal(words.stays);
      // The last notice might offer to restore data that is now erased.
      hideToasts('decision');
      // Answers cached for returning to a panel may contain erased data.
      client.removeQueries({ type: 'inactive' });
      onErased(erased);
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size="s"
      testId={TESTIDS.eraseDialog}
      isBusy={isBusy}
      confirm={{ label: isBusy ? words.erasing : confirm, run: erase, tone: 'danger', isDisabled: goes === null, testId: TESTIDS.eraseConfirm }}
    >
      {failure !== null && goes === null ? (
        <Goes goes={null} failure={failure} />
      ) : (
        <>
          {quoted === null ? null : <blockquote className={css.quoted}>{quoted}</blockquote>}
          <p>{text}</p>
          <Goes goes={goes} failure={null} />
          <p className={css.forGood}>{forGood}</p>
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

/** What would be erased, once it is counted. */
export function Goes({ goes, failure }: { goes: readonly string[] | null; failure: string | null }) {
  const words = t.erase;
  if (goes === null && failure !== null) return <ErrorState title={words.countFailed} text={words.countFailedText} detail={failure} />;
  if (goes === null) {
    return (
      <p className={css.waiting} role="status" aria-busy="true">
        {words.counting}
      </p>
    );
  }
  return (
    <>
      <h3 className={css.heading}>{words.goes}</h3>
      <ul className={css.counts} data-testid={TESTIDS.eraseCounts}>
        {goes.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

/** The time at which the job verified that no file contains erased data. */
function verifiedAt(job: JobView | undefined): number | null {
  if (job?.state !== 'done' || !job.result) return null;
  try {
    const at = (JSON.parse(job.result) as { verified_at_ms?: unknown }).verified_at_ms;
    return typeof at === 'number' ? at : null;
  } catch {
    return null;
  }
}

export function Receipt({ erased, onClose }: { erased: Erased; onClose: () => void }) {
  const { data: job } = useRpc('jobs_list', {}, { select: (response: JobsResponse) => response.items.find((each) => each.id === erased.job) });
  const words = t.erase;
  const verified = verifiedAt(job);
  const isDone = !erased.isPending || job?.state === 'done';
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
        <p>{words.receipt(erased.parts)}</p>
        <p className={`${css.after} ${isDone ? css.done : css.pending}`}>
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
