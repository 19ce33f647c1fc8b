/**
 * Playbooks: ways of working that repeat over sessions with tools. A list by status, and beside it the one under the cursor: its steps,
 * what varies, and the sessions that show it or speak against it, each leading where it stands.
 *
 * Everything a person decides here has one undo. Deliberately not here: what counts as a way of working, which the backend works out.
 */
import { SearchX, Workflow } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef } from 'react';
import { type PlaybookListRow, useRpc } from '../../api';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBar, PaneHeader, RelativeTime, Segmented, SplitPane, VirtualList, cx } from '../../design';
import { useActions } from '../../keys';
import { createListState, moveTo, stepFrom } from '../../state/list';
import { go, useNavTarget } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { useStore } from '../../state/store';
import { useUiState } from '../../state/uiState';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useListCursor } from '../shared/memoryRows';
import { type Status, decide, mayBecome } from './acts';
import { PlaybookPane } from './PlaybookPane';
import css from './Playbooks.module.css';

const ROW_PX = 72;
/** Longer than the gap between two presses of a held key. */
const REST_MS = 100;
const rowHeight = () => ROW_PX;
const NONE: readonly PlaybookListRow[] = [];
const FILTERS = ['all', 'candidate', 'approved', 'parked', 'rejected'] as const;
type Filter = (typeof FILTERS)[number];

const list = createListState();

export default function Playbooks() {
  const { data, error, refetch } = useRpc('playbooks_list', {});
  const target = useNavTarget('playbooks');
  const playbooks = data?.items ?? NONE;
  const [stored, setFilter] = useUiState<string>('playbooks.filter', 'all');
  const filter: Filter = FILTERS.find((each) => each === stored) ?? 'all';
  const shown = useMemo(() => playbooks.filter((playbook) => filter === 'all' || playbook.status === filter), [playbooks, filter]);
  const ids = useMemo(() => shown.map((playbook) => playbook.id), [shown]);
  const want = useListCursor(list, ids);
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target?.playbook || answered.current === target || playbooks.length === 0) return;
    answered.current = target;
    setFilter('all');
    want(target.playbook);
  }, [target, playbooks, want, setFilter]);

  const cursor = useStore(list, (state) => state.cursor);
  const here = shown.find((playbook) => playbook.id === cursor);
  const rested = useSettled(cursor, REST_MS);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  const act = (status: Status) => () => {
    const playbook = playbooks.find((each) => each.id === list.get().cursor);
    if (!playbook || !mayBecome(playbook, status)) return false;
    void decide(playbook, status);
    return true;
  };
  useActions('playbooks', {
    'playbooks.next': () => move(stepFrom(ids, list.get().cursor, 1)),
    'playbooks.previous': () => move(stepFrom(ids, list.get().cursor, -1)),
    'playbooks.first': () => move(ids[0] ?? null),
    'playbooks.last': () => move(ids[ids.length - 1] ?? null),
    'playbooks.approve': act('approved'),
    'playbooks.reject': act('rejected'),
    'playbooks.park': act('parked'),
    'playbooks.restore': act('candidate'),
    'playbooks.filter': () => setFilter(FILTERS[(FILTERS.indexOf(filter) + 1) % FILTERS.length] ?? 'all'),
  });
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const count = (status: string) => playbooks.filter((playbook) => playbook.status === status).length;

  return (
    <SplitPane
      name="playbooks"
      list={
        <>
          <PaneHeader title={t.panels.playbooks} count={data ? number(shown.length) : undefined} />
          {playbooks.length > 0 ? (
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
          ) : null}
          <div className={css.body}>
            {error && !data ? (
              <ErrorState title={t.playbooks.loadFailed} text={t.playbooks.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
            ) : !data ? (
              <LoadingRows height={ROW_PX} />
            ) : playbooks.length === 0 ? (
              <EmptyState icon={<Workflow size={18} />} title={t.playbooks.emptyTitle} text={t.playbooks.emptyText} action={<Button onClick={() => go('sources')}>{t.playbooks.emptyAction}</Button>} />
            ) : shown.length === 0 ? (
              <EmptyState icon={<SearchX size={18} />} title={t.playbooks.noneTitle} text={t.playbooks.noneText} action={<Button onClick={() => setFilter('all')}>{t.playbooks.noneAction}</Button>} />
            ) : (
              <VirtualList
                label={t.playbooks.list}
                testId={TESTIDS.playbooksList}
                rowTestId={TESTIDS.playbookRow}
                count={shown.length}
                keyOf={keyOf}
                heightOf={rowHeight}
                activeIndex={cursor === null ? -1 : ids.indexOf(cursor)}
                autoFocus
                onPick={(index) => move(ids[index] ?? null)}
                render={(index) => {
                  const playbook = shown[index];
                  return playbook ? <Row playbook={playbook} /> : null;
                }}
              />
            )}
          </div>
          <p className="srOnly" role="status">
            {data ? t.playbooks.live(shown.length) : ''}
          </p>
        </>
      }
      detail={
        here ? (
          <PlaybookPane key={here.id} playbook={here} isRested={rested === here.id} />
        ) : data && playbooks.length > 0 ? (
          <EmptyState icon={<Workflow size={20} />} title={t.playbooks.pickTitle} text={t.playbooks.pickText} />
        ) : (
          <div className={css.nothing} />
        )
      }
    />
  );
}

const Row = memo(function Row({ playbook }: { playbook: PlaybookListRow }) {
  return (
    <div className={css.row} data-playbook={playbook.id}>
      <div className={css.line}>
        <span className={css.name}>{playbook.title}</span>
        <span className={css.date}>
          <RelativeTime time={playbook.last} date />
        </span>
      </div>
      <div className={css.line}>
        <span className={css.lead}>{playbook.tools.join(', ')}</span>
      </div>
      <div className={css.line}>
        <span className={cx('num', css.meta)}>{t.playbooks.seen(playbook.occurrences)}</span>
        <span className={css.meta}>{nameOf(t.playbooks.sure, playbook.confidence)}</span>
        <span className={css.space} />
        <Badge tone={playbook.status === 'candidate' ? 'accent' : undefined}>{nameOf(t.playbooks.statuses, playbook.status)}</Badge>
      </div>
    </div>
  );
});
