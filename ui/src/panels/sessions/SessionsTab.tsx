/** The list of sessions, and the session under the cursor. */
import { BotMessageSquare, SearchX } from 'lucide-react';
import { type ReactNode, memo, useEffect, useMemo, useRef, useState } from 'react';
import { type SessionListRow, useRpc } from '../../api';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBar, RelativeTime, SearchField, SplitPane } from '../../design';
import { useActions } from '../../keys';
import { createListState } from '../../state/list';
import { go } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { ListPane, ListRow, ListRows, Nothing, RowAside, RowLine, RowMeta, RowTitle, TALL_ROW_PX, useRows } from '../shared/ListPane';
import { SessionPane } from './SessionPane';
import { Significance } from './Significance';

const QUERY_REST_MS = 120;
/** Longer than the time between two repeats of a held key. */
const REST_MS = 100;
const NONE: readonly SessionListRow[] = [];

const list = createListState();

/** Whether a session contains the words in its subject, its participants or its place. */
export function matches(session: SessionListRow, query: string): boolean {
  const hay = [session.intent, session.agent, session.user, session.conversation_title].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}

export function SessionsTab({ tabs, wanted }: { tabs: ReactNode; wanted: string | null }) {
  const { data, error, refetch } = useRpc('sessions_list', {});
  const sessions = data?.items ?? NONE;
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim(), QUERY_REST_MS);
  const shown = useMemo(() => sessions.filter((session) => matches(session, asked)), [sessions, asked]);
  const ids = useMemo(() => shown.map((session) => session.id), [shown]);
  const rows = useRows(list, ids);
  const { want } = rows;
  const answered = useRef<string | null>(null);
  useEffect(() => {
    if (!wanted || answered.current === wanted || sessions.length === 0) return;
    answered.current = wanted;
    want(wanted);
  }, [wanted, sessions, want]);
  const here = shown[rows.at];
  const rested = useSettled(rows.cursor, REST_MS);
  useActions('sessions', { 'sessions.next': rows.next, 'sessions.previous': rows.previous, 'sessions.first': rows.first, 'sessions.last': rows.last });
  const words = t.sessions;
  return (
    <SplitPane
      name="sessions"
      list={
        <ListPane
          title={t.panels.sessions}
          count={data ? number(shown.length) : undefined}
          live={data ? words.live(shown.length) : ''}
          bars={
            <>
              <PaneBar>{tabs}</PaneBar>
              <PaneBar>
                <SearchField label={words.search} value={query} onChange={setQuery} testId={TESTIDS.sessionsSearch} onLeave={() => focusList(TESTIDS.sessionsList)} />
              </PaneBar>
            </>
          }
        >
          {error && !data ? (
            <ErrorState title={words.loadFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : !data ? (
            <LoadingRows height={TALL_ROW_PX} />
          ) : sessions.length === 0 ? (
            <EmptyState icon={<BotMessageSquare size={18} />} title={words.emptyTitle} text={words.emptyText} action={<Button onClick={() => go('sources')}>{words.emptyAction}</Button>} />
          ) : shown.length === 0 ? (
            <EmptyState icon={<SearchX size={18} />} title={words.noMatchTitle} text={words.noMatchText} action={<Button onClick={() => setQuery('')}>{words.clear}</Button>} />
          ) : (
            <ListRows label={words.list} testId={TESTIDS.sessionsList} rowTestId={TESTIDS.sessionRow} items={shown} rows={rows} height={TALL_ROW_PX} render={(session) => <Row session={session} />} />
          )}
        </ListPane>
      }
      detail={
        here ? (
          <SessionPane key={here.id} session={here} isRested={rested === here.id} />
        ) : data && sessions.length > 0 ? (
          <EmptyState icon={<BotMessageSquare size={20} />} title={words.pickTitle} text={words.pickText} />
        ) : (
          <Nothing />
        )
      }
    />
  );
}

const Row = memo(function Row({ session }: { session: SessionListRow }) {
  return (
    <ListRow data-session={session.id}>
      <RowLine>
        <RowTitle>{session.intent || t.sessions.noIntent}</RowTitle>
        <RowAside>
          <RelativeTime time={session.last} date />
        </RowAside>
      </RowLine>
      <RowLine>
        <RowMeta>{session.conversation_title}</RowMeta>
      </RowLine>
      <RowLine>
        <RowAside>{session.agent}</RowAside>
        <Badge tone={session.outcome === 'resolved' ? 'ok' : undefined}>{nameOf(t.sessions.outcomes, session.outcome)}</Badge>
        <Significance level={session.significance} />
      </RowLine>
    </ListRow>
  );
});
