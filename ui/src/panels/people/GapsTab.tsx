/**
 * Capability gaps (unmet requests), decided one at a time as in Review: j and k move, a creates a task, r dismisses.
 *
 * Tasks are stored in the person's own Markdown file. The checkbox there says whether a task is done; it is read whenever this
 * view is opened.
 */
import { CircleCheck } from 'lucide-react';
import { type ReactNode, memo, useEffect, useMemo, useState } from 'react';
import { type GapView, type PersonView, useRpc } from '../../api';
import { byId, useWithLayers } from '../../api/layers';
import { Badge, EmptyState, ErrorState, LoadingRows, PaneBar, RelativeTime, Segmented, SplitPane, leaveRow } from '../../design';
import { useActions } from '../../keys';
import { beforeLeaving, createListState } from '../../state/list';
import type { Target } from '../../state/nav';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { ListPane, ListRow, ListRows, Nothing, ROW_PX, RowAside, RowLine, RowMeta, RowTitle, useRows } from '../shared/ListPane';
import { personName } from './clues';
import { GAP_TONES, GapPane } from './GapPane';
import { type GapFilter, confirmGap, dismissGap, filterOf, isToDecide, needWords, personOf } from './gaps';
import { TasksFileDialog, TasksFileLine } from './TasksFile';

const FILTERS: readonly GapFilter[] = ['open', 'tasks', 'done'];
const NOBODY: readonly PersonView[] = [];
const NONE: readonly GapView[] = [];

const list = createListState();
/** Navigation requests that were already handled, so that returning to this view does not repeat them. */
const answered = new WeakSet<Target>();

/**
 * The gaps with the person's decisions applied. Each request reads the checkboxes in the file, so this view sends one when it is
 * opened.
 */
function useGaps() {
  const query = useRpc('gaps_list', {});
  const { refetch } = query;
  useEffect(() => {
    const look = () => void refetch({ cancelRefetch: false });
    look();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [refetch]);
  const { data } = query;
  const gaps = useWithLayers(data, data?.items ?? NONE, byId);
  return { gaps: data ? gaps : undefined, file: data?.tasks_file ?? null, error: query.error, retry: () => void refetch() };
}

export function GapsTab({ tabs, target }: { tabs: ReactNode; target: Target | null }) {
  const { gaps, file, error, retry } = useGaps();
  const { data: people = NOBODY } = useRpc('people_list', {}, { select: (response) => response.items });
  const [filter, setFilter] = useState<GapFilter>('open');
  /** The file dialog, and the gap to confirm once a file is chosen. */
  const [choosing, setChoosing] = useState<{ gap: string | null } | null>(null);
  const by = useMemo(() => new Map(FILTERS.map((each) => [each, gaps?.filter((gap) => filterOf(gap) === each) ?? NONE])), [gaps]);
  const shown = by.get(filter) ?? NONE;
  const ids = useMemo(() => shown.map((gap) => gap.id), [shown]);
  const rows = useRows(list, ids);
  const { want } = rows;
  useEffect(() => {
    const gap = gaps?.find((each) => each.id === target?.gap);
    if (!target || !gap || answered.has(target)) return;
    answered.add(target);
    // A navigation request from elsewhere in the window, which arrives like an event.
    // oxlint-disable-next-line react/set-state-in-effect
    setFilter(filterOf(gap));
    want(gap.id);
  }, [target, gaps, want]);
  const here = shown[rows.at];
  const current = () => shown.find((gap) => gap.id === list.get().cursor);
  const leave = (id: string, how: 'up' | 'fade') => {
    leaveRow(id, how);
    list.update((state) => beforeLeaving(state, ids, [id]));
  };
  useActions('people', {
    'people.next': rows.next,
    'people.previous': rows.previous,
    'people.first': rows.first,
    'people.last': rows.last,
    'people.confirm': () => {
      const gap = current();
      if (!gap || !isToDecide(gap)) return false;
      // A reopened gap already has a task in its file.
      if (file === null && !gap.task?.file) setChoosing({ gap: gap.id });
      else void confirmGap(gap.id, null);
      return true;
    },
    'people.dismiss': () => {
      const gap = current();
      if (!gap || !isToDecide(gap)) return false;
      leave(gap.id, 'fade');
      void dismissGap(gap.id);
      return true;
    },
  });
  const words = t.gaps;
  return (
    <>
      <SplitPane
        name="people"
        list={
          <ListPane
            title={t.panels.people}
            count={gaps ? number(shown.length) : undefined}
            tabs={tabs}
            live={gaps ? words.live(shown.length) : ''}
            bars={
              <>
                <PaneBar>
                  <Segmented
                    label={words.filter}
                    value={filter}
                    choices={FILTERS.map((value) => ({ value, label: words.filters[value], count: by.get(value)?.length ?? 0, testId: `gaps-${value}` }))}
                    onChange={(next) => {
                      list.update((state) => ({ ...state, cursor: null }));
                      setFilter(next);
                      focusList(TESTIDS.gapsList);
                    }}
                  />
                </PaneBar>
                <PaneBar>
                  <TasksFileLine file={file} onChange={() => setChoosing({ gap: null })} />
                </PaneBar>
              </>
            }
          >
            {error && !gaps ? (
              <ErrorState title={words.loadFailed} text={words.loadFailedText} detail={error.message} onRetry={retry} />
            ) : !gaps ? (
              <LoadingRows height={ROW_PX} />
            ) : shown.length === 0 ? (
              <EmptyState icon={<CircleCheck size={18} />} title={words.emptyTitle[filter]} text={words.emptyText[filter]} />
            ) : (
              <ListRows label={words.list} testId={TESTIDS.gapsList} rowTestId={TESTIDS.gapRow} items={shown} rows={rows} render={(gap) => <Row gap={gap} people={people} />} />
            )}
          </ListPane>
        }
        detail={here ? <GapPane key={here.id} gap={here} known={people} at={rows.at} of={ids.length} /> : <Nothing />}
      />
      {choosing ? <TasksFileDialog file={file} gap={choosing.gap} onClose={() => setChoosing(null)} /> : null}
    </>
  );
}

const Row = memo(function Row({ gap, people }: { gap: GapView; people: readonly PersonView[] }) {
  const person = personOf(gap, people);
  return (
    <ListRow data-gap={gap.id}>
      <RowLine>
        <RowTitle>{needWords(gap)}</RowTitle>
        {gap.status === 'reopened' ? <Badge tone={GAP_TONES.reopened}>{nameOf(t.gaps.states, gap.status)}</Badge> : null}
        <RowAside>
          <RelativeTime time={gap.last_seen} date />
        </RowAside>
      </RowLine>
      <RowLine>
        <RowMeta>
          {t.gaps.occasions(gap.frequency)}, {person ? (person.is_owner ? t.people.you.toLowerCase() : personName(person)) : t.gaps.several.toLowerCase()}
        </RowMeta>
      </RowLine>
    </ListRow>
  );
});
