/** The memory under the cursor, with the actions for its status. */
import { Archive, ArchiveRestore, Inbox, Pencil, Trash2 } from 'lucide-react';
import type { MemoryRow } from '../../api';
import { Button, PaneBody, PaneFoot, focusList } from '../../design';
import { type Store, decide, go, stepFrom, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMemoryDetail } from '../shared/detail';
import { askToErase } from '../shared/erase';
import { Nothing } from '../shared/ListPane';
import { MemoryBody } from '../shared/MemoryBody';
import { MemoryEditor } from '../shared/MemoryEditor';
import { PositionHeader } from '../shared/PaneSteps';
import { type BulkProps, CategoryMenu } from './BulkBar';
import css from './Memories.module.css';
import { canArchive, canErase, canRestore } from './lifecycle';

interface MemoryDetailPaneProps extends BulkProps {
  editing: Store<string | null>;
  isEmpty: boolean;
}

export function MemoryDetailPane(props: MemoryDetailPaneProps) {
  const cursor = useStore(props.list, (state) => state.cursor);
  const row = props.byId.get(cursor ?? '');
  return row ? <Detail {...props} row={row} /> : <Nothing />;
}

const NOTES: Readonly<Record<string, string>> = {
  archived: t.memories.trashNote,
  superseded: t.memories.supersededNote,
  rejected: t.memories.rejectedNote,
  pending: t.memories.pendingNote,
  quarantined: t.review.quarantineText,
};

function Detail({ row, ids, editing, list, categoryOpen, onCategoryOpen, onArchive, onRestore, onRecategorize }: MemoryDetailPaneProps & { row: MemoryRow }) {
  const at = ids.indexOf(row.id);
  const { data: detail, error } = useMemoryDetail(row.id, stepFrom(ids, row.id, 1));
  const isEditing = useStore(editing, (id) => id === row.id);
  const hasSelection = useStore(list, (state) => state.selected.size > 0);
  const stopEditing = () => {
    editing.set(null);
    focusList(TESTIDS.memoriesList);
  };
  const save = (content: string, category: string) => {
    stopEditing();
    if (content === row.content && category === row.category) return;
    void decide({ action: 'edit', id: row.id, content, category: category === row.category ? null : category }, [row], t.memories.edited);
  };
  const note = NOTES[row.status];
  return (
    <>
      <PositionHeader scope="memories" at={at} of={ids.length} />
      <PaneBody label={t.memories.detail} of={row.id}>
        <MemoryBody
          row={row}
          detail={detail}
          statementTestId={TESTIDS.memoryStatement}
          sourceAction="memories.source"
          editor={isEditing ? <MemoryEditor key={row.id} row={row} saveLabel={t.memories.save} onSave={save} onCancel={stopEditing} /> : undefined}
          note={
            <>
              {note ? <p className={css.note}>{note}</p> : null}
              {error && !detail ? <p className={css.failed}>{t.memory.detailFailed}</p> : null}
            </>
          }
        />
      </PaneBody>
      <PaneFoot label={t.memories.detail}>
        {canArchive(row) ? (
          <>
            <Button icon={<Pencil size={15} aria-hidden="true" />} action="memories.edit" testId={TESTIDS.memoryEdit} disabled={isEditing} onClick={() => editing.set(row.id)}>
              {t.memories.edit}
            </Button>
            <CategoryMenu size="m" side="top" open={categoryOpen && !hasSelection} onOpen={onCategoryOpen} current={row.category} onChoose={(category) => onRecategorize([row.id], category)} />
            <span className={css.space} />
            <Button tone="quiet" icon={<Archive size={15} aria-hidden="true" />} action="memories.archive" testId={TESTIDS.memoryArchive} onClick={() => onArchive([row.id])}>
              {t.memories.archive}
            </Button>
          </>
        ) : null}
        {canRestore(row) ? (
          <Button icon={<ArchiveRestore size={15} aria-hidden="true" />} action="memories.restore" testId={TESTIDS.memoryRestore} onClick={() => onRestore([row.id])}>
            {t.memories.restore}
          </Button>
        ) : null}
        {canErase(row) ? (
          <>
            <span className={css.space} />
            <Button tone="quiet" icon={<Trash2 size={15} aria-hidden="true" />} testId={TESTIDS.memoryErase} onClick={() => askToErase({ kind: 'memories', ids: [row.id], statement: row.content })}>
              {t.erase.memory}
            </Button>
          </>
        ) : null}
        {row.status === 'pending' || row.status === 'quarantined' ? (
          <Button tone="quiet" icon={<Inbox size={15} aria-hidden="true" />} onClick={() => go('review')}>
            {t.memories.openReview}
          </Button>
        ) : null}
      </PaneFoot>
    </>
  );
}
