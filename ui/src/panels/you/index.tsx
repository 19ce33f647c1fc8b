/**
 * You: Keepsake's knowledge about its owner on one page, in sentences that each cite their source.
 *
 * The page contains only approved memories. For two contradicting statements, one key says which is true now. Not in this panel:
 * editing a statement (Memories).
 */
import { useQueryClient } from '@tanstack/react-query';
import { CircleUserRound, Copy } from 'lucide-react';
import { useCallback, useId, useMemo, useState } from 'react';
import { type AgentsResponse, type MemoriesListResponse, type MemoryRow, call, rpcKey, useRpc } from '../../api';
import { Button, EmptyState, ErrorState, LoadingRows, type Option, PaneBar, PaneBody, PaneHeader, Pick, endOfDay, partialDate } from '../../design';
import { actOn, useActions } from '../../keys';
import { createListState, go, moveTo, showError, showToast, useNow, useSettled } from '../../state';
import { number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMoves } from '../shared/ListDetail';
import { openSource } from '../shared/MemoryBody';
import { type MemoriesRequest, useListCursor, useMemoryRows } from '../shared/memoryRows';
import { AgentView } from './AgentView';
import { keep } from './answers';
import { DayBar } from './DayBar';
import { dayOf } from './days';
import { type SectionId, mayBeCopied, plainText, sections } from './sections';
import { Statement, sourceId } from './Statement';
import { useConflicts } from './pairs';
import css from './You.module.css';

const list = createListState();

/** Approved memories only. */
const PRESENT: MemoriesRequest = { status: ['active'], subject: ['owner'], sort: 'newest', limit: 0, without_facets: true };
/** Superseded memories. The slider starts with the first of them. */
const PAST: MemoriesRequest = { status: ['superseded'], subject: ['owner'], limit: 0, without_facets: true };

/** The slider moves across many days, but only a day on which it rests is requested. */
const REST_MS = 200;

/** Number of statements shown under a heading at first. Thousands of lines would delay a key press. */
const SHOWN_FIRST = 50;

const earliest = (rows: readonly MemoryRow[]): number => rows.reduce((first, row) => Math.min(first, row.said_at), Number.POSITIVE_INFINITY);
const earliestOf = (response: MemoriesListResponse) => earliest(response.items);
const agentOptions = (response: AgentsResponse): Option[] => response.items.map((each) => ({ value: each.name, label: each.name, hint: t.privacy.levels[each.visibility] }));

export default function You() {
  const [day, setDay] = useState<string | null>(null);
  const settledDay = useSettled(day, REST_MS);
  const [agent, setAgent] = useState('');
  const [unfolded, setUnfolded] = useState<ReadonlySet<SectionId>>(new Set());
  const agentId = useId();
  const client = useQueryClient();
  const today = dayOf(useNow());
  const present = useMemoryRows(PRESENT);
  const request = useMemo<MemoriesRequest>(() => (settledDay === null ? PRESENT : { ...PRESENT, status: [], as_of: endOfDay(settledDay) }), [settledDay]);
  const memories = useMemoryRows(request);
  const { data: pastFirst = Number.POSITIVE_INFINITY } = useRpc('memories_list', PAST, { select: earliestOf });
  const { data: agents = [] } = useRpc('agents_list', {}, { select: agentOptions });
  const isNow = settledDay === null;

  const page = useMemo(() => sections(memories.rows), [memories.rows]);
  const drawn = useMemo(() => page.map((each) => ({ ...each, hidden: unfolded.has(each.id) ? 0 : Math.max(0, each.rows.length - SHOWN_FIRST), rows: unfolded.has(each.id) ? each.rows : each.rows.slice(0, SHOWN_FIRST) })), [page, unfolded]);
  const shown = useMemo(() => (agent === '' ? drawn.flatMap((each) => each.rows) : []), [drawn, agent]);
  const { conflicts, error: conflictsError } = useConflicts(shown, isNow);
  // Sources are numbered down the page; a source that appears twice has one number.
  const numbers = useMemo(() => {
    const found = new Map<string, number>();
    const note = (id: string) => found.has(id) || found.set(id, found.size + 1);
    for (const row of shown) {
      note(row.id);
      const other = conflicts.get(row.id);
      if (other) note(other.id);
    }
    return found;
  }, [shown, conflicts]);
  // A statement that is shown as part of a contradiction is not repeated.
  const isTold = useMemo(() => new Set([...conflicts.values()].flatMap((other) => (other ? [other.id] : []))), [conflicts]);
  const ids = useMemo(() => shown.map((row) => row.id).filter((id) => !isTold.has(id)), [shown, isTold]);
  useListCursor(list, ids);

  const firstTime = Math.min(earliest(present.rows), pastFirst);
  const firstDay = Number.isFinite(firstTime) ? dayOf(firstTime) : today;

  const open = useCallback(
    (row: MemoryRow) => {
      // If the details cannot be loaded, the conversation is opened without going to the message.
      void client
        .fetchQuery({ queryKey: rpcKey('memory_get', { id: row.id }), queryFn: () => call('memory_get', { id: row.id }) })
        .catch(() => undefined)
        .then((detail) => openSource(detail, row));
    },
    [client],
  );
  const move = (to: string | null) => {
    list.update((state) => moveTo(state, to));
    if (to !== null) document.getElementById(sourceId(to))?.focus();
  };
  const rowAt = () => shown.find((row) => row.id === list.get().cursor);
  const answer = (choose: (row: MemoryRow, other: MemoryRow) => void) => {
    const row = rowAt();
    const other = row && conflicts.get(row.id);
    if (!row || !other) return false;
    choose(row, other);
    return true;
  };
  const copy = () => {
    if (agent !== '' || memories.rows.length === 0) return false;
    const text = plainText(page, t.you.sections, isNow ? null : t.you.copyAsOf(partialDate(settledDay)));
    if (text === '') {
      showToast({ tone: 'warn', text: t.you.copyNothing });
      return true;
    }
    const count = memories.rows.filter(mayBeCopied).length;
    navigator.clipboard.writeText(text).then(() => showToast({ text: t.you.copied(count, memories.rows.length - count) }), showError);
    return true;
  };
  useMoves('you', list, ids, move);
  useActions('you', {
    'you.open': () => actOn(rowAt(), open),
    'you.keepThis': () => answer((row, other) => keep(row, other)),
    'you.keepOther': () => answer((row, other) => keep(other, row)),
    'you.copy': copy,
    'you.today': () => {
      if (day === null) return false;
      setDay(null);
      return true;
    },
  });

  const body = () => {
    if (agent !== '') return <AgentView agent={agent} day={settledDay} onClose={() => setAgent('')} />;
    if (memories.error && memories.rows.length === 0) return <ErrorState title={t.you.loadFailed} text={t.you.loadFailedText} detail={memories.error.message} onRetry={memories.retry} />;
    if (memories.isLoading) return <LoadingRows height={32} />;
    if (memories.rows.length === 0) {
      return settledDay === null ? (
        <EmptyState icon={<CircleUserRound size={18} />} title={t.you.emptyTitle} text={t.you.emptyText} action={<Button onClick={() => go('review')}>{t.you.emptyAction}</Button>} />
      ) : (
        <EmptyState icon={<CircleUserRound size={18} />} title={t.you.asOfEmptyTitle(partialDate(settledDay))} text={t.you.asOfEmptyText} />
      );
    }
    return (
      <article className={css.measure} data-testid={TESTIDS.youPage}>
        {conflictsError && isNow ? (
          <p className={css.hint} role="alert">
            {t.you.conflictsFailed} {conflictsError.message}
          </p>
        ) : null}
        {drawn.map(({ id, rows, hidden }) =>
          hidden === 0 && rows.every((row) => isTold.has(row.id)) ? null : (
          <section key={id} className={css.section} aria-labelledby={`you-${id}`}>
            <h2 id={`you-${id}`}>{t.you.sections[id]}</h2>
            <ul>
              {rows.filter((row) => !isTold.has(row.id)).map((row) => (
                <Statement key={row.id} row={row} other={conflicts.get(row.id)} numbers={numbers} list={list} onOpen={open} />
              ))}
            </ul>
            {hidden > 0 ? (
              <Button size="s" tone="quiet" onClick={() => setUnfolded((before) => new Set([...before, id]))}>
                {t.you.showMore(hidden, t.you.sections[id])}
              </Button>
            ) : null}
          </section>
          ),
        )}
      </article>
    );
  };

  return (
    <div className={css.panel}>
      <PaneHeader title={t.panels.you} count={agent === '' ? number(memories.total) : undefined}>
        <Button size="s" icon={<Copy size={13} aria-hidden="true" />} action="you.copy" title={t.you.copyHint} testId={TESTIDS.youCopy} disabled={agent !== '' || memories.rows.length === 0} onClick={copy}>
          {t.you.copy}
        </Button>
      </PaneHeader>
      <PaneBar>
        {firstDay < today ? <DayBar first={firstDay} today={today} day={day} onDay={setDay} /> : null}
        <div className={css.agent}>
          <label htmlFor={agentId}>{t.you.agent}</label>
          <Pick id={agentId} label={t.you.agent} options={agents} value={agent} onChange={setAgent} placeholder={t.you.agentPlaceholder} none={t.you.agentNone} testId={TESTIDS.youAgent} />
        </div>
      </PaneBar>
      {settledDay === null || agent !== '' ? null : (
        <PaneBar tone="accent" testId={TESTIDS.youAsOf}>
          <span>{t.you.asOf(partialDate(settledDay))}</span>
        </PaneBar>
      )}
      <PaneBody label={t.you.page} of={`${agent} ${settledDay ?? ''}`}>
        {body()}
      </PaneBody>
      <p className="srOnly" aria-live="polite">
        {agent === '' ? t.you.live(memories.total) : ''}
      </p>
    </div>
  );
}
