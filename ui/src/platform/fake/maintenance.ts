/** The fake host's maintenance: two digests, one expired memory, and a run that can be started and stopped. */
import type { MaintenanceRunView, MaintenanceView, ParkedView } from '../../api/schema';
import type { World } from './data';
import type { Handlers, Host } from './index';
import { PARKED_UNTIL } from './memories';

const DAY = 24 * 3_600_000;

const counts = (of: Record<string, number>) => Object.entries(of).map(([name, count]) => ({ name, label: null, count }));

export function maintenanceCommands(world: World, host: Host, firstRun: boolean): Handlers {
  const run = (id: string, days: number, of: Pick<MaintenanceRunView, 'new' | 'waiting' | 'parked'>): MaintenanceRunView => {
    const started = host.now() - days * DAY;
    return { id, state: 'finished', started, finished: started + 42_000, ...of };
  };
  let rules = { automatic: true, hour: 3, park_after_days: 60, notify: true };
  let runs: MaintenanceRunView[] = firstRun
    ? []
    : [
        run('run_2', 0.2, { parked: 1, new: counts({ messages: 214, conversations: 9, candidates: 12, approved: 4, topics: 3, profile_entries: 2, sessions: 5, playbooks: 1 }), waiting: counts({ review: 14, parked: 1, quarantined: 1, topic_proposals: 1, playbooks: 1, reflections: 3, gaps: 0, alerts: 0, links: 2 }) }),
        run('run_1', 1.2, { parked: 0, new: counts({ messages: 0, candidates: 0 }), waiting: counts({ review: 6, links: 2 }) }),
      ];
  let aside: ParkedView[] = firstRun ? [] : [
        { kind: 'link', id: 'lnk_parked', title: 'Ana Pires and ana.p', at: host.now() - 2 * DAY },
        { kind: 'reflection', id: 'ref_parked', title: 'User wants to read one book a week in 2025', at: host.now() - 3 * DAY },
      ];
  const parkedNow = () => [...world.memories.values()].filter((each) => each.snoozed_until === PARKED_UNTIL).length + aside.length;
  const view = (): MaintenanceView => ({
    rules,
    runs,
    is_running: runs[0]?.state === 'running',
    jobs_left: runs[0]?.state === 'running' ? 3 : 0,
    next: rules.automatic ? host.now() + 0.8 * DAY : null,
    parked: parkedNow(),
  });
  return {
    maintenance_get: view,
    maintenance_set: (next) => {
      rules = next;
      return view();
    },
    parked_list: () => ({ items: aside }),
    parked_restore: ({ items }) => {
      aside = aside.filter((each) => !items.some((item) => item.kind === each.kind && item.id === each.id));
      host.changed('jobs');
      return { items: aside };
    },
    maintenance_start: () => {
      runs = [{ id: `run_${runs.length + 1}`, state: 'running', started: host.now(), finished: null, parked: 0, new: [], waiting: [] }, ...runs];
      host.changed('jobs');
      return view();
    },
    maintenance_cancel: () => {
      runs = runs.map((each) => (each.state === 'running' ? { ...each, state: 'cancelled', finished: host.now() } : each));
      host.changed('jobs');
      return view();
    },
  };
}
