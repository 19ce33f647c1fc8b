/** The list of conversations: search, filters, one row per conversation. */
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ConversationRow, ConversationsListRequest } from '../../api';
import { Badge, Button, EmptyState, ErrorState, Facet, LoadingRows, PaneBar, PrivateLock, RelativeTime, SearchField, VirtualList, facetValues, hatched } from '../../design';
import { type Period, useSettled, useUiState } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListPane, ListRow, ROW_PX, RowAside, RowLine, RowMeta, RowTitle, rowHeight } from '../shared/ListPane';
import { usePages } from '../shared/pages';
import css from './ConversationList.module.css';

const PAGE_ROWS = 200;
/** A request is sent after a pause in typing this long. */
const QUERY_REST_MS = 160;
const NONE: readonly string[] = [];

export interface ListHandle {
  move(step: number): void;
  /** Moves to a row; an index beyond the end means the last one. */
  to(index: number): void;
  focus(): void;
}

interface ConversationListProps {
  ref: Ref<ListHandle>;
  openId: string | null;
  onOpen: (row: Pick<ConversationRow, 'id'>) => void;
  /** Called when the row is opened for reading. */
  onRead: () => void;
  onEmpty: (isEmpty: boolean) => void;
  /** Only conversations with messages in this period. */
  period: Period | null;
  onAllTimes: () => void;
}

export function ConversationList({ ref, openId, onOpen, onRead, onEmpty, period, onAllTimes }: ConversationListProps) {
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim(), QUERY_REST_MS);
  const [channels, setChannels] = useUiState<readonly string[]>('conversations.channels', NONE);
  const [privacy, setPrivacy] = useUiState<string>('conversations.privacy', '');
  const filter: Partial<ConversationsListRequest> = {
    query: asked || null,
    channel: [...channels],
    private: privacy === '' ? null : privacy === 'private',
    ...(period ? { from: period.from, to: period.to, person: period.person ?? null, topic: period.topic ?? null } : {}),
  };
  const isFiltered = Boolean(asked) || channels.length > 0 || privacy !== '' || period !== null;
  const pages = usePages('conversations_list', {
    request: (offset, limit) => ({ ...filter, offset, limit }),
    size: PAGE_ROWS,
    items: (response) => response.items,
    total: (response) => response.total,
    list: JSON.stringify(filter),
  });

  // The row that the cursor is moving to, until the row is loaded.
  const [wanted, setWanted] = useState<number | null>(null);
  const here = openId === null ? -1 : pages.find((row) => row.id === openId);
  const arrived = wanted === null ? undefined : pages.at(wanted);
  if (wanted !== null && here === wanted) setWanted(null);
  useEffect(() => {
    if (arrived) onOpen(arrived);
  }, [arrived, onOpen]);
  const firstId = pages.at(0)?.id;
  const isNowhere = openId === null && firstId !== undefined;
  useEffect(() => {
    if (isNowhere && firstId) onOpen({ id: firstId });
  }, [isNowhere, firstId, onOpen]);
  const isEmpty = pages.head !== undefined && pages.total === 0 && !isFiltered;
  useEffect(() => onEmpty(isEmpty), [isEmpty, onEmpty]);

  const frame = useRef<HTMLDivElement>(null);
  const active = wanted ?? here;
  const to = (index: number) => {
    if (pages.total === 0) return;
    setWanted(Math.max(0, Math.min(pages.total - 1, index)));
  };
  useImperativeHandle(ref, () => ({
    move: (step) => to(active < 0 ? 0 : active + step),
    to,
    focus: () => frame.current?.querySelector<HTMLElement>('[role=listbox]')?.focus(),
  }));

  const clear = () => {
    setQuery('');
    setChannels(NONE);
    setPrivacy('');
    onAllTimes();
  };
  const { head } = pages;
  return (
    <ListPane
      ref={frame}
      title={t.panels.conversations}
      count={head ? number(pages.total) : undefined}
      live={head ? t.conversations.live(pages.total) : ''}
      bars={
        <>
        <PaneBar>
          <SearchField label={t.conversations.search} value={query} onChange={setQuery} testId={TESTIDS.conversationsSearch} onLeave={() => frame.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()} />
          <Facet label={t.app.channelName} values={facetValues(head?.by_channel ?? [], channels, (name) => nameOf(t.channel, name))} chosen={channels} onChange={setChannels} />
          <Facet
            label={t.conversations.privacy}
            isSingle
            values={[
              { name: 'private', label: t.conversations.privateOnly, count: head?.private_count },
              { name: 'other', label: t.conversations.privateWithout },
            ]}
            chosen={privacy ? [privacy] : []}
            onChange={([next]) => setPrivacy(next ?? '')}
          />
        </PaneBar>
        {period ? (
          <PaneBar tone="accent" testId={TESTIDS.conversationsPeriod}>
            <span className={css.period}>{t.period.only(period.name)}</span>
            <Button size="s" tone="quiet" testId={TESTIDS.conversationsPeriodClear} onClick={onAllTimes}>
              {t.period.clear}
            </Button>
          </PaneBar>
        ) : null}
        </>
      }
    >
      {pages.error ? (
        <ErrorState title={t.conversations.loadFailed} text={t.app.safeInDatabase} detail={pages.error.message} onRetry={pages.retry} />
      ) : pages.isLoading ? (
        <LoadingRows height={ROW_PX} />
      ) : pages.total === 0 && isFiltered ? (
        <EmptyState title={t.conversations.noMatchTitle} text={t.conversations.noMatchText} action={<Button onClick={clear}>{t.app.clearFilters}</Button>} />
      ) : (
        <VirtualList
          label={t.conversations.list}
          testId={TESTIDS.conversationsList}
          rowTestId={TESTIDS.conversationRow}
          count={pages.total}
          keyOf={String}
          heightOf={rowHeight}
          activeIndex={active}
          onPick={(index) => {
            const row = pages.at(index);
            if (row) onOpen(row);
          }}
          onOpen={onRead}
          onRange={pages.onRange}
          autoFocus
          render={(index) => {
            const row = pages.at(index);
            return row ? <Row row={row} /> : null;
          }}
        />
      )}
    </ListPane>
  );
}

function Row({ row }: { row: ConversationRow }) {
  return (
    <ListRow className={row.is_private ? hatched : undefined} data-testid={row.is_private ? TESTIDS.conversationPrivate : undefined} data-conversation={row.id}>
      <RowLine>
        {row.is_private ? <PrivateLock /> : null}
        <RowTitle>{row.title}</RowTitle>
        {row.is_sample ? <Badge>{t.conversations.sample}</Badge> : null}
        <RowAside>
          <RelativeTime time={row.last} date isGuess={row.is_time_inferred} />
        </RowAside>
      </RowLine>
      <RowLine>
        <RowMeta>
          {nameOf(t.channel, row.channel_type)}
          {row.participants.length > 0 ? ` · ${t.conversations.participants(row.participants)}` : ''}
        </RowMeta>
        {row.memories_pending > 0 ? <Badge tone="accent">{t.conversations.memoriesPending(row.memories_pending)}</Badge> : null}
        {row.memories_active > 0 ? <RowAside>{t.app.memories(row.memories_active)}</RowAside> : null}
      </RowLine>
    </ListRow>
  );
}
