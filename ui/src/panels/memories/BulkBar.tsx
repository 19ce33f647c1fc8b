/** Actions on the selection, as one operation with one undo. */
import { Archive, ArchiveRestore, Tag, Trash2 } from 'lucide-react';
import type { MemoryRow } from '../../api';
import { Button, CATEGORIES, CategoryIcon, Menu, PaneBar, focusList } from '../../design';
import { type ListState, type Store, clearSelection, useStore } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { type EraseTarget, askToErase } from '../shared/erase';
import { canArchive, canErase, canRestore } from './lifecycle';

export interface BulkProps {
  list: Store<ListState>;
  byId: ReadonlyMap<string, MemoryRow>;
  ids: readonly string[];
  categoryOpen: boolean;
  onCategoryOpen: (open: boolean) => void;
  onArchive: (ids: readonly string[]) => void;
  onRestore: (ids: readonly string[]) => void;
  onRecategorize: (ids: readonly string[], category: string) => void;
}

/** The rows that can be erased for good. */
export function erasable(rows: readonly MemoryRow[]): EraseTarget {
  const fit = rows.filter(canErase);
  return { kind: 'memories', ids: fit.map((row) => row.id), statement: fit.length === 1 ? (fit[0]?.content ?? null) : null };
}

export function BulkBar({ list, byId, ids, categoryOpen, onCategoryOpen, onArchive, onRestore, onRecategorize }: BulkProps) {
  const selected = useStore(list, (state) => state.selected);
  if (selected.size === 0) return null;
  const wanted = [...selected];
  const rows = wanted.flatMap((id) => byId.get(id) ?? []);
  return (
    <PaneBar tone="accent" testId={TESTIDS.bulkBar}>
      <span className="num">{t.memories.selected(selected.size)}</span>
      {selected.size < ids.length ? (
        <Button size="s" tone="quiet" action="memories.selectAll" testId={TESTIDS.selectAll} onClick={() => list.update((state) => ({ ...state, selected: new Set(ids) }))}>
          {t.memories.selectAll(ids.length)}
        </Button>
      ) : null}
      {rows.some(canArchive) ? (
        <>
          <CategoryMenu open={categoryOpen} onOpen={onCategoryOpen} current={null} onChoose={(category) => onRecategorize(wanted, category)} />
          <Button size="s" icon={<Archive size={14} aria-hidden="true" />} onClick={() => onArchive(wanted)}>
            {t.memories.archive}
          </Button>
        </>
      ) : null}
      {rows.some(canRestore) ? (
        <Button size="s" icon={<ArchiveRestore size={14} aria-hidden="true" />} onClick={() => onRestore(wanted)}>
          {t.memories.restore}
        </Button>
      ) : null}
      {rows.some(canErase) ? (
        <Button size="s" tone="quiet" icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => askToErase(erasable(rows))}>
          {t.erase.memory}
        </Button>
      ) : null}
      <Button size="s" tone="quiet" action="memories.clear" onClick={() => list.update(clearSelection)}>
        {t.app.clear}
      </Button>
    </PaneBar>
  );
}

export function CategoryMenu({ open, onOpen, current, onChoose, size = 's', side = 'bottom' }: { open: boolean; onOpen: (open: boolean) => void; current: string | null; onChoose: (category: string) => void; size?: 's' | 'm'; side?: 'bottom' | 'top' }) {
  return (
    <Menu
      open={open}
      onOpenChange={onOpen}
      side={side}
      trigger={
        <Button size={size} tone={size === 'm' ? 'quiet' : 'plain'} icon={<Tag size={14} aria-hidden="true" />} action={size === 'm' ? 'memories.category' : undefined} testId={TESTIDS.memoryCategory}>
          {t.memories.recategorize}
        </Button>
      }
      entries={CATEGORIES.map((category) => ({
        id: category,
        label: nameOf(t.category, category),
        icon: <CategoryIcon category={category} />,
        checked: category === current,
        isRadio: true,
        run: () => {
          onChoose(category);
          focusList(TESTIDS.memoriesList);
        },
      }))}
    />
  );
}
