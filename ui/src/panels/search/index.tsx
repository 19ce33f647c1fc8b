/**
 * Search: one box for all kinds, the results with the matching words, and the result under the cursor with the lines around it.
 *
 * Filters (kind, channel, author, month) are written into the box as operators, so that the box alone defines the search. The
 * results always belong to the words in the box. Enter opens the exact line; Back returns to the same results.
 */
import { CircleHelp, SearchIcon } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { SearchResponse } from '../../api';
import { Button, EmptyState, ErrorState, Facet, IconButton, LoadingRows, Menu, PaneBar, Segmented, SplitPane, VirtualList, facetValues, focusList } from '../../design';
import { useActions } from '../../keys';
import { type Target, moveTo, stepFrom, useNavTarget, useStore } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Nothing } from '../shared/ListPane';
import { useListCursor } from '../shared/memoryRows';
import { useSearching } from '../shared/searching';
import { Beginning, HELP, NothingFound, focusBox } from './Blank';
import { Box } from './Box';
import { type Kind, KINDS, isNarrowed, kindOf, monthOf, valuesOf, withKind, withMonth, withValues, wordsOf } from './operators';
import { Preview } from './Preview';
import { ResultRow } from './ResultRow';
import { Suggest } from './Suggest';
import { type Row, rowsOf } from './rows';
import css from './Search.module.css';
import { list, openHit, scrolled, typed } from './state';

/** Maximum number of results. If there are more, the person should narrow the search. */
const RESULTS_MAX = 100;
/** Number of lines shown before and after a message. */
const AROUND = 2;

const HEADING_PX = 34;
const MORE_PX = 36;
const PERSON_PX = 40;
const HIT_PX = 84;

const KIND_CHOICES: readonly (Kind | 'all')[] = ['all', ...KINDS];
const NO_ROWS: readonly Row[] = [];

/** Navigation requests that were already handled, so that returning to this page does not repeat them. */
const answered = new WeakSet<Target>();

const heightOfRow = (row: Row | undefined): number => {
  if (row?.kind === 'heading') return HEADING_PX;
  if (row?.kind === 'more') return MORE_PX;
  return row?.hit.kind === 'person' ? PERSON_PX : HIT_PX;
};

export default function Search() {
  const target = useNavTarget('search');
  // Runs before the paint, so that results of another query are never visible.
  useLayoutEffect(() => {
    if (!target || answered.has(target)) return;
    answered.add(target);
    if (target.query !== undefined) typed.set(target.query);
  }, [target]);
  const text = useStore(typed, (now) => now);
  const query = text.trim();
  const kind = kindOf(query);
  const { answer, isWaiting, error, retry } = useSearching(query, { scope: 'all', limit: RESULTS_MAX, around: AROUND });
  const rows = useMemo(() => (answer ? rowsOf(answer, kind) : NO_ROWS), [answer, kind]);
  const ids = useMemo(() => rows.filter((row) => row.kind !== 'heading').map((row) => row.key), [rows]);
  useListCursor(list, ids);
  const cursor = useStore(list, (state) => state.cursor);
  const at = cursor === null ? -1 : rows.findIndex((row) => row.key === cursor);
  const here = rows[at];

  const set = (next: string) => typed.set(next);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  const open = (row: Row | undefined) => {
    if (row?.kind === 'hit') openHit(row.hit, query);
    else if (row?.kind === 'more') set(withKind(query, row.of));
    else return false;
    return true;
  };
  const rowUnderCursor = () => rows.find((row) => row.key === list.get().cursor);
  useActions('search', {
    'search.next': () => move(stepFrom(ids, list.get().cursor, 1)),
    'search.previous': () => move(stepFrom(ids, list.get().cursor, -1)),
    'search.first': () => move(ids[0] ?? null),
    'search.last': () => move(ids[ids.length - 1] ?? null),
    'search.open': () => open(rowUnderCursor()),
    'search.kind': () => set(withKind(query, KIND_CHOICES[(KIND_CHOICES.indexOf(kind) + 1) % KIND_CHOICES.length] ?? 'all')),
  });

  // For a new search, the focus goes to the box; on return, to the results.
  const isBack = useRef(query !== '');
  useEffect(() => {
    if (!isBack.current) focusBox();
  }, []);

  return (
    <SplitPane
      name="search"
      initial={520}
      list={
        <>
          <header className={css.head}>
            <h1 className="srOnly">{t.panels.search}</h1>
            <Box value={text} onChange={set} onLeave={() => focusList(TESTIDS.searchList)} />
            <Menu
              align="end"
              trigger={
                <IconButton label={t.search.operators} testId={TESTIDS.searchOperators}>
                  <CircleHelp size={16} />
                </IconButton>
              }
              entries={HELP.map(({ of, put }) => ({
                id: of,
                label: t.search.help[of].text,
                hint: t.search.help[of].example,
                run: () => {
                  set(put(text));
                  focusBox();
                },
              }))}
            />
          </header>
          <PaneBar>
            <Segmented label={t.search.kinds} value={kind} testId={TESTIDS.searchKinds} choices={KIND_CHOICES.map((value) => ({ value, label: nameOf(t.search.kind, value), testId: `search-kind-${value}` }))} onChange={(next) => set(withKind(text, next))} />
          </PaneBar>
          <Filters text={text} answer={answer} onText={set} />
          {query !== '' && answer?.is_nearest_only && rows.length > 0 ? (
            <p className={css.nearest} data-testid={TESTIDS.searchNearest}>
              {t.search.nearestOnly}
            </p>
          ) : null}
          <div className={css.body}>
            {query === '' ? (
              <Beginning query={text} onQuery={set} />
            ) : error ? (
              <ErrorState title={t.search.failed} text={t.search.failedText} detail={error.message} onRetry={retry} />
            ) : !answer ? (
              <LoadingRows height={HIT_PX} />
            ) : rows.length === 0 ? (
              <NothingFound query={query} onQuery={set} />
            ) : (
              <Results key={query} query={query} rows={rows} at={at} onMove={move} onOpen={open} />
            )}
          </div>
          <p className="srOnly" role="status">
            {query === '' ? '' : isWaiting ? t.search.searching : !answer ? '' : answer.is_nearest_only ? t.search.nearestOnly : t.search.found(answer.hits.length)}
          </p>
        </>
      }
      detail={
        here?.kind === 'hit' ? (
          <Preview key={here.key} hit={here.hit} onOpen={() => open(here)} />
        ) : rows.length > 0 ? (
          <EmptyState icon={<SearchIcon size={20} />} title={t.search.pickTitle} text={t.search.pickText} />
        ) : isWaiting && query !== '' ? (
          <Nothing />
        ) : (
          <Suggest onQuery={set} />
        )
      }
    />
  );
}

/** Values that the results have in common. Selecting one narrows the search; it can be removed here or in the box. */
function Filters({ text, answer, onText }: { text: string; answer: SearchResponse | undefined; onText: (next: string) => void }) {
  const countsOf = (name: string) => answer?.facets.find((facet) => facet.name === name)?.values ?? [];
  /** The typed values, spelled as in the facet if they occur there. */
  const chosenOf = (operator: 'channel' | 'person', name: string) => valuesOf(text, operator).map((value) => countsOf(name).find((each) => each.name.toLowerCase() === value.toLowerCase())?.name ?? value);
  const channels = chosenOf('channel', 'channel');
  const authors = chosenOf('person', 'author');
  const month = monthOf(text);
  const months = month === null ? [] : [month];
  return (
    <PaneBar>
      <Facet label={t.app.channelName} values={facetValues(countsOf('channel'), channels, (name) => nameOf(t.channel, name))} chosen={channels} onChange={(next) => onText(withValues(text, 'channel', next))} testId="facet-channel" />
      <Facet label={t.search.author} values={facetValues(countsOf('author'), authors, (name) => name)} chosen={authors} onChange={(next) => onText(withValues(text, 'person', next))} testId="facet-author" />
      <Facet label={t.search.month} isSingle values={facetValues(countsOf('month'), months, monthName)} chosen={months} onChange={([next]) => onText(withMonth(text, next ?? null))} testId="facet-month" />
      {isNarrowed(text) ? (
        <Button size="s" tone="quiet" testId={TESTIDS.searchClear} onClick={() => onText(wordsOf(text))}>
          {t.app.clearFilters}
        </Button>
      ) : null}
      <span className={css.space} />
      {answer && !answer.is_nearest_only ? (
        <span className={css.count} data-testid={TESTIDS.searchCount}>
          {answer.hits.length >= RESULTS_MAX ? t.search.atLeast(answer.hits.length) : t.search.found(answer.hits.length)}
        </span>
      ) : null}
    </PaneBar>
  );
}

const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthName = (month: string): string => {
  const time = Date.parse(`${month}-01T00:00:00Z`);
  return Number.isNaN(time) ? month : monthFormat.format(time);
};

interface ResultsProps {
  query: string;
  rows: readonly Row[];
  at: number;
  onMove: (to: string | null) => void;
  onOpen: (row: Row | undefined) => unknown;
}

function Results({ query, rows, at, onMove, onOpen }: ResultsProps) {
  const keyAt = useCallback((index: number) => rows[index]?.key ?? '', [rows]);
  const heightAt = useCallback((index: number) => heightOfRow(rows[index]), [rows]);
  return (
    <VirtualList
      label={t.search.list}
      testId={TESTIDS.searchList}
      rowTestId={TESTIDS.searchRow}
      count={rows.length}
      keyOf={keyAt}
      heightOf={heightAt}
      activeIndex={at}
      isHeading={(index) => rows[index]?.kind === 'heading'}
      autoFocus
      startAt_px={scrolled.query === query ? scrolled.top_px : 0}
      onScrolled={(top_px) => Object.assign(scrolled, { query, top_px })}
      onPick={(index) => onMove(rows[index]?.key ?? null)}
      onOpen={(index) => onOpen(rows[index])}
      render={(index) => <ResultOf row={rows[index]} onOpen={onOpen} />}
    />
  );
}

function ResultOf({ row, onOpen }: { row: Row | undefined; onOpen: (row: Row) => unknown }) {
  if (!row) return null;
  if (row.kind === 'hit') return <ResultRow hit={row.hit} />;
  const name = nameOf(t.search.kind, row.of);
  if (row.kind === 'heading') {
    return (
      <div className={css.heading}>
        {name} <span className={css.headingCount}>{number(row.count)}</span>
      </div>
    );
  }
  return (
    // The list handles the Enter key for this row.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className={css.more} data-more={row.of} onClick={() => onOpen(row)}>
      {t.search.more(row.count, name)}
    </div>
  );
}
