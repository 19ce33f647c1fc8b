/**
 * Memories: all stored memories, with filters and editing in place.
 *
 * A change of text or category creates a new version. The trash can be restored. An action on many memories is one operation with
 * one undo.
 */
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Library, SearchX, Trash2 } from 'lucide-react';
import { Button, EmptyState, ErrorState, LoadingRows, PaneHeader, SplitPane, VirtualList } from '../../design';
import { actOn, useActions } from '../../keys';
import { clearSelection, concerned, createListState, createStore, decide, go, setUiState, useNavTarget, useStore, useUiState } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { EraseDialog } from '../shared/EraseDialog';
import { askToErase } from '../shared/erase';
import { pickRow, useMoves, useSelecting } from '../shared/ListDetail';
import { openSource } from '../shared/MemoryBody';
import { MemoryListRow, ROW_HEIGHT } from '../shared/MemoryListRow';
import { type MemoryRows, useAllRows, useLastRow, useListCursor, useMemoryRows } from '../shared/memoryRows';
import { BulkBar } from './BulkBar';
import { FilterBar } from './FilterBar';
import { MemoryDetailPane } from './MemoryDetailPane';
import { canArchive, canRestore } from './lifecycle';
import { DEFAULT_FILTERS, type Filters, isNarrowed, isWholeTrash, readFilters, requestOf } from './filters';

const list = createListState();
const editing = createStore<string | null>(null);
const NOTHING = {};

export default function Memories() {
  const [remembered] = useUiState<object>('memories.filters', NOTHING);
  const filters = useMemo(() => readFilters(remembered), [remembered]);
  const [query, setQuery] = useState('');
  const asked = useDebounced(query);
  const request = useMemo(() => requestOf(filters, asked), [filters, asked]);
  const memories = useMemoryRows(request);
  const { rows, ids } = memories;
  const want = useListCursor(list, ids);
  const withAll = useAllRows(memories);
  const toLast = useLastRow(list, memories);
  const byId = useMemo(() => new Map(rows.map((row) => [row.id, row])), [rows]);
  const [categoryOpen, setCategoryOpen] = useState(false);

  const setFilters = useCallback((next: Filters) => {
    list.update(clearSelection);
    setUiState('memories.filters', next);
  }, []);

  const target = useNavTarget('memories');
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target || answered.current === target) return;
    answered.current = target;
    // A navigation request from elsewhere in the window, which arrives like an event.
    // oxlint-disable-next-line react/set-state-in-effect
    if (target.query !== undefined) setQuery(target.query);
    if (target.onlyConversation !== undefined) setFilters({ ...DEFAULT_FILTERS, conversation: target.onlyConversation });
    if (target.memory !== undefined) {
      // The memory may have any status, so no filter may hide it.
      if (!ids.includes(target.memory)) setFilters({ ...DEFAULT_FILTERS, status: [] });
      want(target.memory);
    }
  }, [target, ids, want, setFilters]);

  const rowsOf = (wanted: readonly string[]) => wanted.flatMap((id) => byId.get(id) ?? []);

  const archive = (wanted: readonly string[]) => {
    const fit = rowsOf(wanted).filter(canArchive);
    if (fit.length === 0) return false;
    void decide({ action: 'archive', ids: fit.map((row) => row.id) }, fit, t.memories.archived(fit.length));
    return true;
  };
  const restore = (wanted: readonly string[]) => {
    const fit = rowsOf(wanted).filter(canRestore);
    if (fit.length === 0) return false;
    void decide({ action: 'restore', ids: fit.map((row) => row.id) }, fit, t.memories.restored(fit.length));
    return true;
  };
  const recategorize = (wanted: readonly string[], category: string) => {
    const fit = rowsOf(wanted).filter((row) => row.category !== category && canArchive(row));
    if (fit.length === 0) return;
    void decide({ action: 'recategorize', ids: fit.map((row) => row.id), category }, fit, t.memories.recategorized(fit.length, nameOf(t.category, category)));
  };

  useMoves('memories', list, ids, undefined, toLast);
  useSelecting('memories', list, ids);
  useActions('memories', {
    'memories.edit': () => {
      const row = byId.get(list.get().cursor ?? '');
      if (!row || !canArchive(row)) return false;
      editing.set(row.id);
      return true;
    },
    'memories.category': () => {
      if (!rowsOf(concerned(list.get())).some(canArchive)) return false;
      setCategoryOpen(true);
      return true;
    },
    'memories.archive': () => archive(concerned(list.get())),
    'memories.restore': () => restore(concerned(list.get())),
    'memories.source': () => actOn(byId.get(list.get().cursor ?? ''), (row) => openSource(undefined, row)),
    'memories.selectAll': () => {
      let selected: ReadonlySet<string> | null = null;
      withAll((all) =>
        list.update((state) => {
          if (selected !== null && state.selected !== selected) return state;
          selected = new Set(all);
          return { ...state, selected };
        }),
      );
    },
    'memories.clear': () => list.update(clearSelection),
  });

  const clear = () => {
    setQuery('');
    setFilters({ ...DEFAULT_FILTERS, sort: filters.sort });
  };
  const bulk = { list, byId, ids, categoryOpen, onCategoryOpen: setCategoryOpen, onArchive: archive, onRestore: restore, onRecategorize: recategorize };
  return (
    <SplitPane
      name="memories"
      list={
        <>
          <PaneHeader title={t.panels.memories} count={<span data-testid={TESTIDS.memoriesCount}>{number(memories.total)}</span>}>
            {isWholeTrash(filters, asked) && rows.length > 0 ? (
              <Button size="s" tone="quiet" icon={<Trash2 size={14} aria-hidden="true" />} testId={TESTIDS.emptyTrash} disabled={!memories.isWhole} onClick={() => askToErase({ kind: 'memories', ids: [...ids], statement: null })}>
                {t.erase.emptyTrash}
              </Button>
            ) : null}
          </PaneHeader>
          <FilterBar filters={filters} query={query} response={memories.response} onFilters={setFilters} onQuery={setQuery} onClear={clear} />
          <BulkBar {...bulk} />
          <MemoryList memories={memories} isNarrow={isNarrowed(filters, asked)} usualStatus={filters.status.length === 1 ? filters.status[0] : 'active'} onClear={clear} />
          <p className="srOnly" aria-live="polite">
            {t.memories.live(memories.total)}
          </p>
        </>
      }
      detail={
        <>
          <MemoryDetailPane {...bulk} editing={editing} isEmpty={!memories.isLoading && rows.length === 0} />
          <EraseDialog />
        </>
      }
    />
  );
}

/** Sends a request when typing pauses. */
function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), 120);
    return () => window.clearTimeout(timer);
  }, [value]);
  return useDeferredValue(settled);
}

function MemoryList({ memories, isNarrow, usualStatus, onClear }: { memories: MemoryRows; isNarrow: boolean; usualStatus: string | undefined; onClear: () => void }) {
  const { rows, ids, isLoading, error, retry } = memories;
  const cursor = useStore(list, (state) => state.cursor);
  const selected = useStore(list, (state) => state.selected);
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const heightOf = useCallback(() => ROW_HEIGHT, []);
  if (error && rows.length === 0) return <ErrorState title={t.memories.loadFailed} text={t.app.safeInDatabase} detail={error.message} onRetry={retry} />;
  if (isLoading) return <LoadingRows />;
  if (rows.length === 0) {
    return isNarrow ? (
      <EmptyState icon={<SearchX size={18} />} title={t.memories.noMatchTitle} text={t.memories.noMatchText} action={<Button onClick={onClear}>{t.app.clearFilters}</Button>} />
    ) : (
      <EmptyState icon={<Library size={18} />} title={t.memories.emptyTitle} text={t.memories.emptyText} action={<Button onClick={() => go('review')}>{t.memories.emptyAction}</Button>} />
    );
  }
  return (
    <VirtualList
      label={t.memories.list}
      testId={TESTIDS.memoriesList}
      rowTestId={TESTIDS.memoryRow}
      isMulti
      autoFocus
      count={rows.length}
      keyOf={keyOf}
      heightOf={heightOf}
      activeIndex={cursor === null ? -1 : ids.indexOf(cursor)}
      isSelected={(index) => selected.has(ids[index] ?? '')}
      onPick={(index, event) => pickRow(list, ids, ids[index], event)}
      render={(index) => {
        const row = rows[index];
        return row ? <MemoryListRow row={row} list={list} showSource usualStatus={usualStatus} /> : null;
      }}
    />
  );
}
