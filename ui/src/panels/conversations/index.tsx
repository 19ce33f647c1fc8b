/**
 * Conversations: everything that was said, as it was said, with what became of it.
 *
 * The list and the reading view are windowed and fetched in pages. The cursor moves at once; the reading view follows when it
 * has come to rest. Deliberately not here: deciding about memories, which is Review's.
 */
import { MessagesSquare } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ConversationRow } from '../../api';
import { Button, EmptyState, SplitPane } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { go, useNavTarget } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { getUiState, setUiState } from '../../state/uiState';
import { t } from '../../strings';
import { ConversationList, type ListHandle } from './ConversationList';
import { Reader } from './Reader';

/** What is open: a conversation, and the message it was opened for. */
export interface Opened {
  readonly id: string;
  readonly message: string | null;
}

/** How long the cursor must rest before the reading view follows: a held key must not fetch what nobody reads. */
const REST_MS = 90;

export default function Conversations() {
  const target = useNavTarget('conversations');
  const [opened, setOpened] = useState<Opened | null>(() => {
    const last = getUiState<string>('conversations.open', '');
    return last ? { id: last, message: null } : null;
  });
  const [answered, setAnswered] = useState<typeof target>(null);
  if (target !== answered) {
    setAnswered(target);
    if (target?.conversation) setOpened({ id: target.conversation, message: target.message ?? null });
  }
  const [isEmpty, setEmpty] = useState(false);
  const shown = useSettled(opened, REST_MS);
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

  // The reading view lags behind the cursor, so that it may speak of what is no longer open.
  const leave = useCallback((id: string) => setOpened((now) => (now?.id === id ? null : now)), []);
  const open = (row: Pick<ConversationRow, 'id'>) => setOpened((now) => (now?.id === row.id ? now : { id: row.id, message: null }));
  return (
    <div ref={pane} style={{ height: '100%' }}>
      <SplitPane
        name="conversations"
        list={<ConversationList ref={list} openId={opened?.id ?? null} onOpen={open} onRead={focusReader} onEmpty={setEmpty} />}
        detail={
          shown ? (
            <Reader key={shown.id} id={shown.id} message={shown.message} onGone={leave} />
          ) : isEmpty ? (
            <EmptyState
              icon={<MessagesSquare size={20} />}
              title={t.conversations.emptyTitle}
              text={t.conversations.emptyText}
              action={
                <Button tone="primary" onClick={() => go('sources')}>
                  {t.conversations.emptyAction}
                </Button>
              }
            />
          ) : (
            <EmptyState icon={<MessagesSquare size={20} />} title={t.conversations.pickTitle} text={t.conversations.pickText} />
          )
        }
      />
    </div>
  );
}
