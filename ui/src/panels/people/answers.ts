/** Answers about pairs of handles: shown immediately, sent in order, undone one by one. */
import { useMemo, useState } from 'react';
import { type LinkView, byId, call, useRpc, useWithLayers } from '../../api';
import { stampOf } from '../../api/optimistic';
import { perform } from '../../state';
import { t } from '../../strings';
import { handleWithChannel } from './clues';

export type Answer = 'same' | 'different' | 'unsure';

const NONE: readonly LinkView[] = [];

/** Number of pairs per page, more than anyone answers in one session. */
export const LINKS_PAGE = 100;

/** The open and the answered pairs that have been loaded by scrolling, and the total number of each. */
export function useLinks(page = LINKS_PAGE) {
  const [pages, setPages] = useState({ open: 1, answered: 1 });
  const open = useRpc('links_list', { answered: false, offset: 0, limit: pages.open * page }, { keepPrevious: true });
  const answered = useRpc('links_list', { answered: true, offset: 0, limit: pages.answered * page }, { keepPrevious: true });
  const waiting = useWithLayers(open.data, open.data?.items ?? NONE, byId);
  const done = useWithLayers(answered.data, answered.data?.items ?? NONE, byId);
  const links = useMemo(() => {
    if (!open.data || !answered.data) return undefined;
    // Between two responses, a pair may be in both lists. The newer response counts.
    const [newer, older] = stampOf(open.data) >= stampOf(answered.data) ? [waiting, done] : [done, waiting];
    const ids = new Set(newer.map((link) => link.id));
    const rest = older.filter((link) => !ids.has(link.id));
    return newer === waiting ? [...newer, ...rest] : [...rest, ...newer];
  }, [open.data, answered.data, waiting, done]);
  const failed = open.error ? open : answered;
  return {
    links,
    /** Number of pairs that have not been loaded. */
    beyond: {
      open: Math.max(0, (open.data?.total ?? 0) - (open.data?.items.length ?? 0)),
      answered: Math.max(0, (answered.data?.total ?? 0) - (answered.data?.items.length ?? 0)),
    },
    more: (filter: 'open' | 'answered') => {
      const { data } = filter === 'open' ? open : answered;
      if (data && data.items.length === pages[filter] * page && data.total > data.items.length) setPages((now) => ({ ...now, [filter]: now[filter] + 1 }));
    },
    error: failed.error,
    retry: () => void Promise.all([open.refetch(), answered.refetch()]),
  };
}

const said = (answer: Answer, link: LinkView): string => {
  const [a, b] = [handleWithChannel(link.a), handleWithChannel(link.b)];
  return { same: t.people.saidSame(a, b), different: t.people.saidDifferent(a, b), unsure: t.people.saidUnsure }[answer];
};

function change(link: LinkView, status: string, text: string, undone: string, send: () => Promise<unknown>, undo: () => Promise<unknown>): Promise<boolean> {
  return perform({ text, undone, ids: [link.id], changes: [{ id: link.id, to: { status }, from: { status: link.status } }], send, undo });
}

export function answerLink(link: LinkView, answer: Answer): Promise<boolean> {
  const back = () => (answer === 'same' ? call('link_remove', { id: link.id }) : call('link_answer', { id: link.id, answer: link.status }));
  return change(link, answer, said(answer, link), t.people.answerUndone, () => call('link_answer', { id: link.id, answer }), back);
}

/** Unlinks, or undoes another answer: the pair is open again. */
export function undoAnswer(link: LinkView): Promise<boolean> {
  if (link.status === 'same') return unlink(link);
  return change(link, 'open', t.people.answerUndone, t.people.answered, () => call('link_answer', { id: link.id, answer: 'open' }), () => call('link_answer', { id: link.id, answer: link.status }));
}

export function unlink(link: LinkView): Promise<boolean> {
  const text = t.people.saidUnlinked(handleWithChannel(link.a), handleWithChannel(link.b));
  // Undone by linking the handles, because removing the answer of a manual link deletes the link.
  return change(link, 'open', text, t.people.linkedAgain, () => call('link_remove', { id: link.id }), () => call('link_handles', { a: link.a.id, b: link.b.id }));
}

/** Links two handles by hand. */
export function linkHandles(a: LinkView['a'], b: LinkView['b']): Promise<boolean> {
  return perform({
    text: t.people.saidSame(handleWithChannel(a), handleWithChannel(b)),
    undone: t.people.saidUnlinked(handleWithChannel(a), handleWithChannel(b)),
    send: () => call('link_handles', { a: a.id, b: b.id }),
    undo: async () => {
      // The response does not contain the new link.
      const { items } = await call('links_list', { answered: true, offset: 0, limit: 0 });
      const made = items.find((link) => link.status === 'same' && [link.a.id, link.b.id].includes(a.id) && [link.a.id, link.b.id].includes(b.id));
      if (made) await call('link_remove', { id: made.id });
    },
  });
}

/** Allows agents to use a memory anywhere, or undoes that. */
export function shareMemory(id: string, is_shared: boolean): Promise<boolean> {
  return perform({
    changes: [{ id, to: { is_shared }, from: { is_shared: !is_shared } }],
    text: is_shared ? t.people.shared : t.people.unshared,
    undone: is_shared ? t.people.unshared : t.people.shared,
    send: () => call('memory_share', { id, is_shared }),
    undo: () => call('memory_share', { id, is_shared: !is_shared }),
  });
}
