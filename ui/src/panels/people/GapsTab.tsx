/**
 * Capability gaps (unmet requests), decided one at a time as in Review: j and k move, a creates a task, r dismisses.
 *
 * Tasks are stored in the person's own Markdown file. The checkbox there says whether a task is done; it is read whenever this
 * view is opened.
 */
import { CircleCheck } from 'lucide-react';
import { type ReactNode, memo, useEffect, useMemo, useState } from 'react';
import { type GapView, type PersonView, byId, useRpc, useWithLayers } from '../../api';
import { Badge, PaneBar, RelativeTime, Segmented, focusList } from '../../design';
import { useActions } from '../../keys';
import { type Target, createListState, useAnswer } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle } from '../shared/ListPane';
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
  const rows = useListRows('people', list, shown, byId);
  useAnswer(
    target,
    (wanted) => {
      const gap = gaps?.find((each) => each.id === wanted.gap);
      if (!gap) return false;
      setFilter(filterOf(gap));
      rows.want(gap.id);
      return true;
    },
    answered,
  );
  const decided = (act: (gap: GapView) => void) => () => {
    const gap = rows.current();
    if (!gap || !isToDecide(gap)) return false;
    act(gap);
    return true;
  };
  useActions('people', {
    'people.confirm': decided((gap) => {
      // A reopened gap already has a task in its file.
      if (file === null && !gap.task?.file) setChoosing({ gap: gap.id });
      else void confirmGap(gap.id, null);
    }),
    'people.dismiss': decided((gap) => {
      rows.leave(gap.id, 'fade');
      void dismissGap(gap.id);
    }),
  });
  const words = t.gaps;
  return (
    <>
      <ListDetail
        name="people"
        words={{ ...words, loadFailedText: t.app.safeInDatabase, ...words.empty[filter] }}
        icon={CircleCheck}
        rows={rows}
        all={gaps}
        error={error}
        onRetry={retry}
        tabs={tabs}
        testId={TESTIDS.gapsList}
        rowTestId={TESTIDS.gapRow}
        renderRow={(gap) => <Row gap={gap} people={people} />}
        renderDetail={(gap) => <GapPane key={gap.id} gap={gap} known={people} at={rows.at} of={shown.length} />}
        bars={
          <>
            <PaneBar>
              <Segmented
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
