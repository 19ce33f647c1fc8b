/**
 * Playbooks: workflows that repeat over sessions with tools. A list by status, and the playbook under the cursor: its steps,
 * parameters, and the sessions that support or contradict it, each with a link.
 *
 * Every decision has one undo. Not in this panel: deciding what counts as a workflow, which the backend does.
 */
import { SearchX, Workflow } from 'lucide-react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { type PlaybookListRow, useRpc } from '../../api';
import { byId, useWithLayers } from '../../api/layers';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBar, RelativeTime, Segmented, SplitPane } from '../../design';
import { useActions } from '../../keys';
import { createListState } from '../../state/list';
import { go, useNavTarget } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { useUiState } from '../../state/uiState';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListPane, ListRow, ListRows, Nothing, RowAside, RowLine, RowMeta, RowTitle, TALL_ROW_PX, useRows } from '../shared/ListPane';
import { type Status, decide, mayBecome } from './acts';
import { PlaybookPane } from './PlaybookPane';

/** Longer than the time between two repeats of a held key. */
const REST_MS = 100;
const NONE: readonly PlaybookListRow[] = [];
const FILTERS = ['all', 'candidate', 'approved', 'parked', 'rejected'] as const;
type Filter = (typeof FILTERS)[number];

const list = createListState();

export default function Playbooks() {
  const { data, error, refetch } = useRpc('playbooks_list', {});
  const target = useNavTarget('playbooks');
  const playbooks = useWithLayers(data, data?.items ?? NONE, byId);
  const [stored, setFilter] = useUiState<string>('playbooks.filter', 'all');
  const filter: Filter = FILTERS.find((each) => each === stored) ?? 'all';
  const shown = useMemo(() => playbooks.filter((playbook) => filter === 'all' || playbook.status === filter), [playbooks, filter]);
  const ids = useMemo(() => shown.map((playbook) => playbook.id), [shown]);
  const rows = useRows(list, ids);
  const { want } = rows;
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target?.playbook || answered.current === target || playbooks.length === 0) return;
    answered.current = target;
    setFilter('all');
    want(target.playbook);
  }, [target, playbooks, want, setFilter]);

  const here = shown[rows.at];
  const rested = useSettled(rows.cursor, REST_MS);
  const act = (status: Status) => () => {
    const playbook = playbooks.find((each) => each.id === list.get().cursor);
    if (!playbook || !mayBecome(playbook, status)) return false;
    void decide(playbook, status);
    return true;
  };
  useActions('playbooks', {
    'playbooks.next': rows.next,
    'playbooks.previous': rows.previous,
    'playbooks.first': rows.first,
    'playbooks.last': rows.last,
    'playbooks.approve': act('approved'),
    'playbooks.reject': act('rejected'),
    'playbooks.park': act('parked'),
    'playbooks.restore': act('candidate'),
    'playbooks.filter': () => setFilter(FILTERS[(FILTERS.indexOf(filter) + 1) % FILTERS.length] ?? 'all'),
  });
  const count = (status: string) => playbooks.filter((playbook) => playbook.status === status).length;

  return (
    <SplitPane
      name="playbooks"
      list={
        <ListPane
          title={t.panels.playbooks}
          count={data ? number(shown.length) : undefined}
          live={data ? t.playbooks.live(shown.length) : ''}
          bars={
            playbooks.length > 0 ? (
              <PaneBar>
                <Segmented
                  label={t.playbooks.filter}
                  value={filter}
                  choices={FILTERS.map((each) => ({
                    value: each,
                    label: each === 'all' ? t.playbooks.all : nameOf(t.playbooks.statuses, each),
                    count: each === 'candidate' && count(each) > 0 ? count(each) : undefined,
                    testId: `playbooks-${each}`,
                  }))}
                  onChange={setFilter}
                />
              </PaneBar>
            ) : null
          }
        >
          {error && !data ? (
            <ErrorState title={t.playbooks.loadFailed} text={t.playbooks.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : !data ? (
            <LoadingRows height={TALL_ROW_PX} />
          ) : playbooks.length === 0 ? (
            <EmptyState icon={<Workflow size={18} />} title={t.playbooks.emptyTitle} text={t.playbooks.emptyText} action={<Button onClick={() => go('sources')}>{t.playbooks.emptyAction}</Button>} />
          ) : shown.length === 0 ? (
            <EmptyState icon={<SearchX size={18} />} title={t.playbooks.noneTitle} text={t.playbooks.noneText} action={<Button onClick={() => setFilter('all')}>{t.playbooks.noneAction}</Button>} />
          ) : (
            <ListRows label={t.playbooks.list} testId={TESTIDS.playbooksList} rowTestId={TESTIDS.playbookRow} items={shown} rows={rows} height={TALL_ROW_PX} render={(playbook) => <Row playbook={playbook} />} />
          )}
        </ListPane>
      }
      detail={
        here ? (
          <PlaybookPane key={here.id} playbook={here} isRested={rested === here.id} />
        ) : data && playbooks.length > 0 ? (
          <EmptyState icon={<Workflow size={20} />} title={t.playbooks.pickTitle} text={t.playbooks.pickText} />
        ) : (
          <Nothing />
        )
      }
    />
  );
}

const Row = memo(function Row({ playbook }: { playbook: PlaybookListRow }) {
  return (
    <ListRow data-playbook={playbook.id}>
      <RowLine>
        <RowTitle>{playbook.title}</RowTitle>
        <RowAside>
          <RelativeTime time={playbook.last} date />
        </RowAside>
      </RowLine>
      <RowLine>
        <RowMeta>{playbook.tools.join(', ')}</RowMeta>
      </RowLine>
      <RowLine>
        <RowAside>{t.playbooks.seen(playbook.occurrences)}</RowAside>
        <RowMeta>{nameOf(t.playbooks.sure, playbook.confidence)}</RowMeta>
        <Badge tone={playbook.status === 'candidate' ? 'accent' : undefined}>{nameOf(t.playbooks.statuses, playbook.status)}</Badge>
      </RowLine>
    </ListRow>
  );
});
