/** The list of sessions, and the session under the cursor. */
import { BotMessageSquare } from 'lucide-react';
import { type ReactNode, memo, useMemo, useState } from 'react';
import { type SessionListRow, byId, useRpc } from '../../api';
import { Badge, PaneBar, RelativeTime, SearchField, focusList } from '../../design';
import { type Target, createListState, useAnswer, useSettled } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle, TALL_ROW_PX } from '../shared/ListPane';
import { SessionPane } from './SessionPane';
import { Significance } from './Significance';

const QUERY_REST_MS = 120;
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

export function SessionsTab({ tabs, target }: { tabs: ReactNode; target: Target | null }) {
  const { data, error, refetch } = useRpc('sessions_list', {});
  const sessions = data?.items ?? NONE;
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim(), QUERY_REST_MS);
  const shown = useMemo(() => sessions.filter((session) => matches(session, asked)), [sessions, asked]);
  const rows = useListRows('sessions', list, shown, byId);
  useAnswer(target, ({ session }) => {
    if (!session || sessions.length === 0) return false;
    rows.want(session);
    return true;
  });
  return (
    <ListDetail
      name="sessions"
      words={t.sessions}
      icon={BotMessageSquare}
      rows={rows}
      all={data?.items}
      error={error}
      onRetry={refetch}
      testId={TESTIDS.sessionsList}
      rowTestId={TESTIDS.sessionRow}
      height={TALL_ROW_PX}
      renderRow={(session) => <Row session={session} />}
      renderDetail={(session) => <SessionPane key={session.id} session={session} isRested={rows.isRested} />}
      onClear={() => setQuery('')}
      bars={
        <>
          <PaneBar>{tabs}</PaneBar>
          <PaneBar>
            <SearchField label={t.sessions.search} value={query} onChange={setQuery} testId={TESTIDS.sessionsSearch} onLeave={() => focusList(TESTIDS.sessionsList)} />
          </PaneBar>
        </>
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
