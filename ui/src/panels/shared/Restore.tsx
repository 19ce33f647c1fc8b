/** Restores a backup or an export folder: asks with a list of what would be replaced, and shows the result. */
import type { RestoreOutcome, RestorePreview } from '../../api';
import { Dialog } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Restore.module.css';

/** The backend's name of this task; backups and exports use the same one. */
export const TASK = 'backup';

/** A backup that was modified outside Keepsake is restored only with `salvage`, after the person has confirmed it. */
export const needsSalvage = ({ backup, locks }: RestorePreview): boolean => backup.doubt !== null || locks !== undefined;

export function AskRestore({ preview, onClose, onConfirm }: { preview: RestorePreview; onClose: () => void; onConfirm: () => void }) {
  const words = t.backup;
  const { backup } = preview;
  return (
    <Dialog
      open
      size="s"
      title={words.askTitle}
      testId={TESTIDS.backupAsk}
      onClose={onClose}
      confirm={{ label: words.askConfirm, run: onConfirm, tone: 'danger', testId: TESTIDS.backupConfirm }}
    >
      <div className={css.ask}>
        {needsSalvage(preview) ? null : <p>{words.askFile(preview.name)}</p>}
        {backup.doubt === null ? null : <p>{words.askDoubtful(preview.name, backup.doubt)}</p>}
        {preview.locks === undefined ? null : (
          <p>
            {backup.doubt === null ? `${words.askSeen(preview.name)} ` : ''}
            {words.askLocks(preview.locks)}
          </p>
        )}
        <dl>
          <dt>{words.askHolds}</dt>
          <dd>{words.counts(backup.messages, backup.conversations, backup.memories)}</dd>
          <dt>{words.askHere}</dt>
          <dd>{words.counts(preview.messages, preview.conversations, preview.memories)}</dd>
        </dl>
        <p>{words.askKept}</p>
        <p>{words.askSince}</p>
      </div>
    </Dialog>
  );
}

/** The result, one line per fact. */
export function saidRestored(done: RestoreOutcome): string[] {
  const words = t.backup;
  const lines = [words.restored(done.messages, done.conversations, done.memories)];
  if (done.doubt !== null) lines.push(words.doubtful(done.doubt));
  if (done.before) lines.push(words.before(done.before));
  for (const [name, say] of Object.entries(words.since)) {
    const count = done[name as keyof typeof words.since];
    if (count > 0) lines.push(say(count));
  }
  if (!done.is_same_store) lines.push(words.otherStore);
  return lines;
}
