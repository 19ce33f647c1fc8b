/** Everyone: search, filters, one row per person, and the person under the cursor. */
import { UserRoundSearch, UsersRound } from 'lucide-react';
import { type ReactNode, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type PersonView, useRpc } from '../../api';
import { Badge, Button, EmptyState, ErrorState, Facet, LoadingRows, PaneBar, RelativeTime, SearchField, SplitPane, facetValues } from '../../design';
import { useActions } from '../../keys';
import { createListState } from '../../state/list';
import { type Target, go } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { setUiState, useUiState } from '../../state/uiState';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { ListPane, ListRow, ListRows, Nothing, ROW_PX, RowAside, RowLine, RowMeta, RowTitle, useRows } from '../shared/ListPane';
import { UnidentifiedSpeakersNotice } from '../shared/UnidentifiedSpeakersNotice';
import { personName } from './clues';
import { type PeopleFilters, NO_FILTERS, facetsOf, isNarrowed, readFilters, shownPeople } from './filters';
import { KindIcon } from './parts';
import { PersonPane } from './PersonPane';

const QUERY_REST_MS = 120;
/** Longer than the time between two repeats of a held key. */
const REST_MS = 100;
const NOTHING = {};
const NOBODY: readonly PersonView[] = [];

const list = createListState();
/** Navigation requests that were already handled, so that returning to this view does not repeat them. */
const answered = new WeakSet<Target>();

/**
 * Keeps the cursor on a person whose id changes when people are linked or unlinked. The cursor moves to the person who now has
 * the handle.
 */
function useFollow(people: readonly PersonView[]): void {
  const last = useRef<{ id: string; handles: readonly string[] } | null>(null);
  useLayoutEffect(() => {
    const { cursor } = list.get();
    if (cursor === null || people.length === 0) return;
    const here = people.find((person) => person.id === cursor);
    if (here) {
      last.current = { id: here.id, handles: here.handles.map((each) => each.id) };
      return;
    }
    const handles = last.current?.id === cursor ? last.current.handles : [];
    const follower = people.find((person) => person.handles.some((each) => handles.includes(each.id)));
    if (follower) list.update((state) => ({ ...state, cursor: follower.id }));
  });
}

export function PeopleTab({ tabs, target }: { tabs: ReactNode; target: Target | null }) {
  const { data, error, refetch } = useRpc('people_list', {});
  const people = data?.items ?? NOBODY;
  const [remembered] = useUiState<object>('people.filters', NOTHING);
  const filters = useMemo(() => readFilters(remembered), [remembered]);
  const setFilters = (next: PeopleFilters) => setUiState('people.filters', next);
  const [query, setQuery] = useState('');
  const asked = useSettled(query, QUERY_REST_MS);
  const shown = useMemo(() => shownPeople(people, asked, filters), [people, asked, filters]);
  const ids = useMemo(() => shown.map((person) => person.id), [shown]);
  const facets = useMemo(() => facetsOf(people, asked, filters), [people, asked, filters]);
  useFollow(people);
  const rows = useRows(list, ids);
  const { want, cursor } = rows;
  useEffect(() => {
    const id = target?.person;
    if (!target || id === undefined || answered.has(target) || people.length === 0) return;
    answered.add(target);
    if (!shown.some((person) => person.id === id)) setUiState('people.filters', NO_FILTERS);
    want(id);
  }, [target, people, shown, want]);

  const here = shown.find((person) => person.id === cursor);
  const rested = useSettled(cursor, REST_MS);
  useActions('people', { 'people.next': rows.next, 'people.previous': rows.previous, 'people.first': rows.first, 'people.last': rows.last });
  const clear = () => {
    setQuery('');
    setFilters(NO_FILTERS);
  };
  const isFiltered = isNarrowed(filters, asked);

  return (
    <SplitPane
      name="people"
      list={
        <ListPane
          title={t.panels.people}
          count={data ? number(shown.length) : undefined}
          tabs={tabs}
          live={data ? t.people.live(shown.length) : ''}
          bars={
            <>
              <PaneBar>
                <SearchField label={t.people.search} value={query} onChange={setQuery} testId={TESTIDS.peopleSearch} onLeave={() => focusList(TESTIDS.peopleList)} />
              </PaneBar>
              <PaneBar>
                <Facet label={t.people.kind} values={facetValues(facets.kind, filters.kind, (name) => nameOf(t.people.kinds, name), Object.keys(t.people.kinds))} chosen={filters.kind} onChange={(kind) => setFilters({ ...filters, kind })} testId="facet-kind" />
                <Facet label={t.people.channel} values={facetValues(facets.channel, filters.channel, (name) => nameOf(t.channel, name))} chosen={filters.channel} onChange={(channel) => setFilters({ ...filters, channel })} testId="facet-channel" />
                <Facet label={t.people.open} isSingle values={[{ name: 'open', label: t.people.withOpen, count: facets.open }]} chosen={filters.open ? ['open'] : []} onChange={([open]) => setFilters({ ...filters, open: open === 'open' })} testId="facet-open" />
              </PaneBar>
              <UnidentifiedSpeakersNotice isBar />
            </>
          }
        >
          {error && !data ? (
            <ErrorState title={t.people.loadFailed} text={t.people.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : !data ? (
            <LoadingRows height={ROW_PX} />
          ) : shown.length === 0 && isFiltered ? (
            <EmptyState icon={<UserRoundSearch size={18} />} title={t.people.noMatchTitle} text={t.people.noMatchText} action={<Button onClick={clear}>{t.people.clearFilters}</Button>} />
          ) : shown.length === 0 ? (
            <EmptyState icon={<UsersRound size={18} />} title={t.people.emptyTitle} text={t.people.emptyText} action={<Button onClick={() => go('sources')}>{t.people.emptyAction}</Button>} />
          ) : (
            <ListRows label={t.people.list} testId={TESTIDS.peopleList} rowTestId={TESTIDS.personRow} items={shown} rows={rows} render={(person) => <Row person={person} />} />
          )}
        </ListPane>
      }
      detail={
        here ? (
          <PersonPane key={here.id} person={here} isRested={rested === here.id} people={people} />
        ) : data && people.length > 0 ? (
          <EmptyState icon={<UsersRound size={20} />} title={t.people.pickTitle} text={t.people.pickText} />
        ) : (
          <Nothing />
        )
      }
    />
  );
}

const Row = memo(function Row({ person }: { person: PersonView }) {
  const channels = [...new Set(person.handles.map((each) => nameOf(t.channel, each.channel)))].join(', ');
  return (
    <ListRow data-person={person.id}>
      <RowLine>
        <KindIcon type={person.type} />
        <RowTitle>{personName(person)}</RowTitle>
        {person.is_owner ? <Badge tone="accent">{t.people.you}</Badge> : null}
        {person.last === null ? null : (
          <RowAside>
            <RelativeTime time={person.last} date />
          </RowAside>
        )}
      </RowLine>
      <RowLine>
        <RowMeta>{person.said_name === null ? channels : t.people.saidName(person.said_name, channels)}</RowMeta>
        {person.handles.length > 1 ? <RowAside>{t.people.handleCount(person.handles.length)}</RowAside> : null}
        {person.open_links > 0 ? <Badge tone="accent">{t.people.suggestions(person.open_links)}</Badge> : null}
      </RowLine>
    </ListRow>
  );
});
