/**
 * Chooses which rooms, folders or chats of an account are remembered.
 *
 * It takes the place of the page, because there may be ten thousand of them, and because the person decides about them by keyboard
 * with undo, as in every list. Undecided ones come first and stay where they are until the list is opened again.
 */
import { ArrowLeft, SearchX, Inbox } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { type LiveChannelView, type LiveSourceView, useRpc, useWithLayers } from '../../../api';
import { Button, EmptyState, ErrorState, LoadingRows, PaneBar, PaneFoot, PaneHeader, SearchField, Segmented, VirtualList, focusList } from '../../../design';
import { useActions } from '../../../keys';
import { clearSelection, concerned, useSettled, useStore, useUiState } from '../../../state';
import { number, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { pickRow, useListRows, useSelecting } from '../../shared/ListDetail';
import { ROW_PX } from '../../shared/ListPane';
import { ChannelRow } from './ChannelRow';
import { type Choice, PERIODS, type View, channelKey, channelList as list, choose, closeChannels, countByChoice, isPeriod, matching, sinceOf, undecidedFirst } from './channelChoices';
import css from './Channels.module.css';

const QUERY_REST_MS = 120;
const NONE: readonly LiveChannelView[] = [];
const VIEWS: readonly View[] = ['all', 'ask', 'remember', 'ignore'];
const heightOf = () => ROW_PX;
const channelOf = (row: LiveChannelView): string => row.channel;

export function Channels({ source }: { source: LiveSourceView }) {
  const { id, kind } = source;
  const words = t.liveSources.channels;
  const { data: answer, error, refetch } = useRpc('live_channels_list', { id });
  return (
    <div className={css.panel}>
      {answer ? (
        <Choosing source={source} answer={answer} />
      ) : (
        <>
          <Header source={source} />
          {error ? <ErrorState title={words.failed(kind)} text={words.failedText} detail={error.message} onRetry={() => void refetch()} /> : <LoadingRows height={ROW_PX} />}
        </>
      )}
    </div>
  );
}

function Header({ source, count }: { source: LiveSourceView; count?: number }) {
  const words = t.liveSources.channels;
  return (
    <PaneHeader title={words.title(source.kind)} count={count === undefined ? source.name : `${source.name} · ${number(count)}`}>
      <Button size="s" icon={<ArrowLeft size={14} aria-hidden="true" />} action="sources.back" testId={TESTIDS.liveChannelsBack} onClick={closeChannels}>
        {words.back}
      </Button>
    </PaneHeader>
  );
}

function Choosing({ source, answer }: { source: LiveSourceView; answer: { items: LiveChannelView[] } }) {
  const { id, kind } = source;
  const words = t.liveSources.channels;
  const keyOf = useCallback((row: LiveChannelView) => channelKey(id, row.channel), [id]);
  const rows = useWithLayers(answer, answer.items ?? NONE, keyOf);
  const [decided] = useState(() => new Set(rows.filter((row) => row.choice !== 'ask').map((row) => row.channel)));
  const [query, setQuery] = useState('');
  const asked = useSettled(query, QUERY_REST_MS);
  const [view, setView] = useState<View>('all');
  const [kept, setPeriod] = useUiState<string>('sources.period', 'everything');
  const period = isPeriod(kept) ? kept : 'everything';
  const ordered = useMemo(() => undecidedFirst(rows, decided), [rows, decided]);
  const shown = useMemo(() => matching(ordered, asked, view), [ordered, asked, view]);
  const counts = useMemo(() => countByChoice(rows), [rows]);
  const byId = useMemo(() => new Map(shown.map((row) => [row.channel, row])), [shown]);
  const cursor = useListRows('sources', list, shown, channelOf);
  const { ids } = cursor;
  const selected = useStore(list, (state) => state.selected);
  const isWebhook = kind === 'webhook';

  const decide = useCallback(
    (wanted: readonly string[], choice: Choice) => {
      const from = choice === 'remember' && !isWebhook ? sinceOf(period, Date.now()) : undefined;
      return choose({ id, kind }, wanted.flatMap((each) => byId.get(each) ?? []), choice, from);
    },
    [id, kind, isWebhook, period, byId],
  );
  const act = (choice: Choice) => () => decide(concerned(list.get()), choice);
  const selectAll = () => list.update((state) => ({ ...state, selected: new Set(ids) }));
  useSelecting('sources', list, ids);
  useActions('sources', {
    'sources.remember': act('remember'),
    'sources.ignore': act('ignore'),
    'sources.ask': act('ask'),
    'sources.selectAll': selectAll,
    'sources.back': () => {
      if (list.get().selected.size > 0) list.update(clearSelection);
      else closeChannels();
    },
  });

  const clear = () => {
    setQuery('');
    setView('all');
  };
  return (
    <>
      <Header source={source} count={shown.length} />
      <PaneBar>
        <SearchField label={words.search(kind)} value={query} onChange={setQuery} testId={TESTIDS.liveChannelsSearch} onLeave={() => focusList(TESTIDS.liveChannelsList)} />
        <Segmented value={view} choices={VIEWS.map((value) => ({ value, label: words.views[value], count: counts[value] }))} onChange={setView} />
      </PaneBar>
      <p className={css.note}>{isWebhook ? words.noteWebhook : words.note(kind)}</p>
      <div className={css.list}>
        {rows.length === 0 ? (
          <EmptyState icon={<Inbox size={18} />} title={words.none(kind)} text={isWebhook ? words.noneTextWebhook : words.noneText} />
        ) : shown.length === 0 ? (
          <EmptyState icon={<SearchX size={18} />} title={words.noMatch} text={words.noMatchText} action={<Button onClick={clear}>{t.app.clearFilters}</Button>} />
        ) : (
          <VirtualList
            label={words.list(kind)}
            testId={TESTIDS.liveChannelsList}
            rowTestId={TESTIDS.liveChannelRow}
            pattern="grid"
            isMulti
            autoFocus
            count={shown.length}
            keyOf={cursor.keyOf}
            heightOf={heightOf}
            activeIndex={cursor.at}
            isSelected={(index) => selected.has(cursor.keyOf(index))}
            onPick={(index, event) => pickRow(list, ids, ids[index], event)}
            render={(index) => {
              const row = shown[index];
              return row === undefined ? null : <ChannelRow row={row} isSelected={selected.has(row.channel)} onChoose={decide} />;
            }}
          />
        )}
      </div>
      <p className="srOnly" role="status">
        {words.live(kind, shown.length)}
      </p>
      <PaneFoot label={words.actions}>
        <Button tone="primary" action="sources.remember" disabled={cursor.at < 0}>
          {words.choices['remember']}
        </Button>
        {isWebhook ? null : (
          <span className={css.since}>
            <span aria-hidden="true">{words.since}</span>
            <select className={css.select} aria-label={words.sinceName} title={words.sinceHint} value={period} data-testid={TESTIDS.liveChannelsSince} onChange={(event) => setPeriod(event.target.value)}>
              {PERIODS.map((each) => (
                <option key={each} value={each}>
                  {words.periods[each]}
                </option>
              ))}
            </select>
          </span>
        )}
        <Button action="sources.ignore" disabled={cursor.at < 0}>
          {words.choices['ignore']}
        </Button>
        <Button tone="quiet" action="sources.ask" disabled={cursor.at < 0}>
          {words.choices['ask']}
        </Button>
        <span className={css.space} />
        {selected.size > 0 ? <span className="num">{words.selected(selected.size)}</span> : null}
        {selected.size < shown.length ? (
          <Button size="s" tone="quiet" action="sources.selectAll" testId={TESTIDS.liveSelectAll} onClick={selectAll}>
            {words.selectAll(shown.length)}
          </Button>
        ) : null}
        {selected.size > 0 ? (
          <Button size="s" tone="quiet" onClick={() => list.update(clearSelection)}>
            {t.app.clear}
          </Button>
        ) : null}
      </PaneFoot>
    </>
  );
}
