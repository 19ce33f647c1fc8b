/** The desktop shell as host. The only file that may import `@tauri-apps/*`. */
import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { Event, PickedFiles } from '../api/schema';
import { type Platform, toRpcError } from './types';

async function rpc(cmd: string, payload: unknown): Promise<unknown> {
  try {
    return await invoke('rpc', { cmd, payload });
  } catch (thrown) {
    throw toRpcError(thrown);
  }
}

export function createTauriPlatform(): Platform {
  return {
    kind: 'tauri',
    fileAccess: 'pick_files',
    rpc,
    onEvent(listener) {
      const unlisten = listen<Event | Event[]>('keepsake', ({ payload }) => {
        for (const event of Array.isArray(payload) ? payload : [payload]) listener(event);
      });
      return () => void unlisten.then((stop) => stop());
    },
    pickFiles: async () => ((await rpc('pick_files', {})) as PickedFiles).files,
    takeFiles: async () => [],
    setTitle(title) {
      document.title = title;
    },
  };
}
