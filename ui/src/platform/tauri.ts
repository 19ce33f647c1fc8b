/** The desktop shell as host. The only file that may import `@tauri-apps/*`. */
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Event, PickedFiles, TasksFileChosen } from '../api/schema';
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
      // A separate channel: Tauri's own events would include the paths of dropped files, and are not granted.
      const channel = new Channel<Event>(listener);
      void invoke('listen', { channel });
      return () => {
        channel.onmessage = () => undefined;
      };
    },
    pickFiles: async () => ((await rpc('pick_files', {})) as PickedFiles).files,
    pickTasksFile: async () => ((await rpc('pick_tasks_file', {})) as TasksFileChosen).path,
    takeFiles: async () => [],
    setTitle(title) {
      document.title = title;
    },
  };
}
