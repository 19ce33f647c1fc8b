/** Everyone: search, filters, one row per person, and the person under the cursor. */
import { UserRoundSearch, UsersRound } from 'lucide-react';
import { type ReactNode, memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type PersonView, byId, useRpc } from '../../api';
import { Badge, Facet, PaneBar, RelativeTime, SearchField, facetValues, focusList } from '../../design';
import { type Target, createListState, setUiState, useAnswer, useSettled, useUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle } from '../shared/ListPane';
import { UnidentifiedSpeakersNotice } from '../shared/UnidentifiedSpeakersNotice';
import { personName } from './clues';
import { type PeopleFilters, NO_FILTERS, facetsOf, isNarrowed, readFilters, shownPeople } from './filters';
import { KindIcon } from './parts';
import { PersonPane } from './PersonPane';

const QUERY_REST_MS = 120;
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
  const facets = useMemo(() => facetsOf(people, asked, filters), [people, asked, filters]);
  useFollow(people);
  const rows = useListRows('people', list, shown, byId);
  useAnswer(
    target,
    ({ person }) => {
      if (person === undefined || people.length === 0) return false;
      if (!shown.some((each) => each.id === person)) setFilters(NO_FILTERS);
      rows.want(person);
      return true;
    },
    answered,
  );
  const clear = () => {
    setQuery('');
    setFilters(NO_FILTERS);
  };

  return (
    <ListDetail
      name="people"
      words={{ ...t.people, loadFailedText: t.app.safeInDatabase }}
      icon={UsersRound}
      noMatchIcon={UserRoundSearch}
      rows={rows}
      all={data?.items}
      error={error}
      onRetry={refetch}
      tabs={tabs}
      testId={TESTIDS.peopleList}
      rowTestId={TESTIDS.personRow}
      renderRow={(person) => <Row person={person} />}
      renderDetail={(person) => <PersonPane key={person.id} person={person} isRested={rows.isRested} people={people} />}
      onClear={isNarrowed(filters, asked) ? clear : undefined}
      bars={
        <>
          <PaneBar>
            <SearchField label={t.people.search} value={query} onChange={setQuery} testId={TESTIDS.peopleSearch} onLeave={() => focusList(TESTIDS.peopleList)} />
          </PaneBar>
          <PaneBar>
            <Facet label={t.people.kind} values={facetValues(facets.kind, filters.kind, (name) => nameOf(t.people.kinds, name), Object.keys(t.people.kinds))} chosen={filters.kind} onChange={(kind) => setFilters({ ...filters, kind })} testId="facet-kind" />
            <Facet label={t.app.channelName} values={facetValues(facets.channel, filters.channel, (name) => nameOf(t.channel, name))} chosen={filters.channel} onChange={(channel) => setFilters({ ...filters, channel })} testId="facet-channel" />
            <Facet label={t.people.open} isSingle values={[{ name: 'open', label: t.people.withOpen, count: facets.open }]} chosen={filters.open ? ['open'] : []} onChange={([open]) => setFilters({ ...filters, open: open === 'open' })} testId="facet-open" />
          </PaneBar>
          <UnidentifiedSpeakersNotice isBar />
        </>
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
