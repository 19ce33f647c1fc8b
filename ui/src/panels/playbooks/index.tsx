/**
 * Playbooks: workflows that repeat over sessions with tools. A list by status, and the playbook under the cursor: its steps,
 * parameters, and the sessions that support or contradict it, each with a link.
 *
 * Every decision has one undo. Not in this panel: deciding what counts as a workflow, which the backend does.
 */
import { Workflow } from 'lucide-react';
import { memo, useMemo } from 'react';
import { type PlaybookListRow, byId, useRpc, useWithLayers } from '../../api';
import { Badge, PaneBar, RelativeTime, Segmented } from '../../design';
import { useActions } from '../../keys';
import { createListState, useAnswer, useNavTarget, useUiChoice } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle, TALL_ROW_PX } from '../shared/ListPane';
import { type Status, decide, mayBecome } from './acts';
import { PlaybookPane } from './PlaybookPane';

const NONE: readonly PlaybookListRow[] = [];
const FILTERS = ['all', 'candidate', 'approved', 'parked', 'rejected'] as const;
const list = createListState();

export default function Playbooks() {
  const { data, error, refetch } = useRpc('playbooks_list', {});
  const playbooks = useWithLayers(data, data?.items ?? NONE, byId);
  const [filter, setFilter, nextFilter] = useUiChoice('playbooks.filter', FILTERS, 'all');
  const shown = useMemo(() => playbooks.filter((playbook) => filter === 'all' || playbook.status === filter), [playbooks, filter]);
  const rows = useListRows('playbooks', list, shown, byId);
  useAnswer(useNavTarget('playbooks'), ({ playbook }) => {
    if (!playbook || playbooks.length === 0) return false;
    setFilter('all');
    rows.want(playbook);
    return true;
  });
  const act = (status: Status) => () => {
    const playbook = rows.current();
    if (!playbook || !mayBecome(playbook, status)) return false;
    void decide(playbook, status);
    return true;
  };
  useActions('playbooks', {
    'playbooks.approve': act('approved'),
    'playbooks.reject': act('rejected'),
    'playbooks.park': act('parked'),
    'playbooks.restore': act('candidate'),
    'playbooks.filter': () => setFilter(nextFilter),
  });
  const count = (status: string) => playbooks.filter((playbook) => playbook.status === status).length;

  return (
    <ListDetail
      name="playbooks"
      words={t.playbooks}
      icon={Workflow}
      rows={rows}
      all={data && playbooks}
      error={error}
      onRetry={refetch}
      testId={TESTIDS.playbooksList}
      rowTestId={TESTIDS.playbookRow}
      height={TALL_ROW_PX}
      renderRow={(playbook) => <Row playbook={playbook} />}
      renderDetail={(playbook) => <PlaybookPane key={playbook.id} playbook={playbook} isRested={rows.isRested} />}
      onClear={() => setFilter('all')}
      bars={
        playbooks.length > 0 ? (
          <PaneBar>
            <Segmented
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
