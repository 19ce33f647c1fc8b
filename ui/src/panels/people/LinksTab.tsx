/**
 * Pairs of handles that may belong to one person, answered one at a time as in Review: j and k move, one key answers, u undoes.
 *
 * An answered pair leaves the list. It stays under "Answered", where it can be changed; the answer keys work there too.
 */
import { HeartHandshake } from 'lucide-react';
import { type ReactNode, memo, useMemo, useState } from 'react';
import { type LinkView, byId, useRpc } from '../../api';
import { Badge, PaneBar, Segmented, focusList } from '../../design';
import { useActions } from '../../keys';
import { type Target, createListState, useAnswer } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowLine, RowMeta, RowTitle } from '../shared/ListPane';
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
  const { links, beyond, more, error, retry } = useLinks();
  const { data: known } = useRpc('people_list', {}, { select: (response) => response.items });
  const handles = useMemo(() => handlesById(known ?? []), [known]);
  const [filter, setFilter] = useState<Filter>('open');
  const open = useMemo(() => links?.filter((link) => link.status === 'open') ?? NONE, [links]);
  const closed = useMemo(() => links?.filter((link) => link.status !== 'open') ?? NONE, [links]);
  const shown = filter === 'open' ? open : closed;
  const rows = useListRows('people', list, shown, byId);
  useAnswer(
    target,
    ({ link: id }) => {
      if (id === undefined || !links) return false;
      const link = links.find((each) => each.id === id);
      if (!link) return true;
      setFilter(link.status === 'open' ? 'open' : 'answered');
      rows.want(id);
      return true;
    },
    answered,
  );

  /** The row leaves this list if its answer belongs in the other one. */
  const act = (link: LinkView, status: string, how: 'up' | 'fade', run: () => unknown) => {
    if ((status === 'open') !== (filter === 'open')) rows.leave(link.id, how);
    run();
    return true;
  };
  const answer = (given: Answer) => () => {
    const link = rows.current();
    if (!link || link.status === given) return false;
    return act(link, given, given === 'same' ? 'up' : 'fade', () => void answerLink(link, given));
  };
  useActions('people', {
    'people.same': answer('same'),
    'people.different': answer('different'),
    'people.unsure': answer('unsure'),
    'people.undoAnswer': () => {
      const link = rows.current();
      if (!link || link.status === 'open') return false;
      return act(link, 'open', 'fade', () => void undoAnswer(link));
    },
  });

  return (
    <ListDetail
      name="people"
      words={{ ...t.people.ofLinks, ...t.people.noLinks[filter] }}
      icon={HeartHandshake}
      rows={rows}
      all={links}
      beyond={beyond[filter]}
      error={error}
      onRetry={retry}
      tabs={tabs}
      testId={TESTIDS.linksList}
      rowTestId={TESTIDS.linkRow}
      renderRow={(link) => <Row link={link} />}
      renderDetail={(link) => <LinkPane key={link.id} link={link} handles={handles} at={rows.at} of={shown.length} />}
      onRange={(_, last) => last >= shown.length - ROWS_AHEAD && more(filter)}
      bars={
        <PaneBar>
          <Segmented
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
