/** Putting a backup, or the folder of an export, in the place of what is here: the question with what would be replaced, and what came of it. */
import type { RestoreOutcome, RestorePreview } from '../../api';
import { Button, Dialog } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Restore.module.css';

/** What the backend calls this work, and making a backup or an export. */
export const TASK = 'backup';

/** What was changed from outside is taken only as a salvage, after a yes to the sentence that says so. */
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
      actions={
        <>
          <Button onClick={onClose}>{t.app.cancel}</Button>
          <Button tone="danger" testId={TESTIDS.backupConfirm} onClick={onConfirm}>
            {words.askConfirm}
          </Button>
        </>
      }
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

/** What came of it, a line each. */
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
