/**
 * Pairs of handles that may belong to one person, answered one at a time as in Review: j and k move, one key answers, u undoes.
 *
 * An answered pair leaves the list. It stays under "Answered", where it can be changed; the answer keys work there too.
 */
import { HeartHandshake } from 'lucide-react';
import { type ReactNode, memo, useEffect, useMemo, useState } from 'react';
import { type LinkView, useRpc } from '../../api';
import { Badge, EmptyState, ErrorState, LoadingRows, PaneBar, Segmented, SplitPane, leaveRow } from '../../design';
import { useActions } from '../../keys';
import { beforeLeaving, createListState } from '../../state/list';
import type { Target } from '../../state/nav';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { ListPane, ListRow, ListRows, Nothing, ROW_PX, RowLine, RowMeta, RowTitle, useRows } from '../shared/ListPane';
import { type Answer, answerLink, undoAnswer, useLinks } from './answers';
import { handleName, handlesById } from './clues';
import { LinkPane } from './LinkPane';
import { Strength } from './parts';

/** More pairs are requested when only this many are left below the cursor. */
const ROWS_AHEAD = 20;
const NONE: readonly LinkView[] = [];

type Filter = 'open' | 'answered';

const list = createListState();
/** Navigation requests that were already handled, so that returning to this view does not repeat them. */
const answered = new WeakSet<Target>();

export function LinksTab({ tabs, target }: { tabs: ReactNode; target: Target | null }) {
  const { links, beyond, more, error, isLoading, retry } = useLinks();
  const { data: known } = useRpc('people_list', {}, { select: (response) => response.items });
  const handles = useMemo(() => handlesById(known ?? []), [known]);
  const [filter, setFilter] = useState<Filter>('open');
  const open = useMemo(() => links?.filter((link) => link.status === 'open') ?? NONE, [links]);
  const closed = useMemo(() => links?.filter((link) => link.status !== 'open') ?? NONE, [links]);
  const shown = filter === 'open' ? open : closed;
  const ids = useMemo(() => shown.map((link) => link.id), [shown]);
  const rows = useRows(list, ids);
  const { want, cursor } = rows;
  useEffect(() => {
    const id = target?.link;
    if (!target || id === undefined || answered.has(target) || !links) return;
    answered.add(target);
    const isOpen = open.some((link) => link.id === id);
    if (isOpen || closed.some((link) => link.id === id)) {
      // A navigation request from elsewhere in the window, which arrives like an event.
      // oxlint-disable-next-line react/set-state-in-effect
      setFilter(isOpen ? 'open' : 'answered');
      want(id);
    }
  }, [target, links, open, closed, want]);

  const here = shown.find((link) => link.id === cursor);
  /** The row leaves this list if its answer belongs in the other one. */
  const act = (link: LinkView, status: string, how: 'up' | 'fade', run: () => unknown) => {
    if ((status === 'open') !== (filter === 'open')) {
      leaveRow(link.id, how);
      list.update((state) => beforeLeaving(state, ids, [link.id]));
    }
    run();
    return true;
  };
  const answer = (given: Answer) => () => {
    const link = shown.find((each) => each.id === list.get().cursor);
    if (!link || link.status === given) return false;
    return act(link, given, given === 'same' ? 'up' : 'fade', () => void answerLink(link, given));
  };
  useActions('people', {
    'people.next': rows.next,
    'people.previous': rows.previous,
    'people.first': rows.first,
    'people.last': rows.last,
    'people.same': answer('same'),
    'people.different': answer('different'),
    'people.unsure': answer('unsure'),
    'people.undoAnswer': () => {
      const link = shown.find((each) => each.id === list.get().cursor);
      if (!link || link.status === 'open') return false;
      return act(link, 'open', 'fade', () => void undoAnswer(link));
    },
  });

  return (
    <SplitPane
      name="people"
      list={
        <ListPane
          title={t.panels.people}
          count={links ? number(shown.length + beyond[filter]) : undefined}
          tabs={tabs}
          live={links ? t.people.linksLive(shown.length) : ''}
          bars={
            <PaneBar>
              <Segmented
                label={t.people.filter}
                value={filter}
                choices={[
                  { value: 'open', label: t.people.toAnswer, count: open.length + beyond.open, testId: 'links-open' },
                  { value: 'answered', label: t.people.answered, count: closed.length + beyond.answered, testId: 'links-answered' },
                ]}
                onChange={(next) => {
                  list.update((state) => ({ ...state, cursor: null }));
                  setFilter(next);
                  focusList(TESTIDS.linksList);
                }}
              />
            </PaneBar>
          }
        >
          {error && !links ? (
            <ErrorState title={t.people.linksFailed} text={t.people.linksFailedText} detail={error.message} onRetry={retry} />
          ) : isLoading || !links ? (
            <LoadingRows height={ROW_PX} />
          ) : shown.length === 0 ? (
            <EmptyState icon={<HeartHandshake size={18} />} title={filter === 'open' ? t.people.emptyLinksTitle : t.people.emptyAnsweredTitle} text={filter === 'open' ? t.people.emptyLinksText : t.people.emptyAnsweredText} />
          ) : (
            <ListRows label={t.people.linksList} testId={TESTIDS.linksList} rowTestId={TESTIDS.linkRow} items={shown} rows={rows} onRange={(_, last) => last >= ids.length - ROWS_AHEAD && more(filter)} render={(link) => <Row link={link} />} />
          )}
        </ListPane>
      }
      detail={here ? <LinkPane key={here.id} link={here} handles={handles} at={ids.indexOf(here.id)} of={ids.length} /> : <Nothing />}
    />
  );
}

const STATUS_TONES: Readonly<Record<string, 'ok' | 'plain'>> = { same: 'ok' };

const Row = memo(function Row({ link }: { link: LinkView }) {
  const [a, b] = [handleName(link.a), handleName(link.b)];
  return (
    <ListRow data-link={link.id}>
      <RowLine>
        <RowTitle>{a === b ? a : `${a} – ${b}`}</RowTitle>
        {link.status === 'open' ? <Strength strength={link.strength} /> : <Badge tone={STATUS_TONES[link.status] ?? 'plain'}>{nameOf(t.people.linkStates, link.status)}</Badge>}
      </RowLine>
      <RowLine>
        <RowMeta>
          {nameOf(t.channel, link.a.channel)} {link.a.handle === a ? '' : link.a.handle} – {nameOf(t.channel, link.b.channel)} {link.b.handle === b ? '' : link.b.handle}
        </RowMeta>
      </RowLine>
    </ListRow>
  );
});
