/**
 * Overnight: new items that await an answer after the last maintenance run, expired proposals, and the schedule.
 *
 * Not in this module: the jobs of a run, which are listed with all jobs.
 */
import { ArchiveRestore, MoonStar, Play, Square } from 'lucide-react';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type Count, type MaintenanceRulesView, type MaintenanceRunView, type MaintenanceView, call, rpcKey, useChoices, useRpc } from '../../api';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBody, RelativeTime, Switch, shownStatement } from '../../design';
import { useActions } from '../../keys';
import { decide } from '../../state/decisions';
import { type PanelId, go } from '../../state/nav';
import { showError, showToast } from '../../state/toasts';
import { fullHour, nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Night.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Limits of the backend. */
const DAYS_MIN = 7;
const DAYS_MAX = 3_650;

/** The panel where each kind of proposal is decided. */
const ANSWERED_IN: Readonly<Record<string, PanelId>> = { review: 'review', quarantined: 'review', links: 'people', topic_proposals: 'topics', gaps: 'people', playbooks: 'playbooks', reflections: 'reflection' };

export function Night() {
  const client = useQueryClient();
  const { data, error, refetch } = useRpc('maintenance_get', {});
  const change = useChoices<MaintenanceView, Partial<MaintenanceRulesView>>({
    key: rpcKey('maintenance_get', {}),
    laidOver: (view, part) => ({ ...view, rules: { ...view.rules, ...part } }),
    write: (view) => call('maintenance_set', view.rules),
  });
  if (error && !data) return <ErrorState title={t.night.failed} text={t.activity.failedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={3} height={84} />;
  const take = (next: Promise<MaintenanceView>) => next.then((view) => client.setQueryData(rpcKey('maintenance_get', {}), view));
  const start = () => void take(call('maintenance_start', {})).then(() => showToast({ text: t.night.started, replaces: 'night' }), showError);
  const stop = () => void take(call('maintenance_cancel', {})).then(() => showToast({ text: t.night.stopped, replaces: 'night' }), showError);
  const [newest, ...rest] = data.runs.filter((run) => run.state !== 'running');
  return (
    <PaneBody label={t.night.title} testId={TESTIDS.night}>
      <div className={css.page}>
        <div className={css.bar} role="status">
          <MoonStar size={16} aria-hidden="true" />
          <span className={css.state}>{data.is_running ? t.night.running(data.jobs_left) : data.next === null ? null : <Next time={data.next} />}</span>
          {data.is_running ? (
            <Button size="s" icon={<Square size={13} aria-hidden="true" />} testId={TESTIDS.nightStop} onClick={stop}>
              {t.night.stop}
            </Button>
          ) : (
            <Button size="s" icon={<Play size={13} aria-hidden="true" />} testId={TESTIDS.nightStart} onClick={start}>
              {t.night.start}
            </Button>
          )}
        </div>
        {newest ? <Digest run={newest} /> : <EmptyState icon={<MoonStar size={20} />} title={t.night.never} text={t.night.neverText} />}
        {data.parked > 0 ? <Parked days={data.rules.park_after_days} /> : null}
        <Rules rules={data.rules} onChoose={(part) => void change(part).catch(showError)} />
        {rest.length > 0 ? (
          <section>
            <h2 className={css.heading}>{t.night.earlier}</h2>
            <ul>
              {rest.map((run) => (
                <li key={run.id} className={css.earlier}>
                  <RelativeTime time={run.started} />
                  <span className={css.muted}>{run.state === 'cancelled' ? t.night.cancelled : said(run.new).join(', ') || t.night.nothingNew}</span>
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
      {t.night.next} <RelativeTime time={time} absolute />
    </>
  );
}

const wordsFor = ({ name, count }: Count) => t.night.counts[name]?.(count) ?? `${name} ${count}`;
const said = (counts: readonly Count[]) => counts.filter((each) => each.count > 0).map(wordsFor);

function Digest({ run }: { run: MaintenanceRunView }) {
  if (run.state === 'cancelled') return <p className={css.muted}>{t.night.cancelled}</p>;
  return (
    <section className={css.digest} data-testid={TESTIDS.nightDigest}>
      <div>
        <h2 className={css.heading}>
          {t.night.isNew} <RelativeTime time={run.finished ?? run.started} />
        </h2>
        <List counts={run.new} none={t.night.nothingNew} />
      </div>
      <div>
        <h2 className={css.heading}>{t.night.waiting}</h2>
        <List counts={run.waiting.filter((each) => each.name !== 'parked')} none={t.night.nothingWaits} />
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
  const restore = (chosen: typeof rows) => void decide({ action: 'restore', ids: chosen.map((row) => row.id) }, chosen, t.night.restored(chosen.length));
  const restoreProposals = (chosen: typeof proposals) =>
    void call('parked_restore', { items: chosen.map(({ kind, id }) => ({ kind, id })) }).then((left) => {
      client.setQueryData(rpcKey('parked_list', {}), left);
      showToast({ text: t.night.restoredProposals(chosen.length), replaces: 'night' });
    }, showError);
  const restoreAll = () => {
    if (rows.length > 0) restore(rows);
    if (proposals.length > 0) restoreProposals(proposals);
    return true;
  };
  useActions('activity', { 'activity.unpark': restoreAll });
  if (rows.length + proposals.length === 0) return null;
  return (
    <section data-testid={TESTIDS.nightParked}>
      <div className={css.headingRow}>
        <h2 className={css.heading}>{t.night.parkedTitle}</h2>
        <Button size="s" action="activity.unpark" testId={TESTIDS.nightRestoreAll} onClick={restoreAll}>
          {t.night.restoreAll}
        </Button>
      </div>
      <p className={css.muted}>{t.night.parkedText(days)}</p>
      <ul>
        {rows.map((row) => (
          <li key={row.id} className={css.parked}>
            <Badge>{t.night.kinds['candidate']}</Badge>
            <span className={css.content}>{shownStatement(row.content)}</span>
            <Button size="s" tone="quiet" icon={<ArchiveRestore size={13} aria-hidden="true" />} label={`${t.night.restore}: ${shownStatement(row.content)}`} testId={TESTIDS.nightRestore} onClick={() => restore([row])}>
              {t.night.restore}
            </Button>
          </li>
        ))}
        {proposals.map((one) => (
          <li key={`${one.kind} ${one.id}`} className={css.parked} data-kind={one.kind}>
            <Badge>{nameOf(t.night.kinds, one.kind)}</Badge>
            <span className={css.content}>{one.title}</span>
            <Button size="s" tone="quiet" icon={<ArchiveRestore size={13} aria-hidden="true" />} label={`${t.night.restoreProposal}: ${one.title}`} testId={TESTIDS.nightRestoreProposal} onClick={() => restoreProposals([one])}>
              {t.night.restoreProposal}
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
      <h2 className={css.heading}>{t.night.when}</h2>
      <div className={css.rule}>
        <span>
          {t.night.automatic}
          <span className={css.hint}>{t.night.automaticHint}</span>
        </span>
        <span className={css.control}>
          <label className={css.at}>
            {t.night.hour}
            <select className={css.input} value={rules.hour} disabled={!rules.automatic} data-testid={TESTIDS.nightHour} onChange={(event) => onChoose({ hour: Number(event.target.value) })}>
              {HOURS.map((hour) => (
                <option key={hour} value={hour}>
                  {fullHour(hour)}
                </option>
              ))}
            </select>
          </label>
          <Switch label={t.night.automatic} checked={rules.automatic} testId={TESTIDS.nightAutomatic} onChange={(automatic) => onChoose({ automatic })} />
        </span>
      </div>
      <div className={css.rule}>
        <span>
          {t.night.notify}
          <span className={css.hint}>{t.night.notifyHint}</span>
        </span>
        <Switch label={t.night.notify} checked={rules.notify} testId={TESTIDS.nightNotify} onChange={(notify) => onChoose({ notify })} />
      </div>
      <div className={css.rule}>
        <span>
          {t.night.parkAfter}
          {isWrong ? (
            <span className={css.problem} role="alert">
              {t.night.daysWrong}
            </span>
          ) : null}
        </span>
        <span className={css.control}>
          <input
            className={css.input}
            type="text"
            inputMode="numeric"
            size={5}
            aria-label={t.night.parkAfter}
            aria-invalid={isWrong}
            value={typed ?? String(rules.park_after_days)}
            data-testid={TESTIDS.nightDays}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={save}
            onKeyDown={(event) => {
              if (event.key === 'Enter') save();
              if (event.key === 'Escape') setTyped(null);
            }}
          />
          {t.night.days}
        </span>
      </div>
    </section>
  );
}
