/** The list of sessions, and beside it the one under the cursor. */
import { BotMessageSquare, SearchX } from 'lucide-react';
import { type ReactNode, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type SessionListRow, useRpc } from '../../api';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBar, PaneHeader, RelativeTime, SearchField, SplitPane, VirtualList } from '../../design';
import { useActions } from '../../keys';
import { createListState, moveTo, stepFrom } from '../../state/list';
import { go } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { useStore } from '../../state/store';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { useListCursor } from '../shared/memoryRows';
import { SessionPane } from './SessionPane';
import { Significance } from './Significance';
import css from './Sessions.module.css';

const ROW_PX = 72;
const QUERY_REST_MS = 120;
/** Longer than the gap between two presses of a held key. */
const REST_MS = 100;
const rowHeight = () => ROW_PX;
const NONE: readonly SessionListRow[] = [];

const list = createListState();

/** Whether a session has the words somewhere in what it was about, who took part and where. */
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
  const want = useListCursor(list, ids);
  const answered = useRef<string | null>(null);
  useEffect(() => {
    if (!wanted || answered.current === wanted || sessions.length === 0) return;
    answered.current = wanted;
    want(wanted);
  }, [wanted, sessions, want]);
  const cursor = useStore(list, (state) => state.cursor);
  const here = shown.find((session) => session.id === cursor);
  const rested = useSettled(cursor, REST_MS);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  useActions('sessions', {
    'sessions.next': () => move(stepFrom(ids, list.get().cursor, 1)),
    'sessions.previous': () => move(stepFrom(ids, list.get().cursor, -1)),
    'sessions.first': () => move(ids[0] ?? null),
    'sessions.last': () => move(ids[ids.length - 1] ?? null),
  });
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const words = t.sessions;
  return (
    <SplitPane
      name="sessions"
      list={
        <>
          <PaneHeader title={t.panels.sessions} count={data ? number(shown.length) : undefined} />
          <PaneBar>{tabs}</PaneBar>
          <PaneBar>
            <SearchField label={words.search} value={query} onChange={setQuery} testId={TESTIDS.sessionsSearch} onLeave={() => focusList(TESTIDS.sessionsList)} />
          </PaneBar>
          <div className={css.body}>
            {error && !data ? (
              <ErrorState title={words.loadFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
            ) : !data ? (
              <LoadingRows height={ROW_PX} />
            ) : sessions.length === 0 ? (
              <EmptyState icon={<BotMessageSquare size={18} />} title={words.emptyTitle} text={words.emptyText} action={<Button onClick={() => go('sources')}>{words.emptyAction}</Button>} />
            ) : shown.length === 0 ? (
              <EmptyState icon={<SearchX size={18} />} title={words.noMatchTitle} text={words.noMatchText} action={<Button onClick={() => setQuery('')}>{words.clear}</Button>} />
            ) : (
              <VirtualList
                label={words.list}
                testId={TESTIDS.sessionsList}
                rowTestId={TESTIDS.sessionRow}
                count={shown.length}
                keyOf={keyOf}
                heightOf={rowHeight}
                activeIndex={cursor === null ? -1 : ids.indexOf(cursor)}
                autoFocus
                onPick={(index) => move(ids[index] ?? null)}
                render={(index) => {
                  const session = shown[index];
                  return session ? <Row session={session} /> : null;
                }}
              />
            )}
          </div>
          <p className="srOnly" role="status">
            {data ? words.live(shown.length) : ''}
          </p>
        </>
      }
      detail={
        here ? (
          <SessionPane key={here.id} session={here} isRested={rested === here.id} />
        ) : data && sessions.length > 0 ? (
          <EmptyState icon={<BotMessageSquare size={20} />} title={words.pickTitle} text={words.pickText} />
        ) : (
          <div className={css.nothing} />
        )
      }
    />
  );
}

const Row = memo(function Row({ session }: { session: SessionListRow }) {
  return (
    <div className={css.row} data-session={session.id}>
      <div className={css.line}>
        <span className={css.name}>{session.intent || t.sessions.noIntent}</span>
        <span className={css.date}>
          <RelativeTime time={session.last} date />
        </span>
      </div>
      <div className={css.line}>
        <span className={css.lead}>{session.conversation_title}</span>
      </div>
      <div className={css.line}>
        <span className={css.meta}>{session.agent}</span>
        <Badge tone={session.outcome === 'resolved' ? 'accent' : undefined}>{nameOf(t.sessions.outcomes, session.outcome)}</Badge>
        <Significance level={session.significance} />
      </div>
    </div>
  );
});
