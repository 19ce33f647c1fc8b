/**
 * A list next to the detail of the row under the cursor: the moves by keyboard, the states without rows (failed, loading, empty,
 * nothing matches), and what is shown next to a list without a selected row.
 *
 * A panel adds its row, its detail and its actions. The keys and clicks that select several rows are here as well, for the lists that
 * have them. Not in this module: lists that load page by page, and lists of memories (`memoryRows.ts`).
 */
import { type LucideIcon, SearchX } from 'lucide-react';
import { type MouseEvent, type ReactNode, useCallback, useMemo } from 'react';
import { Button, EmptyState, ErrorState, LoadingRows, SplitPane, VirtualList, leaveRow } from '../../design';
import { type ActionHandler, type ActionIn, actOn, useActions } from '../../keys';
import { type ListState, type Store, beforeLeaving, extendTo, go, moveTo, stepFrom, toggleSelected, useSettled, useStore } from '../../state';
import { number, t } from '../../strings';
import { ListPane, Nothing, ROW_PX } from './ListPane';
import { useListCursor } from './memoryRows';

/** Longer than the time between two repeats of a held key. */
const REST_MS = 100;

/** Scopes whose actions contain the moves of a list. */
export type ListScope = 'review' | 'memories' | 'you' | 'topics' | 'playbooks' | 'reflection' | 'sessions' | 'people' | 'privacy' | 'sources';

/** Handles the moves of a list by keyboard. */
export function useMoves(scope: ListScope, list: Store<ListState>, ids: readonly string[], move: (to: string | null) => void = (to) => list.update((state) => moveTo(state, to)), last: () => unknown = () => move(ids[ids.length - 1] ?? null)): void {
  const step = (by: number) => () => move(stepFrom(ids, list.get().cursor, by));
  const moves = { next: step(1), previous: step(-1), first: () => move(ids[0] ?? null), last };
  const handlers: Record<string, ActionHandler> = Object.fromEntries(Object.entries(moves).map(([name, run]) => [`${scope}.${name}`, run]));
  useActions(scope, handlers as Partial<Record<ActionIn<ListScope>, ActionHandler>>);
}

/** Handles the selection of several rows by keyboard. */
export function useSelecting(scope: 'review' | 'memories' | 'sources', list: Store<ListState>, ids: readonly string[]): void {
  const extend = (by: number) => () => list.update((state) => extendTo(state, ids, stepFrom(ids, state.cursor, by)));
  useActions(scope, {
    [`${scope}.select`]: () => actOn(list.get().cursor, (cursor) => list.update((state) => toggleSelected(state, cursor))),
    [`${scope}.extendDown`]: extend(1),
    [`${scope}.extendUp`]: extend(-1),
  });
}

/** Picks a row with the mouse: with Shift up to there, with Ctrl or Cmd that one too. */
export function pickRow(list: Store<ListState>, ids: readonly string[], id: string | undefined, event: MouseEvent): void {
  if (id === undefined) return;
  if (event.shiftKey) list.update((state) => extendTo(state, ids, id));
  else if (event.metaKey || event.ctrlKey) list.update((state) => toggleSelected(state, id));
  else list.update((state) => moveTo(state, id));
}

/** The rows of a list that are all loaded, the cursor among them, and the moves by keyboard. `idOf` must be stable. */
export function useListRows<T>(scope: ListScope, list: Store<ListState>, items: readonly T[], idOf: (item: T) => string) {
  const ids = useMemo(() => items.map(idOf), [items, idOf]);
  const want = useListCursor(list, ids);
  const cursor = useStore(list, (state) => state.cursor);
  const rested = useSettled(cursor, REST_MS);
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  useMoves(scope, list, ids, move);
  const at = cursor === null ? -1 : ids.indexOf(cursor);
  return {
    items,
    ids,
    at,
    keyOf,
    move,
    here: items[at],
    /** Whether the cursor rests, so that the details are worth a request. */
    isRested: rested === cursor,
    /** Puts the cursor on a row as soon as it is loaded. */
    want,
    next: () => move(stepFrom(ids, list.get().cursor, 1)),
    /** The row under the cursor at the time of a key press. */
    current: () => items[ids.indexOf(list.get().cursor ?? '')],
    /** The row is about to leave the list, so the cursor moves on. */
    leave: (id: string, how: 'up' | 'fade') => {
      leaveRow(id, how);
      list.update((state) => beforeLeaving(state, ids, [id]));
    },
  };
}

/** The texts of a list. */
export interface ListWords {
  readonly list: string;
  /** The number of rows, read aloud when it changes. */
  readonly live: (count: number) => string;
  readonly loadFailed: string;
  readonly loadFailedText?: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  /** Leads to the sources. */
  readonly emptyAction?: string;
  readonly noMatchTitle?: string;
  readonly noMatchText?: string;
  readonly clear?: string;
  /** Shown next to a list without a selected row. */
  readonly pickTitle?: string;
  readonly pickText?: string;
}

interface ListDetailProps<T> {
  /** The panel; its width is remembered under this name. */
  name: 'topics' | 'playbooks' | 'reflection' | 'sessions' | 'people' | 'privacy';
  title?: string;
  words: ListWords;
  icon: LucideIcon;
  noMatchIcon?: LucideIcon;
  rows: ReturnType<typeof useListRows<T>>;
  /** All rows before filters; undefined as long as they are loading. */
  all: readonly unknown[] | undefined;
  /** Number of further rows that are not loaded. */
  beyond?: number;
  error: Error | null;
  onRetry: () => unknown;
  tabs?: ReactNode;
  bars?: ReactNode;
  testId: string;
  rowTestId: string;
  /** Height of every row. */
  height?: number;
  renderRow: (item: T) => ReactNode;
  renderDetail: (item: T) => ReactNode;
  /** Removes the filters, if there are any. */
  onClear?: () => void;
  /** Shown instead of the usual state if no row is shown. */
  empty?: ReactNode;
  onRange?: (first: number, last: number) => void;
}

export function ListDetail<T>({ name, title = t.panels[name], words, icon: Icon, noMatchIcon: NoMatch = SearchX, rows, all, beyond = 0, error, onRetry, tabs, bars, testId, rowTestId, height = ROW_PX, renderRow, renderDetail, onClear, empty, onRange }: ListDetailProps<T>) {
  const { items, here } = rows;
  const heightOf = useCallback(() => height, [height]);
  const state = () => {
    if (!all) return error ? <ErrorState title={words.loadFailed} text={words.loadFailedText ?? t.app.nothingChanged} detail={error.message} onRetry={() => void onRetry()} /> : <LoadingRows height={height} />;
    if (empty) return empty;
    if (all.length > 0 && onClear && words.noMatchTitle) return <EmptyState icon={<NoMatch size={18} />} title={words.noMatchTitle} text={words.noMatchText} action={<Button onClick={onClear}>{words.clear ?? t.app.clearSearch}</Button>} />;
    return <EmptyState icon={<Icon size={18} />} title={words.emptyTitle} text={words.emptyText} action={words.emptyAction ? <Button onClick={() => go('sources')}>{words.emptyAction}</Button> : undefined} />;
  };
  const nothing = all && all.length > 0 && words.pickTitle ? <EmptyState icon={<Icon size={20} />} title={words.pickTitle} text={words.pickText} /> : <Nothing />;
  return (
    <SplitPane
      name={name}
      list={
        <ListPane title={title} count={all ? number(items.length + beyond) : undefined} tabs={tabs} bars={bars} live={all ? words.live(items.length) : ''}>
          {all && items.length > 0 ? (
            <VirtualList
              label={words.list}
              testId={testId}
              rowTestId={rowTestId}
              count={items.length}
              keyOf={rows.keyOf}
              heightOf={heightOf}
              activeIndex={rows.at}
              autoFocus
              onPick={(index) => rows.move(rows.keyOf(index) || null)}
              onRange={onRange}
              render={(index) => {
                const item = items[index];
                return item === undefined ? null : renderRow(item);
              }}
            />
          ) : (
            state()
          )}
        </ListPane>
      }
      detail={here === undefined ? nothing : renderDetail(here)}
    />
  );
}
