/**
 * Reflection: cleanup proposals for memories. A list by status and kind, and the proposal under the cursor with before and
 * after. The person accepts or dismisses proposals. Accepted ones are applied in one run, with a backup before it and one undo.
 *
 * Not in this panel: making proposals, which the backend does, and the memories themselves, which open in their own panel.
 */
import { ListChecks, SearchX } from 'lucide-react';
import { memo, useMemo } from 'react';
import { type ReflectionListRow, byId, call, useRpc, useWithLayers } from '../../api';
import { Badge, Button, EmptyState, PaneBar, Segmented, shortDate } from '../../design';
import { useActions } from '../../keys';
import { createListState, showError, showToast, useNow, useUiChoice } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { JobProgress } from '../shared/JobProgress';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle } from '../shared/ListPane';
import { cancelJob, isOpen, useJobs } from '../shared/jobs';
import { type Status, apply, decide, isWaiting, mayBecome } from './acts';
import { ReflectionPane } from './ReflectionPane';
import css from './Reflection.module.css';

const NONE: readonly ReflectionListRow[] = [];
const STATUSES = ['waiting', 'applied', 'parked', 'refused'] as const;
const KINDS = ['all', 'archive', 'merge'] as const;
type StatusFilter = (typeof STATUSES)[number];
type KindFilter = (typeof KINDS)[number];

const list = createListState();

const isIn = (row: ReflectionListRow, status: StatusFilter, kind: KindFilter) => (status === 'waiting' ? isWaiting(row) : row.status === status) && (kind === 'all' || row.kind === kind);

export default function Reflection() {
  const now = useNow();
  const { data, error, refetch } = useRpc('reflections_list', {});
  const jobs = useJobs();
  const proposals = useWithLayers(data, data?.items ?? NONE, byId);
  const [status, setStatus, nextStatus] = useUiChoice('reflection.status', STATUSES, 'waiting');
  const [kind, setKind] = useUiChoice('reflection.kind', KINDS, 'all');
  const shown = useMemo(() => proposals.filter((row) => isIn(row, status, kind)), [proposals, status, kind]);
  const rows = useListRows('reflection', list, shown, byId);
  const accepted = useMemo(() => proposals.filter((row) => row.status === 'accepted'), [proposals]);
  const open = shown.filter((row) => row.status === 'open');
  const job = jobs?.find((each) => each.kind === 'reflect' && isOpen(each));
  const isLooking = job !== undefined || (data?.job_id ?? null) !== null;

  const look = () => {
    if (isLooking) return false;
    call('reflections_look', {}).catch(showError);
    return true;
  };
  const undoRun = () => {
    call('reflections_undo', {}).then(({ summary }) => showToast({ text: summary ?? t.app.nothingToUndo, replaces: 'decision' }), showError);
  };
  const act = (to: Status) => () => {
    const row = rows.current();
    if (!row || !mayBecome(row, to)) return false;
    void decide([row], to);
    // If the row stays visible after the answer, the cursor moves to the next one.
    if (to === 'accepted' && status === 'waiting') rows.next();
    return true;
  };
  useActions('reflection', {
    'reflection.accept': act('accepted'),
    'reflection.refuse': act('refused'),
    'reflection.park': act('parked'),
    'reflection.restore': act('open'),
    'reflection.apply': () => {
      if (accepted.length === 0) return false;
      void apply(accepted);
      return true;
    },
    'reflection.look': look,
    'reflection.filter': () => setStatus(nextStatus),
  });
  const waiting = proposals.filter(isWaiting).length;
  const kinds = KINDS.filter((each) => each === 'all' || proposals.some((row) => isIn(row, status, each)));
  const lookButton = (
    <Button size="s" action="reflection.look" disabled={isLooking} testId={TESTIDS.reflectionLook} onClick={look}>
      {proposals.length > 0 ? t.reflection.again : t.reflection.look}
    </Button>
  );

  const showWaiting = () => {
    setStatus('waiting');
    setKind('all');
  };
  const none =
    status === 'waiting' && kind === 'all' ? (
      <EmptyState icon={<ListChecks size={18} />} title={t.reflection.tidyTitle} text={t.reflection.tidyText} />
    ) : (
      <EmptyState icon={<SearchX size={18} />} title={t.reflection.noneTitle} text={t.reflection.noneText} action={<Button onClick={showWaiting}>{t.reflection.noneAction}</Button>} />
    );

  return (
    <ListDetail
      name="reflection"
      words={t.reflection}
      icon={ListChecks}
      rows={rows}
      all={data && shown}
      error={error}
      onRetry={refetch}
      testId={TESTIDS.reflectionList}
      rowTestId={TESTIDS.reflectionRow}
      renderRow={(row) => <Row row={row} />}
      renderDetail={(row) => <ReflectionPane key={row.id} row={row} isRested={rows.isRested} />}
      empty={proposals.length > 0 ? none : undefined}
      tabs={
        <>
          <span className={css.space} />
          {lookButton}
        </>
      }
      bars={
        <>
          {job ? (
            <PaneBar>
              <div className={css.looking}>
                <JobProgress job={job} />
                <Button size="s" tone="quiet" testId={TESTIDS.reflectionCancel} onClick={() => cancelJob(job.id)}>
                  {t.reflection.cancel}
                </Button>
              </div>
            </PaneBar>
          ) : null}
          {proposals.length > 0 ? (
            <PaneBar>
              <Segmented
                value={status}
                choices={STATUSES.map((each) => ({
                  value: each,
                  label: nameOf(t.reflection.statuses, each),
                  count: each === 'waiting' && waiting > 0 ? waiting : undefined,
                  testId: `reflection-${each}`,
                }))}
                onChange={setStatus}
              />
            </PaneBar>
          ) : null}
          {kinds.length > 2 || kind !== 'all' ? (
            <PaneBar>
              <Segmented
                label={t.reflection.kindFilter}
                value={kind}
                choices={kinds.map((each) => ({ value: each, label: each === 'all' ? t.reflection.allKinds : nameOf(t.reflection.kinds, each), testId: `reflection-kind-${each}` }))}
                onChange={setKind}
              />
            </PaneBar>
          ) : null}
          {accepted.length > 0 ? (
            <div className={css.agreed} role="status">
              <span className={css.words}>{t.reflection.applyHint(accepted.length)}</span>
              <Button size="s" tone="primary" action="reflection.apply" testId={TESTIDS.reflectionApply} onClick={() => void apply(accepted)}>
                {t.reflection.apply(accepted.length)}
              </Button>
            </div>
          ) : null}
          {status === 'waiting' && open.length > 1 ? (
            <div className={css.agreed}>
              <span className={css.space} />
              <Button size="s" tone="quiet" testId={TESTIDS.reflectionAcceptAll} onClick={() => void decide(open, 'accepted')}>
                {t.reflection.acceptAll(open.length)}
              </Button>
            </div>
          ) : null}
          {status === 'applied' && data?.run ? (
            <div className={css.agreed} data-testid={TESTIDS.reflectionRun}>
              <span className={css.words}>{t.reflection.lastRun(data.run.summary, shortDate(data.run.at, now))}</span>
              <Button size="s" testId={TESTIDS.reflectionUndo} onClick={undoRun}>
                {t.reflection.undoRun}
              </Button>
            </div>
          ) : null}
        </>
      }
    />
  );
}

const Row = memo(function Row({ row }: { row: ReflectionListRow }) {
  return (
    <ListRow data-reflection={row.id}>
      <RowLine>
        <RowTitle>{row.title}</RowTitle>
        {row.memories > 1 ? <RowAside>{t.reflection.more(row.memories - 1)}</RowAside> : null}
      </RowLine>
      <RowLine>
        <Badge>{nameOf(t.reflection.kinds, row.kind)}</Badge>
        <RowMeta>{row.reason}</RowMeta>
        {row.status === 'open' ? null : <Badge tone={row.status === 'accepted' ? 'accent' : undefined}>{nameOf(t.reflection.statuses, row.status)}</Badge>}
      </RowLine>
    </ListRow>
  );
});
