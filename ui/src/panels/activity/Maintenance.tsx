/**
 * Overnight: new items that await an answer after the last maintenance run, expired proposals, and the schedule.
 *
 * Not in this module: the jobs of a run, which are listed with all jobs.
 */
import { ArchiveRestore, MoonStar, Play, Square } from 'lucide-react';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type Count, type MaintenanceRulesView, type MaintenanceRunView, type MaintenanceView, call, rpcKey, useChoices, useRpc } from '../../api';
import { Badge, Button, EmptyState, EntryField, ErrorState, LoadingRows, PaneBody, RelativeTime, Switch, shownStatement } from '../../design';
import { useActions } from '../../keys';
import { type PanelId, decide, go, showError, showToast } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { HourPick } from '../shared/HourPick';
import css from './Maintenance.module.css';

/** Limits of the backend. */
const DAYS_MIN = 7;
const DAYS_MAX = 3_650;

/** The panel where each kind of proposal is decided. */
const ANSWERED_IN: Readonly<Record<string, PanelId>> = { review: 'review', quarantined: 'review', links: 'people', topic_proposals: 'topics', gaps: 'people', playbooks: 'playbooks', reflections: 'reflection' };

export function Maintenance() {
  const client = useQueryClient();
  const { data, error, refetch } = useRpc('maintenance_get', {});
  const change = useChoices<MaintenanceView, Partial<MaintenanceRulesView>>({
    key: rpcKey('maintenance_get', {}),
    apply: (view, part) => ({ ...view, rules: { ...view.rules, ...part } }),
    write: (view) => call('maintenance_set', view.rules),
  });
  if (error && !data) return <ErrorState title={t.maintenance.failed} text={t.activity.failedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={3} height={84} />;
  const take = (next: Promise<MaintenanceView>) => next.then((view) => client.setQueryData(rpcKey('maintenance_get', {}), view));
  const start = () => void take(call('maintenance_start', {})).then(() => showToast({ text: t.maintenance.started, replaces: 'maintenance' }), showError);
  const stop = () => void take(call('maintenance_cancel', {})).then(() => showToast({ text: t.maintenance.stopped, replaces: 'maintenance' }), showError);
  const [newest, ...rest] = data.runs.filter((run) => run.state !== 'running');
  return (
    <PaneBody label={t.maintenance.title} testId={TESTIDS.maintenance}>
      <div className={css.page}>
        <div className={css.bar} role="status">
          <MoonStar size={16} aria-hidden="true" />
          <span className={css.state}>{data.is_running ? t.maintenance.running(data.jobs_left) : data.next === null ? null : <Next time={data.next} />}</span>
          {data.is_running ? (
            <Button size="s" icon={<Square size={13} aria-hidden="true" />} testId={TESTIDS.maintenanceStop} onClick={stop}>
              {t.maintenance.stop}
            </Button>
          ) : (
            <Button size="s" icon={<Play size={13} aria-hidden="true" />} testId={TESTIDS.maintenanceStart} onClick={start}>
              {t.maintenance.start}
            </Button>
          )}
        </div>
        {newest ? <Digest run={newest} /> : <EmptyState icon={<MoonStar size={20} />} title={t.maintenance.never} text={t.maintenance.neverText} />}
        {data.parked > 0 ? <Parked days={data.rules.park_after_days} /> : null}
        <Rules rules={data.rules} onChoose={(part) => void change(part).catch(showError)} />
        {rest.length > 0 ? (
          <section>
            <h2 className={css.heading}>{t.maintenance.earlier}</h2>
            <ul>
              {rest.map((run) => (
                <li key={run.id} className={css.earlier}>
                  <RelativeTime time={run.started} />
                  <span className={css.muted}>{run.state === 'cancelled' ? t.maintenance.cancelled : said(run.new).join(', ') || t.maintenance.nothingNew}</span>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </div>
    </PaneBody>
  );
}

function Next({ time }: { time: number }) {
  return (
    <>
      {t.maintenance.next} <RelativeTime time={time} absolute />
    </>
  );
}

const wordsFor = ({ name, count }: Count) => t.maintenance.counts[name]?.(count) ?? `${name} ${count}`;
const said = (counts: readonly Count[]) => counts.filter((each) => each.count > 0).map(wordsFor);

function Digest({ run }: { run: MaintenanceRunView }) {
  if (run.state === 'cancelled') return <p className={css.muted}>{t.maintenance.cancelled}</p>;
  return (
    <section className={css.digest} data-testid={TESTIDS.maintenanceDigest}>
      <div>
        <h2 className={css.heading}>
          {t.maintenance.isNew} <RelativeTime time={run.finished ?? run.started} />
        </h2>
        <List counts={run.new} none={t.maintenance.nothingNew} />
      </div>
      <div>
        <h2 className={css.heading}>{t.maintenance.waiting}</h2>
        <List counts={run.waiting.filter((each) => each.name !== 'parked')} none={t.maintenance.nothingWaiting} />
      </div>
    </section>
  );
}

function List({ counts, none }: { counts: readonly Count[]; none: string }) {
  const shown = counts.filter((each) => each.count > 0);
  if (shown.length === 0) return <p className={css.muted}>{none}</p>;
  return (
    <ul className={css.counts}>
      {shown.map((each) => {
        const panel = ANSWERED_IN[each.name];
        return (
          <li key={each.name}>
            {panel ? (
              <button type="button" className={css.link} onClick={() => go(panel)}>
                {wordsFor(each)}
              </button>
            ) : (
              wordsFor(each)
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Maximum number of expired proposals shown here. Memories shows all. */
const PARKED_SHOWN = 50;

function Parked({ days }: { days: number }) {
  const client = useQueryClient();
  const { data } = useRpc('memories_list', { status: ['pending'], only_parked: true, sort: 'oldest', limit: PARKED_SHOWN, without_facets: true });
  const { data: others } = useRpc('parked_list', {});
  const rows = data?.items ?? [];
  const proposals = others?.items ?? [];
  const restore = (chosen: typeof rows) => void decide({ action: 'restore', ids: chosen.map((row) => row.id) }, chosen, t.maintenance.restored(chosen.length));
  const restoreProposals = (chosen: typeof proposals) =>
    void call('parked_restore', { items: chosen.map(({ kind, id }) => ({ kind, id })) }).then((left) => {
      client.setQueryData(rpcKey('parked_list', {}), left);
      showToast({ text: t.maintenance.restoredProposals(chosen.length), replaces: 'maintenance' });
    }, showError);
  const restoreAll = () => {
    if (rows.length > 0) restore(rows);
    if (proposals.length > 0) restoreProposals(proposals);
    return true;
  };
  useActions('activity', { 'activity.unpark': restoreAll });
  if (rows.length + proposals.length === 0) return null;
  return (
    <section data-testid={TESTIDS.maintenanceParked}>
      <div className={css.headingRow}>
        <h2 className={css.heading}>{t.maintenance.parkedTitle}</h2>
        <Button size="s" action="activity.unpark" testId={TESTIDS.maintenanceRestoreAll} onClick={restoreAll}>
          {t.maintenance.restoreAll}
        </Button>
      </div>
      <p className={css.muted}>{t.maintenance.parkedText(days)}</p>
      <ul>
        {rows.map((row) => (
          <li key={row.id} className={css.parked}>
            <Badge>{t.maintenance.kinds['candidate']}</Badge>
            <span className={css.content}>{shownStatement(row.content)}</span>
            <Button size="s" tone="quiet" icon={<ArchiveRestore size={13} aria-hidden="true" />} label={`${t.maintenance.restore}: ${shownStatement(row.content)}`} testId={TESTIDS.maintenanceRestore} onClick={() => restore([row])}>
              {t.maintenance.restore}
            </Button>
          </li>
        ))}
        {proposals.map((one) => (
          <li key={`${one.kind} ${one.id}`} className={css.parked} data-kind={one.kind}>
            <Badge>{nameOf(t.maintenance.kinds, one.kind)}</Badge>
            <span className={css.content}>{one.title}</span>
            <Button size="s" tone="quiet" icon={<ArchiveRestore size={13} aria-hidden="true" />} label={`${t.maintenance.restoreProposal}: ${one.title}`} testId={TESTIDS.maintenanceRestoreProposal} onClick={() => restoreProposals([one])}>
              {t.maintenance.restoreProposal}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Rules({ rules, onChoose }: { rules: MaintenanceRulesView; onChoose: (part: Partial<MaintenanceRulesView>) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const days = Number(typed ?? rules.park_after_days);
  const isWrong = !Number.isInteger(days) || days < DAYS_MIN || days > DAYS_MAX;
  const save = () => {
    if (typed === null || isWrong) return;
    setTyped(null);
    if (days !== rules.park_after_days) onChoose({ park_after_days: days });
  };
  return (
    <section>
      <h2 className={css.heading}>{t.maintenance.when}</h2>
      <div className={css.rule}>
        <span>
          {t.maintenance.automatic}
          <span className={css.hint}>{t.maintenance.automaticHint}</span>
        </span>
        <span className={css.control}>
          <label className={css.at}>
            {t.maintenance.hour}
            <HourPick className={css.input} value={rules.hour} disabled={!rules.automatic} testId={TESTIDS.maintenanceHour} onHour={(hour) => onChoose({ hour })} />
          </label>
          <Switch label={t.maintenance.automatic} checked={rules.automatic} testId={TESTIDS.maintenanceAutomatic} onChange={(automatic) => onChoose({ automatic })} />
        </span>
      </div>
      <div className={css.rule}>
        <span>
          {t.maintenance.notify}
          <span className={css.hint}>{t.maintenance.notifyHint}</span>
        </span>
        <Switch label={t.maintenance.notify} checked={rules.notify} testId={TESTIDS.maintenanceNotify} onChange={(notify) => onChoose({ notify })} />
      </div>
      <div className={css.rule}>
        <span>
          {t.maintenance.parkAfter}
          {isWrong ? (
            <span className={css.problem} role="alert">
              {t.maintenance.daysWrong}
            </span>
          ) : null}
        </span>
        <span className={css.control}>
          <EntryField className={css.input} inputMode="numeric" size={5} name={t.maintenance.parkAfter} typed={typed} stored={String(rules.park_after_days)} isBad={isWrong} testId={TESTIDS.maintenanceDays} onType={setTyped} onSave={save} />
          {t.maintenance.days}
        </span>
      </div>
    </section>
  );
}
