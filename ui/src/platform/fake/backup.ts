/** The fake host's backups: made, listed, inspected and restored, without files. */
import type { BackupContents, BackupView } from '../../api/schema';
import type { World } from './data';
import type { Handlers, Host } from './index';

const DAY = 24 * 3_600_000;

/** `startCycle` starts a maintenance run of the fake host. */
export function backupCommands(world: World, host: Host, firstRun: boolean, startCycle: () => string): Handlers {
  const now = host.now();
  let items: BackupView[] = firstRun ? [] : [backup(now - 0.4 * DAY, 'daily', 18_612_224), backup(now - 1.4 * DAY, 'before-bulk', 18_350_080), backup(now - 9 * DAY, 'daily', 16_900_096)];
  function backup(made_at: number, reason: string, bytes: number): BackupView {
    return { id: `keepsake-${new Date(made_at).toISOString().slice(0, 19).replaceAll(':', '-')}Z-${reason}.db`, made_at, reason, bytes };
  }
  const here = () => ({
    messages: [...world.messages.values()].reduce((sum, each) => sum + each.length, 0),
    conversations: world.conversations.length,
    memories: world.memories.size,
  });
  const contents = (): BackupContents => ({ ...here(), rows: 420, schema: 12, head: '5f1b45bdf4dcec87', doubt: null });
  const file = (name: string) => ({ files: [{ token: `file:${name}`, name, size: 18_612_224 }] });
  return {
    pick_backup_target: () => file('Keepsake backup.db'),
    pick_backup: () => file('Keepsake backup.db'),
    pick_export_folder: () => file('Documents'),
    backups_list: () => ({ items, folder: '/home/robin/.local/share/keepsake/backups' }),
    backup_make: ({ token }) => {
      const made = backup(host.now(), 'asked', 18_612_224);
      if (!token) items = [made, ...items];
      return { name: token ? 'Keepsake backup.db' : made.id, bytes: made.bytes, contents: contents() };
    },
    restore_preview: ({ id }) => ({ name: id ?? 'Keepsake backup.db', backup: { ...contents(), messages: 30 }, ...here() }),
    restore: () => {
      const before = backup(host.now(), 'before-restore', 18_612_224);
      items = [before, ...items];
      host.changed('memories', 'conversations', 'messages', 'settings', 'status', 'jobs');
      return { ...here(), messages: 30, before: before.id, is_same_store: true, erased_again: 3, kept_out: 0, refused_again: 1, reopened: 2, debunked_again: 0, unlinked_again: 0, kept_private: 0, doubt: null };
    },
    export_make: () => ({ name: 'Keepsake 2026-11-20', ...here(), notes: 24, doubt: null }),
    rebuild_begin: () => {
      const before = backup(host.now(), 'before-bulk', 18_612_224);
      items = [before, ...items];
      const run_id = startCycle();
      host.changed('memories', 'people', 'topics', 'playbooks', 'sessions', 'jobs');
      return { backup: before.id, candidates: 14, run_id };
    },
    task_cancel: () => ({}),
  };
}
