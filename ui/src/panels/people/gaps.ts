/** Gaps: which are to be decided, and what a person decides. */
import { type GapView, type PersonView, call } from '../../api';
import { noteFinal, perform } from '../../state/decisions';
import { createStore } from '../../state/store';
import { showError, showToast } from '../../state/toasts';
import { t } from '../../strings';

export type GapFilter = 'open' | 'tasks' | 'done';

const FILTER_OF: Readonly<Record<string, GapFilter>> = { detected: 'open', reopened: 'open', task_created: 'tasks', resolved: 'done' };

export const filterOf = (gap: Pick<GapView, 'status'>): GapFilter => FILTER_OF[gap.status] ?? 'open';

export const isToDecide = (gap: Pick<GapView, 'status'>): boolean => filterOf(gap) === 'open';

/** The person with whom it showed, where it was with one. */
export const personOf = (gap: Pick<GapView, 'entity_id'>, people: readonly PersonView[]): PersonView | undefined => people.find((each) => each.id === gap.entity_id);

/** As a heading: what somebody said begins in the middle of a sentence. */
export const needWords = (gap: Pick<GapView, 'need'>): string => gap.need.trim().replace(/^./u, (first) => first.toUpperCase());

/** The last part of a path, to speak of a file. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) || path;

/** A whole path, here or on Windows, of a file that Markdown is written to. */
export const isTasksPath = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]).*[^\\/]\.(md|markdown)$/i.test(path.trim());

/** What was dismissed here and may still stand in the last answer. */
export const dismissed = createStore<ReadonlySet<string>>(new Set());

function hide(id: string, isHidden: boolean): void {
  dismissed.update((ids) => {
    const next = new Set(ids);
    if (isHidden) next.add(id);
    else next.delete(id);
    return next;
  });
}

/** "Not a gap", with one undo. */
export function dismissGap(id: string): Promise<boolean> {
  hide(id, true);
  const back = () => hide(id, false);
  return perform({
    text: t.gaps.dismissed,
    undone: t.gaps.restored,
    ids: [id],
    send: () => call('gap_dismiss', { id, is_dismissed: true }),
    takeBack: () => call('gap_dismiss', { id, is_dismissed: false }),
    onUndo: back,
    onFailed: back,
  });
}

/** Writes the task. What stands in somebody's file is not taken out again, so there is no undo. */
export async function confirmGap(id: string, file: string | null): Promise<boolean> {
  try {
    const gap = await call('gap_confirm', { id, file });
    const written = gap.task?.file ?? file ?? '';
    showToast({ text: t.gaps.confirmed(written), replaces: 'decision' });
    noteFinal(t.gaps.stays(written));
    return true;
  } catch (thrown) {
    showError(thrown);
    return false;
  }
}

/** Forgets what was dismissed; tests start from here. */
export function resetGaps(): void {
  dismissed.set(new Set());
}
