/**
 * Activity: background jobs, the gate log, model calls, alerts, messages and memories over time, and the audit.
 *
 * Not in this panel: results of imports (Sources) and of analyses (Conversations).
 */
import { BellRing, CirclePause, CirclePlay } from 'lucide-react';
import { useState } from 'react';
import { type AppStatus, call, useRpc } from '../../api';
import { Button, Menu, PaneBar, PaneBody, PaneHeader, Segmented, momentAhead } from '../../design';
import { useActions } from '../../keys';
import { showError, showToast, useNavTarget, useUiState } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { OverTime } from '../shared/time/OverTime';
import css from './Activity.module.css';
import { Alerts } from './Alerts';
import { Audit } from './Audit';
import { Calls } from './Calls';
import { GateLog } from './GateLog';
import { Jobs } from './Jobs';
import { Maintenance } from './Maintenance';

const TABS = ['jobs', 'night', 'gate', 'calls', 'alerts', 'time', 'audit'] as const;
type Tab = (typeof TABS)[number];

const alertsOf = (status: AppStatus) => status.counts.alerts;
const jobsOf = (status: AppStatus) => status.counts.jobs;
const pausedOf = (status: AppStatus) => status.paused;
const pausedUntilOf = (status: AppStatus) => status.paused_until;
const PAUSES = ['hour', 'tomorrow', 'resumed'] as const;

export default function Activity() {
  const target = useNavTarget('activity');
  const [stored, setTab] = useUiState<string>('activity.tab', 'jobs');
  const [answered, setAnswered] = useState<typeof target>(null);
  const [scope, setScope] = useState<{ conversation: string | null; gate: string | null }>({ conversation: null, gate: null });
  const [isGate, setIsGate] = useState(false);
  if (target !== answered) {
    setAnswered(target);
    if (target?.gate !== undefined) {
      setScope({ conversation: target.onlyConversation ?? null, gate: target.gate || null });
      setIsGate(true);
    }
  }
  const tab: Tab = isGate ? 'gate' : ((TABS as readonly string[]).includes(stored) ? (stored as Tab) : 'jobs');
  const choose = (next: Tab) => {
    setIsGate(false);
    setTab(next);
  };
  const { data: alerts = 0 } = useRpc('app_status', {}, { select: alertsOf });
  const { data: jobs = 0 } = useRpc('app_status', {}, { select: jobsOf });
  const { data: paused = false } = useRpc('app_status', {}, { select: pausedOf });
  const { data: pausedUntil = null } = useRpc('app_status', {}, { select: pausedUntilOf });
  const pause = (until: (typeof PAUSES)[number]) => {
    call('queue_pause', { paused: true, until: until === 'resumed' ? null : until }).then(() => showToast({ text: t.activity.didPause, replaces: 'pause' }), showError);
  };
  const resume = () => {
    call('queue_pause', { paused: false, until: null }).then(() => showToast({ text: t.activity.didResume, replaces: 'pause' }), showError);
  };
  useActions('activity', { 'activity.pause': () => (paused ? resume() : pause('resumed')) });
  return (
    <div className={css.panel}>
      <PaneHeader title={t.panels.activity}>
        <Segmented
          value={tab}
          testId={TESTIDS.activityTab}
          choices={[
            { value: 'jobs', label: t.activity.jobs, count: jobs || undefined, testId: 'activity-jobs' },
            { value: 'night', label: t.maintenance.title, testId: 'activity-night' },
            { value: 'gate', label: t.activity.gate, testId: 'activity-gate' },
            { value: 'calls', label: t.activity.calls, testId: 'activity-calls' },
            { value: 'alerts', label: t.activity.alerts, count: alerts || undefined, icon: alerts > 0 ? <BellRing size={13} aria-hidden="true" /> : undefined, testId: 'activity-alerts' },
            { value: 'time', label: t.time.title, testId: 'activity-time' },
            { value: 'audit', label: t.audit.tab, testId: 'activity-audit' },
          ]}
          onChange={choose}
        />
        <span className={css.space} />
        {paused ? (
          <Button size="s" icon={<CirclePlay size={14} aria-hidden="true" />} action="activity.pause" testId={TESTIDS.pause} onClick={resume}>
            {t.activity.resume}
          </Button>
        ) : (
          <Menu
            align="end"
            trigger={
              <Button size="s" icon={<CirclePause size={14} aria-hidden="true" />} action="activity.pause" testId={TESTIDS.pause}>
                {t.activity.pause}
              </Button>
            }
            entries={PAUSES.map((until) => ({ id: until, label: t.activity.pauseFor[until], testId: `pause-${until}`, run: () => pause(until) }))}
          />
        )}
      </PaneHeader>
      {paused && tab === 'jobs' ? <PaneBar>{pausedUntil === null ? t.activity.paused : t.activity.pausedUntil(momentAhead(pausedUntil))}</PaneBar> : null}
      <div className={css.body}>
        {tab === 'jobs' ? <Jobs /> : null}
        {tab === 'night' ? <Maintenance /> : null}
        {tab === 'gate' ? <GateLog key={`${scope.conversation ?? ''} ${scope.gate ?? ''}`} conversation={scope.conversation} gate={scope.gate} onAll={() => setScope({ conversation: null, gate: null })} /> : null}
        {tab === 'calls' ? <Calls /> : null}
        {tab === 'alerts' ? <Alerts /> : null}
        {tab === 'audit' ? <Audit /> : null}
        {tab === 'time' ? (
          <PaneBody label={t.time.title}>
            <div className={css.time}>
              <OverTime isPage />
            </div>
          </PaneBody>
        ) : null}
      </div>
    </div>
  );
}
