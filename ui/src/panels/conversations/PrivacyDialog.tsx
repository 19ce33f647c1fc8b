/**
 * Excludes a conversation from memory, or uses it again. Shows what this means, how much was derived from the conversation, and
 * what happens to the derived data.
 */
import { EyeOff, Lock, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type ConversationRow, type ExistingMemories, type PrivacyPreview, call, useRpc } from '../../api';
import { Button, Dialog, type DialogProps, ErrorState, LoadingRows, Switch } from '../../design';
import { noteDone, noteFinal, showError, showToast } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './PrivacyDialog.module.css';

/** The counts of derived data, in words. Kinds with a count of 0 are left out. */
function counted(preview: PrivacyPreview): string[] {
  const { countActive, countPending, countAnalyses, countGate } = t.conversations;
  return (
    [
      [preview.memories_active, countActive],
      [preview.memories_pending, countPending],
      [preview.analyses, countAnalyses],
      [preview.gate_entries, countGate],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, say]) => say(count));
}

async function endPrivate(id: string, usePrivateTime: boolean): Promise<void> {
  const outcome = await call('conversation_set_private', { id, private: false, existing: 'keep', use_private_time: usePrivateTime });
  showToast({ text: t.conversations.didNotPrivate(outcome.unhidden), replaces: 'decision' });
  noteFinal(t.conversations.privacyStays);
}

async function beginPrivate(id: string, existing: ExistingMemories): Promise<void> {
  const outcome = await call('conversation_set_private', { id, private: true, existing });
  const canGoBack = existing !== 'erase';
  const said = t.conversations.didPrivate(outcome.hidden, outcome.erased, outcome.jobs_cancelled);
  const text = outcome.is_erasure_pending ? `${said} ${t.sources.erasurePending}` : said;
  // Records this action, so that an undo reverts it and not an older action.
  if (canGoBack) noteDone({ text, undo: () => call('conversation_set_private', { id, private: false, existing: 'keep', use_private_time: false }) });
  else {
    showToast({ text, replaces: 'decision' });
    noteFinal(t.conversations.privacyStays);
  }
}

/**
 * With `offersPrivateTime`, the dialog only asks whether to use the messages that arrived while the conversation was excluded.
 */
export function PrivacyDialog({ row, offersPrivateTime = false, onClose }: { row: ConversationRow; offersPrivateTime?: boolean; onClose: () => void }) {
  const { data: preview, error } = useRpc('conversation_privacy_preview', { id: row.id });
  const [isBusy, setBusy] = useState(false);
  const [usesPrivateTime, setUsesPrivateTime] = useState(false);
  const settle = (done: Promise<void>) => {
    setBusy(true);
    done.then(onClose, (thrown: unknown) => {
      setBusy(false);
      showError(thrown);
    });
  };
  const apply = (existing: ExistingMemories) => settle(beginPrivate(row.id, existing));
  const parts = preview ? counted(preview) : [];
  const words = t.conversations;
  const title = offersPrivateTime ? words.privateTimeTitle : row.is_private ? words.notPrivateTitle : words.privateTitle;
  const isEnding = row.is_private || offersPrivateTime;

  let body: ReactNode;
  let confirm: DialogProps['confirm'];
  if (error) {
    body = <ErrorState title={words.countFailed} text={words.countFailedText} detail={error.message} />;
  } else if (!preview) {
    body = <LoadingRows rows={3} height={64} />;
  } else if (isEnding) {
    const count = preview.private_time_messages;
    body = (
      <>
        <p>{row.is_private ? words.notPrivateText : words.privateTimeText(count)}</p>
        {row.is_private && count > 0 ? (
          <div className={css.use}>
            <Switch label={words.alsoUsePrivateTime(count)} checked={usesPrivateTime} onChange={setUsesPrivateTime} testId={TESTIDS.privacyUseTime} />
            <span>
              {words.alsoUsePrivateTime(count)}
              <span className={css.hint}>{words.alsoUsePrivateTimeHint}</span>
            </span>
          </div>
        ) : null}
      </>
    );
    confirm = { label: offersPrivateTime ? words.privateTimeUse : words.notPrivateConfirm, run: () => settle(endPrivate(row.id, offersPrivateTime || usesPrivateTime)), testId: TESTIDS.privacyOff };
  } else if (parts.length === 0) {
    body = (
      <>
        <p>{words.privateText}</p>
        <p className={css.counted}>{words.privateNothing}</p>
      </>
    );
    confirm = { label: words.makePrivate, run: () => apply('keep'), testId: TESTIDS.privacyKeep };
  } else {
    body = (
      <>
        <p>{words.privateText}</p>
        <p className={css.counted}>{words.privateCounted(parts)}</p>
        <ul className={css.choices}>
          <Choice icon={<Lock size={16} aria-hidden="true" />} text={words.keepText}>
            <Button disabled={isBusy} testId={TESTIDS.privacyKeep} onClick={() => apply('keep')}>
              {words.keep}
            </Button>
          </Choice>
          <Choice icon={<EyeOff size={16} aria-hidden="true" />} text={words.hideText(preview.memories_active, preview.memories_pending)}>
            <Button disabled={isBusy} testId={TESTIDS.privacyHide} onClick={() => apply('hide')}>
              {words.hide}
            </Button>
          </Choice>
          <Choice icon={<Trash2 size={16} aria-hidden="true" />} text={words.eraseText(parts)}>
            <Button tone="danger" disabled={isBusy} testId={TESTIDS.privacyErase} onClick={() => apply('erase')}>
              {words.erase}
            </Button>
          </Choice>
        </ul>
      </>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size={parts.length > 0 && !isEnding ? 'm' : 's'}
      isBusy={isBusy}
      confirm={confirm}
      actions={
        confirm ? null : (
          <Button onClick={onClose} disabled={isBusy}>
            {t.app.cancel}
          </Button>
        )
      }
      testId={TESTIDS.privacyDialog}
    >
      {body}
    </Dialog>
  );
}

function Choice({ icon, text, children }: { icon: ReactNode; text: string; children: ReactNode }) {
  return (
    <li className={css.choice}>
      {icon}
      <span className={css.text}>{text}</span>
      {children}
    </li>
  );
}
