/**
 * Derives everything again. First shows what is deleted and what is kept, then the progress with a way to stop, and the result.
 *
 * Not in this module: starting it, which is a long task like a backup (`Backup`), and the maintenance run, which Activity shows.
 */
import { useState } from 'react';
import { type RebuildBegun, call, useRpc } from '../../api';
import { Button, Dialog, Progress } from '../../design';
import { createStore, showError, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import ask from './Rebuild.module.css';
import css from './Backup.module.css';

/** The latest rebuild that this window started, kept when the person leaves the panel. */
export const rebuildBegun = createStore<RebuildBegun | null>(null);

/** The rebuild started here, and its maintenance run. */
export function useRebuild() {
  const begun = useStore(rebuildBegun, (now) => now);
  const { data } = useRpc('maintenance_get', {}, { enabled: begun !== null });
  return { begun, run: data?.runs.find((run) => run.id === begun?.run_id), left: data?.jobs_left ?? 0 };
}

export function Rebuilding() {
  const { begun, run, left } = useRebuild();
  const [most, setMost] = useState(0);
  if (left > most) setMost(left);
  const words = t.backup;
  if (!begun || !run) return null;
  if (run.state === 'running') {
    return (
      <div className={css.work} data-testid={TESTIDS.rebuildWork}>
        <div className={css.making}>
          <Progress stage={words.rebuilding(left)} done={Math.max(0, most - left)} total={most} />
          <Button size="s" testId={TESTIDS.rebuildStop} onClick={() => void call('maintenance_cancel', {}).catch(showError)}>
            {words.rebuildStop}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className={css.result} role="status" data-testid={TESTIDS.rebuildResult}>
      <p>{run.state === 'cancelled' ? words.rebuildStopped : words.rebuilt}</p>
      <p>{words.before(begun.backup)}</p>
    </div>
  );
}

export function AskRebuild({ onClose, onConfirm }: { onClose: () => void; onConfirm: () => void }) {
  const words = t.backup;
  return (
    <Dialog
      open
      size="s"
      title={words.rebuildTitle}
      testId={TESTIDS.rebuildAsk}
      onClose={onClose}
      confirm={{ label: words.rebuildConfirm, run: onConfirm, testId: TESTIDS.rebuildConfirm }}
    >
      <div className={ask.ask}>
        <dl>
          <dt>{words.rebuildGoes}</dt>
          <dd>{words.rebuildGoesText}</dd>
          <dt>{words.rebuildStays}</dt>
          <dd>{words.rebuildStaysText}</dd>
        </dl>
        <p>{words.rebuildBefore}</p>
      </div>
    </Dialog>
  );
}
