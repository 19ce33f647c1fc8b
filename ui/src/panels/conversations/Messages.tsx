/**
 * The reading view. It is virtualized: row heights are measured as rows appear, and messages are fetched in pages.
 *
 * The cursor (`j`, `k`) is a position. Moving it never waits for a request, because the next page is fetched half a page ahead.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type ConversationRow, type MemorySpan, type MessageView, type MessagesResponse, useRpc } from '../../api';
import { EmptyState, ErrorState, LoadingRows, toggled } from '../../design';
import { useActions } from '../../keys';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { usePages } from '../shared/pages';
import { estimateHeight } from './blocks';
import { DayLine, Message, isFoldable, startsDay } from './Message';
import css from './Messages.module.css';
import { SpanPopover } from './SpanPopover';

const PAGE_MESSAGES = 200;
const OVERSCAN = 4;
/** A constant function, because a new one would make the virtualizer recompute all offsets. */
const byIndex = (index: number): number => index;
/** Assumed height of a row that is not loaded. */
const UNKNOWN_PX = 96;

interface MessagesProps {
  row: ConversationRow;
  target: string | null;
  /** Called when the messages are loaded, so that their keys can act. */
  onReady: () => void;
}

export function Messages({ row, target, onReady }: MessagesProps) {
  const place = useRpc('conversation_messages', { conversation_id: row.id, around: target, limit: 3 }, { enabled: target !== null, select: (response: MessagesResponse) => response.items.find((each) => each.id === target)?.position ?? 0 });
  if (target !== null && place.isPending) return <LoadingRows rows={6} height={UNKNOWN_PX} />;
  // If the message no longer exists, the conversation opens at its start.
  return <MessageList row={row} target={target} position={target === null ? null : (place.data ?? 0)} onReady={onReady} />;
}

function MessageList({ row, target, position, onReady }: MessagesProps & { position: number | null }) {
  // The virtualizer changes internally but keeps its identity, so memoized rendering would miss the changes.
  'use no memo';
  const pages = usePages('conversation_messages', {
    request: (offset, limit) => ({ conversation_id: row.id, offset, limit }),
    size: PAGE_MESSAGES,
    items: (response) => response.items,
    total: (response) => response.total,
    list: `${row.id} ${target ?? ''}`,
    start: position ?? 0,
  });
  const [cursor, setCursor] = useState({ target, at: position ?? -1 });
  const at = cursor.target === target ? cursor.at : (position ?? -1);
  const [unfolded, setUnfolded] = useState<readonly string[]>([]);
  const [popover, setPopover] = useState<{ anchor: HTMLElement; spans: readonly MemorySpan[] } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const guess = (index: number) => {
    const message = pages.at(index);
    return message ? estimateHeight(message.text, isFoldable(message)) : UNKNOWN_PX;
  };
  // oxlint-disable-next-line react/incompatible-library -- see above
  const virtualizer = useVirtualizer({
    count: pages.total,
    getScrollElement: () => scroller.current,
    estimateSize: guess,
    getItemKey: byIndex,
    overscan: OVERSCAN,
    useFlushSync: false,
    initialRect: { width: 720, height: 800 },
    paddingStart: 12,
    paddingEnd: 48,
    scrollPaddingStart: 24,
    scrollPaddingEnd: 24,
    // Without a layout, as in tests, the estimated height is used.
    measureElement: (element) => element.getBoundingClientRect().height || guess(Number(element.getAttribute('data-index'))),
  });

  const isThere = position !== null && pages.at(position) !== undefined;
  useLayoutEffect(() => {
    if (isThere && position !== null) virtualizer.scrollToIndex(position, { align: 'center' });
  }, [isThere, position, target, virtualizer]);
  useEffect(() => {
    // If opened at a message, the view takes the focus, so that its keys work immediately.
    if (target !== null && isThere) scroller.current?.focus({ preventScroll: true });
  }, [target, isThere]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items[items.length - 1]?.index ?? 0;
  const { onRange } = pages;
  const reached = useRef<string | null>(null);
  useEffect(() => {
    if (items.length === 0) return;
    // Until the requested position is visible, other rows that happen to be visible must not be fetched.
    if (position !== null && reached.current !== target) {
      if (position < first || position > last) return;
      reached.current = target;
    }
    onRange(first, last);
  });

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(pages.total - 1, index));
    setCursor({ target, at: next });
    const height = scroller.current?.clientHeight ?? 0;
    const item = items.find((each) => each.index === next);
    virtualizer.scrollToIndex(next, { align: item && item.size > height ? 'start' : 'auto' });
  };
  const firstInView = () => items.find((item) => item.end > (virtualizer.scrollOffset ?? 0) + 24)?.index ?? 0;
  const isReading = () => scroller.current?.contains(document.activeElement) ?? false;
  useActions('conversations', {
    'conversations.nextMessage': () => moveTo(at < 0 ? firstInView() : at + 1),
    'conversations.previousMessage': () => moveTo(at < 0 ? firstInView() : at - 1),
    // Home and End act on the reading view while it has the focus, otherwise on the list, which registered first.
    'conversations.read': () => {
      const message = isReading() ? pages.at(at) : undefined;
      if (message && isFoldable(message)) setUnfolded((open) => toggled(open, message.id));
      else scroller.current?.focus();
    },
  });

  const { isLoading } = pages;
  useEffect(() => {
    if (!isLoading) onReady();
  }, [isLoading, onReady]);

  if (pages.error) return <ErrorState title={t.conversations.readFailed} text={t.conversations.readFailedText} detail={pages.error.message} onRetry={pages.retry} />;
  if (pages.isLoading) return <LoadingRows rows={6} height={UNKNOWN_PX} />;
  if (pages.total === 0) return <EmptyState title={t.conversations.noMessages} />;
  return (
    <>
      {/* The scroll container of the pane. Focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={scroller} className={css.scroller} role="region" aria-label={t.conversations.messages} tabIndex={0} data-reader="" data-testid={TESTIDS.conversationMessages}>
        <div className={css.canvas} style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const message: MessageView | undefined = pages.at(item.index);
            const previous = item.index > 0 ? pages.at(item.index - 1) : null;
            return (
              <div key={item.key} ref={virtualizer.measureElement} data-index={item.index} className={css.slot} style={{ transform: `translateY(${item.start}px)` }}>
                {message ? (
                  <>
                    {startsDay(message, previous) ? <DayLine message={message} /> : null}
                    <Message
                      message={message}
                      follows={previous ?? null}
                      isCurrent={item.index === at}
                      isTarget={message.id === target}
                      isOpen={unfolded.includes(message.id) || message.id === target}
                      total={pages.total}
                      onToggle={() => setUnfolded((open) => toggled(open, message.id))}
                      onPick={() => setCursor({ target, at: item.index })}
                      onSpan={(anchor, spans) => setPopover({ anchor, spans })}
                    />
                  </>
                ) : (
                  <div className={css.missing} style={{ height: UNKNOWN_PX }} />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {popover ? <SpanPopover anchor={popover.anchor} spans={popover.spans} onClose={() => setPopover(null)} /> : null}
    </>
  );
}
