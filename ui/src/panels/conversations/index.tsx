/**
 * Conversations: all messages as they were written, and the data derived from them.
 *
 * The list and the reading view are virtualized and fetched in pages. The cursor moves immediately. The reading view follows when
 * the cursor rests, or at the first key for the reading view, so that a key always acts on the selected conversation and never on
 * the one shown before. Not in this panel: decisions about memories (Review).
 */
import { MessagesSquare } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ConversationRow } from '../../api';
import { Button, EmptyState, SplitPane } from '../../design';
import { type ActionIn, hotkeys, useActions } from '../../keys';
import { type Period, getUiState, go, setUiState, useNavTarget } from '../../state';
import { t } from '../../strings';
import { EraseDialog } from '../shared/EraseDialog';
import { ConversationList, type ListHandle } from './ConversationList';
import { Reader } from './Reader';

/** The open conversation, and the message at which it was opened. */
export interface Opened {
  readonly id: string;
  readonly message: string | null;
}

/**
 * Time that the cursor must rest before the reading view follows, so that holding a key does not fetch conversations that nobody
 * reads.
 */
const REST_MS = 90;

/** The parts of the reading view that its keys act on. Each is available once its data is loaded. */
export type ReaderPart = 'head' | 'results' | 'messages';

/** The keys of the reading view, and the part that each needs. */
const READER_KEYS = {
  'conversations.visibility': 'head',
  'conversations.private': 'head',
  'conversations.analyze': 'head',
  'conversations.status': 'head',
  'conversations.results': 'results',
  'conversations.read': 'messages',
  'conversations.nextMessage': 'messages',
  'conversations.previousMessage': 'messages',
} as const satisfies Partial<Record<ActionIn<'conversations'>, ReaderPart>>;

type ReaderKey = keyof typeof READER_KEYS;

/**
 * Holds a key press until the reading view shows the conversation it was meant for. Only the latest press is held.
 */
function useHeldKey(opened: string | null, onHold: () => void): (part: ReaderPart, id: string) => void {
  const [ready, setReady] = useState<Partial<Record<ReaderPart, string>>>({});
  const held = useRef<{ key: ReaderKey; id: string } | null>(null);
  const hold = (key: ReaderKey) => () => {
    if (opened === null) return false;
    held.current = { key, id: opened };
    onHold();
    return true;
  };
  // Handlers registered later take precedence, so these override the reading view's own while it shows another conversation.
  const late = (Object.keys(READER_KEYS) as ReaderKey[]).filter((key) => opened !== null && ready[READER_KEYS[key]] !== opened);
  useActions('conversations', Object.fromEntries(late.map((key) => [key, hold(key)])));
  useEffect(() => {
    const waiting = held.current;
    if (!waiting) return;
    if (waiting.id !== opened) held.current = null;
    else if (ready[READER_KEYS[waiting.key]] === waiting.id) {
      held.current = null;
      hotkeys.run(waiting.key);
    }
  }, [ready, opened, held]);
  return useCallback((part, id) => setReady((now) => (now[part] === id ? now : { ...now, [part]: id })), []);
}

export default function Conversations() {
  const target = useNavTarget('conversations');
  const [opened, setOpened] = useState<Opened | null>(() => {
    const last = getUiState<string>('conversations.open', '');
    return last ? { id: last, message: null } : null;
  });
  const [answered, setAnswered] = useState<typeof target>(null);
  const [period, setPeriod] = useState<Period | null>(null);
  if (target !== answered) {
    setAnswered(target);
    if (target?.conversation) setOpened({ id: target.conversation, message: target.message ?? null });
    // If the panel is opened for another target, all conversations are shown again.
    setPeriod(target?.period ?? null);
    if (target?.period) setOpened(null);
  }
  const [isEmpty, setEmpty] = useState(false);
  const [shown, setShown] = useState(opened);
  useEffect(() => {
    if (shown === opened) return undefined;
    const timer = window.setTimeout(() => setShown(opened), REST_MS);
    return () => window.clearTimeout(timer);
  }, [shown, opened]);
  const list = useRef<ListHandle>(null);
  const pane = useRef<HTMLDivElement>(null);

  useEffect(() => {
    hotkeys.setContext({ cursor: opened !== null });
    if (opened) setUiState('conversations.open', opened.id);
  }, [opened]);

  const isReading = () => pane.current?.querySelector('[data-reader]')?.contains(document.activeElement) ?? false;
  const focusReader = () => pane.current?.querySelector<HTMLElement>('[data-reader]')?.focus();
  // Arrows in the reading view scroll it, as everywhere.
  const unlessReading = (move: (() => unknown) | undefined) => (isReading() ? false : move?.());
  useActions('conversations', {
    'conversations.next': () => unlessReading(() => list.current?.move(1)),
    'conversations.previous': () => unlessReading(() => list.current?.move(-1)),
    'conversations.first': () => unlessReading(() => list.current?.to(0)),
    'conversations.last': () => unlessReading(() => list.current?.to(Number.POSITIVE_INFINITY)),
    'conversations.read': focusReader,
    'conversations.leave': () => (isReading() ? list.current?.focus() : false),
  });

  const onReady = useHeldKey(opened?.id ?? null, () => setShown(opened));

  // The reading view lags behind the cursor, so it may report a conversation that is no longer open.
  const leave = useCallback((id: string) => setOpened((now) => (now?.id === id ? null : now)), []);
  const open = (row: Pick<ConversationRow, 'id'>) => setOpened((now) => (now?.id === row.id ? now : { id: row.id, message: null }));
  return (
    <div ref={pane} style={{ height: '100%' }}>
      <SplitPane
        name="conversations"
        list={<ConversationList ref={list} openId={opened?.id ?? null} onOpen={open} onRead={focusReader} onEmpty={setEmpty} period={period} onAllTimes={() => setPeriod(null)} />}
        detail={
          shown ? (
            <Reader key={shown.id} id={shown.id} message={shown.message} onGone={leave} onReady={onReady} />
          ) : isEmpty ? (
            <EmptyState
              icon={<MessagesSquare size={20} />}
              title={t.conversations.emptyTitle}
              text={t.conversations.emptyText}
              action={
                <Button tone="primary" onClick={() => go('sources')}>
                  {t.app.addSource}
                </Button>
              }
            />
          ) : (
            <EmptyState icon={<MessagesSquare size={20} />} title={t.conversations.pickTitle} text={t.conversations.pickText} />
          )
        }
      />
      <EraseDialog />
    </div>
  );
}
