/** The fake host's backups (without files), maintenance runs, expired proposals, and an audit with one finding of each kind. */
import type { AuditFindingView, BackupContents, BackupView, MaintenanceRunView, MaintenanceView, ParkedView } from '../../api/schema';
import type { Handlers, Host } from './index';
import { PARKED_UNTIL } from './memories';
import { DAY, type World, memoriesOf, messageCount } from './world';

const BYTES = 18_612_224;
const FAULTS = ['unsupported', 'echoed', 'contradiction', 'duplicate', 'stale'];

const counts = (of: Record<string, number>) => Object.entries(of).map(([name, count]) => ({ name, label: null, count }));

export function upkeepCommands(world: World, host: Host, firstRun: boolean): Handlers {
  const now = host.now();
  const unlessNew = <T>(items: T[]): T[] => (firstRun ? [] : items);

  const backup = (made_at: number, reason: string, bytes = BYTES): BackupView => ({ id: `keepsake-${new Date(made_at).toISOString().slice(0, 19).replaceAll(':', '-')}Z-${reason}.db`, made_at, reason, bytes });
  let backups = unlessNew([backup(now - 0.4 * DAY, 'daily'), backup(now - 1.4 * DAY, 'before-bulk', 18_350_080), backup(now - 9 * DAY, 'daily', 16_900_096)]);
  const makeBackup = (reason: string): BackupView => {
    const made = backup(host.now(), reason);
    backups = [made, ...backups];
    return made;
  };
  const here = () => ({ messages: messageCount(world), conversations: world.conversations.length, memories: world.memories.size });
  const contents = (): BackupContents => ({ ...here(), rows: 420, schema: 12, head: '5f1b45bdf4dcec87', doubt: null });
  const file = (name: string) => ({ files: [{ token: `file:${name}`, name, size: BYTES }] });

  let rules = { automatic: true, hour: 3, park_after_days: 60, notify: true };
  const ended = (id: string, started: number, of: Pick<MaintenanceRunView, 'new' | 'waiting' | 'parked'>): MaintenanceRunView => ({ id, state: 'finished', started, finished: started + 42_000, ...of });
  let runs = unlessNew([
    ended('run_2', now - 0.2 * DAY, { parked: 1, new: counts({ messages: 214, conversations: 9, candidates: 12, approved: 4, topics: 3, profile_entries: 2, sessions: 5, playbooks: 1 }), waiting: counts({ review: 14, parked: 1, quarantined: 1, topic_proposals: 1, playbooks: 1, reflections: 3, gaps: 0, alerts: 0, links: 2 }) }),
    ended('run_1', now - 1.2 * DAY, { parked: 0, new: counts({ messages: 0, candidates: 0 }), waiting: counts({ review: 6, links: 2 }) }),
  ]);
  let aside: ParkedView[] = unlessNew([
    { kind: 'link', id: 'lnk_parked', title: 'Ana Pires and ana.p', at: now - 2 * DAY },
    { kind: 'reflection', id: 'ref_parked', title: 'User wants to read one book a week in 2025', at: now - 3 * DAY },
  ]);
  const maintenance = (): MaintenanceView => {
    const is_running = runs[0]?.state === 'running';
    const parked = memoriesOf(world).filter((each) => each.snoozed_until === PARKED_UNTIL).length + aside.length;
    return { rules, runs, is_running, jobs_left: is_running ? 3 : 0, next: rules.automatic ? host.now() + 0.8 * DAY : null, parked };
  };
  const start = (): MaintenanceView => {
    runs = [{ id: `run_${runs.length + 1}`, state: 'running', started: host.now(), finished: null, parked: 0, new: [], waiting: [] }, ...runs];
    host.changed('jobs');
    return maintenance();
  };

  const active = () => memoriesOf(world).filter((memory) => memory.row.status === 'active');
  const finding = (fault: string, proposal: string, at: number, reason: string, isPair = false): AuditFindingView[] => {
    const all = active();
    const [row, other] = [at, at + 1].map((index) => all[index % Math.max(1, all.length)]?.row);
    if (!row || (isPair && !other)) return [];
    const pair = isPair && other ? { other_id: other.id, other: other.content } : { other_id: null, other: null };
    return [{ fault, memory_id: row.id, before: row.content, after: proposal === 'archive' ? null : isPair ? pair.other : row.content, ...pair, reason, proposal, quotes: fault === 'unsupported' ? [] : ['I said so on the way home.'] }];
  };

  return {
    pick_backup_target: () => file('Keepsake backup.db'),
    pick_backup: () => file('Keepsake backup.db'),
    pick_export_folder: () => file('Documents'),
    backups_list: () => ({ items: backups, folder: '/home/robin/.local/share/keepsake/backups' }),
    backup_make: ({ token }) => ({ name: token ? 'Keepsake backup.db' : makeBackup('asked').id, bytes: BYTES, contents: contents() }),
    restore_preview: ({ id }) => ({ name: id ?? 'Keepsake backup.db', backup: { ...contents(), messages: 30 }, ...here() }),
    restore: () => {
      const before = makeBackup('before-restore').id;
      host.changed('memories', 'conversations', 'messages', 'settings', 'status', 'jobs');
      return { ...here(), messages: 30, before, is_same_store: true, erased_again: 3, kept_out: 0, refused_again: 1, reopened: 2, debunked_again: 0, unlinked_again: 0, kept_private: 0, doubt: null };
    },
    export_make: () => ({ name: 'Keepsake 2026-11-20', ...here(), notes: 24, doubt: null }),
    rebuild_begin: () => {
      const { id } = makeBackup('before-bulk');
      const run_id = start().runs[0]?.id ?? '';
      host.changed('memories', 'people', 'topics', 'playbooks', 'sessions', 'jobs');
      return { backup: id, candidates: 14, run_id };
    },
    task_cancel: () => ({}),
    maintenance_get: maintenance,
    maintenance_set: (next) => {
      rules = next;
      return maintenance();
    },
    maintenance_start: start,
    maintenance_cancel: () => {
      runs = runs.map((each) => (each.state === 'running' ? { ...each, state: 'cancelled', finished: host.now() } : each));
      host.changed('jobs');
      return maintenance();
    },
    parked_list: () => ({ items: aside }),
    parked_restore: ({ items }) => {
      aside = aside.filter((each) => !items.some((item) => item.kind === each.kind && item.id === each.id));
      host.changed('jobs');
      return { items: aside };
    },
    audit_run: () => {
      const findings = [
        ...finding('unsupported', 'archive', 0, 'None of its source messages exists any more.'),
        ...finding('contradiction', 'correct', 1, 'Both cannot be true at the same time.', true),
        ...finding('duplicate', 'merge', 3, 'Another memory says the same.', true),
        ...finding('stale', 'reconfirm', 5, 'It was about a situation that nobody has mentioned for half a year.'),
      ];
      const share = (fault: string, count: number) => ({ fault, count, low: count === 0 ? 0 : 0.004, high: count === 0 ? 0.018 : 0.031 });
      const memories = active().length === 0 ? 0 : active().length + 900;
      return { memories, sampled: Math.min(200, memories), seed: 1, at: host.now(), any: { ...share('any', findings.length), high: 0.056 }, shares: FAULTS.map((fault) => share(fault, findings.filter((each) => each.fault === fault).length)), findings };
    },
  };
}
