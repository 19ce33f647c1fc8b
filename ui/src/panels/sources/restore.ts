/** All that an export of Keepsake holds, brought in: asked about where something is here already, then done as a restore is. */
import { useState } from 'react';
import { type FileToken, type RestorePreview, call } from '../../api';
import { RpcError } from '../../platform';
import { createStore } from '../../state/store';
import { showError } from '../../state/toasts';
import { t } from '../../strings';
import { saidRestored } from '../shared/Restore';
import { leaveOut } from './files';

/** What came of the last one: leaving the panel loses nothing. */
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
    /** Looks it through and asks. */
    ask: (file: FileToken) => run('check', async () => setAsked({ file, preview: await call('restore_preview', { token: file.token }) })),
    /** With `salvage`, also where the question said that it is in doubt. */
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
