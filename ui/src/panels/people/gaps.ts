/** Capability gaps and the person's decisions about them. */
import { type GapView, type PersonView, addLayer, call } from '../../api';
import { noteFinal, perform, showError, showToast } from '../../state';
import { t } from '../../strings';

export type GapFilter = 'open' | 'tasks' | 'done';

const FILTER_OF: Readonly<Record<string, GapFilter>> = { detected: 'open', reopened: 'open', task_created: 'tasks', resolved: 'done' };

export const filterOf = (gap: Pick<GapView, 'status'>): GapFilter => FILTER_OF[gap.status] ?? 'open';

export const isToDecide = (gap: Pick<GapView, 'status'>): boolean => filterOf(gap) === 'open';

/** The person in whose conversations it came up, if there was only one. */
export const personOf = (gap: Pick<GapView, 'entity_id'>, people: readonly PersonView[]): PersonView | undefined => people.find((each) => each.id === gap.entity_id);

/** The request as a heading. Its first letter is capitalized, because the words come from the middle of a sentence. */
export const needWords = (gap: Pick<GapView, 'need'>): string => gap.need.trim().replace(/^./u, (first) => first.toUpperCase());

/** The last part of a path, for display. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) || path;

/** Whether the text is an absolute path, on any system, of a Markdown file. */
export const isTasksPath = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]).*[^\\/]\.(md|markdown)$/i.test(path.trim());

/** Dismisses a gap, with one undo. */
export function dismissGap(id: string): Promise<boolean> {
  return perform({
    text: t.gaps.dismissed,
    undone: t.gaps.restored,
    ids: [id],
    changes: [{ id, to: null, from: {} }],
    send: () => call('gap_dismiss', { id, is_dismissed: true }),
    undo: () => call('gap_dismiss', { id, is_dismissed: false }),
  });
}

/** Writes the task to the person's file. There is no undo, because tasks are never removed from that file. */
export async function confirmGap(id: string, file: string | null): Promise<boolean> {
  const layer = addLayer([{ id, to: { status: 'task_created' }, from: {} }]);
  try {
    const gap = await call('gap_confirm', { id, file });
    layer.settle();
    const written = gap.task?.file ?? file ?? '';
    showToast({ text: t.gaps.confirmed(written), replaces: 'decision' });
    noteFinal(t.gaps.stays(written));
    return true;
  } catch (thrown) {
    layer.remove();
    showError(thrown);
    return false;
  }
}
