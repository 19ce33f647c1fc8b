/** Restores everything in a Keepsake export. Asks first if there is data already. */
import { useState } from 'react';
import { type FileToken, type RestorePreview, call } from '../../api';
import { RpcError } from '../../platform';
import { createStore, showError } from '../../state';
import { t } from '../../strings';
import { saidRestored } from '../shared/Restore';
import { leaveOut } from './files';

/** The result of the latest restore, kept when the person leaves the panel. */
export const restoredLines = createStore<readonly string[]>([]);

export function useRestore() {
  const [work, setWork] = useState<'check' | 'restore' | null>(null);
  const [asked, setAsked] = useState<{ readonly file: FileToken; readonly preview: RestorePreview } | null>(null);
  const run = async (kind: 'check' | 'restore', doing: () => Promise<void>) => {
    setWork(kind);
    restoredLines.set([]);
    try {
      await doing();
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.code === 'cancelled') restoredLines.set([t.backup.cancelled]);
      else showError(thrown);
    } finally {
      setWork(null);
    }
  };
  return {
    work,
    asked,
    forget: () => setAsked(null),
    /** Checks the export and asks. */
    ask: (file: FileToken) => run('check', async () => setAsked({ file, preview: await call('restore_preview', { token: file.token }) })),
    /** Restores the export. `salvage` allows this even if the question said that its integrity is in doubt. */
    bring: (file: FileToken, salvage = false) => {
      setAsked(null);
      return run('restore', async () => {
        const outcome = await call('restore', { token: file.token, ...(salvage ? { salvage } : {}) });
        leaveOut([file.token]);
        restoredLines.set(saidRestored(outcome));
      });
    },
  };
}
