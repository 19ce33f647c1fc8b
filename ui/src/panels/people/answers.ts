/**
 * Answers about pairs of handles: shown at once, sent in order, taken back one by one.
 *
 * An answer lies over the backend's list as long as that list cannot contain it, as decisions about memories do.
 */
import { useMemo } from 'react';
import { type LinkView, call, useRpc } from '../../api';
import { nextTick, stampOf } from '../../api/optimistic';
import { perform } from '../../state/decisions';
import { createStore, useStore } from '../../state/store';
import { t } from '../../strings';
import { handleWithChannel } from './clues';

export type Answer = 'same' | 'different' | 'unsure';

interface Given {
  readonly status: string;
  /** When the backend had it; null while it is under way. */
  readonly settled: number | null;
}

const given = createStore<ReadonlyMap<string, Given>>(new Map());

function put(id: string, answer: Given | null): void {
  given.update((answers) => {
    const next = new Map(answers);
    if (answer) next.set(id, answer);
    else next.delete(id);
    return next;
  });
}

/** Marks what lies over the list as known to the backend, unless something else was answered meanwhile. */
function settle(id: string, status: string): void {
  const settled = nextTick();
  if (given.get().get(id)?.status === status) put(id, { status, settled });
}

/** The pairs as the person has left them. Pure. */
export function withAnswers(links: readonly LinkView[], stamp: number, answers: ReadonlyMap<string, Given>): readonly LinkView[] {
  if (answers.size === 0) return links;
  return links.map((link) => {
    const answer = answers.get(link.id);
    const isKnown = !answer || (answer.settled !== null && answer.settled <= stamp);
    return isKnown || answer.status === link.status ? link : { ...link, status: answer.status };
  });
}

export function useLinks() {
  const query = useRpc('links_list', {});
  const answers = useStore(given, (now) => now);
  const { data } = query;
  const links = useMemo(() => (data ? withAnswers(data.items, stampOf(data), answers) : undefined), [data, answers]);
  return { links, error: query.error, isLoading: query.isPending, retry: () => void query.refetch() };
}

const said = (answer: Answer, link: LinkView): string => {
  const [a, b] = [handleWithChannel(link.a), handleWithChannel(link.b)];
  return { same: t.people.saidSame(a, b), different: t.people.saidDifferent(a, b), unsure: t.people.saidUnsure }[answer];
};

/** Brings the backend from one answer to another. */
async function send(link: LinkView, status: string): Promise<void> {
  await call('link_answer', { id: link.id, answer: status });
  settle(link.id, status);
}

function change(link: LinkView, status: string, text: string, undone: string, forward: () => Promise<unknown>, back: () => Promise<unknown>): Promise<boolean> {
  const before = link.status;
  put(link.id, { status, settled: null });
  return perform({
    text,
    undone,
    ids: [link.id],
    send: async () => {
      await forward();
      settle(link.id, status);
    },
    takeBack: async () => {
      await back();
      settle(link.id, before);
    },
    onUndo: () => put(link.id, { status: before, settled: null }),
    onFailed: () => put(link.id, null),
  });
}

export function answerLink(link: LinkView, answer: Answer): Promise<boolean> {
  const back = () => (answer === 'same' ? call('link_remove', { id: link.id }) : send(link, link.status));
  return change(link, answer, said(answer, link), t.people.tookBack, () => call('link_answer', { id: link.id, answer }), back);
}

/** Unlinks, or takes another answer back: the pair is asked about again. */
export function takeBack(link: LinkView): Promise<boolean> {
  if (link.status === 'same') return unlink(link);
  return change(link, 'open', t.people.tookBack, t.people.answered, () => call('link_answer', { id: link.id, answer: 'open' }), () => send(link, link.status));
}

export function unlink(link: LinkView): Promise<boolean> {
  const text = t.people.saidUnlinked(handleWithChannel(link.a), handleWithChannel(link.b));
  // By the handles, as a link by hand is gone with its answer.
  return change(link, 'open', text, t.people.linkedAgain, () => call('link_remove', { id: link.id }), () => call('link_handles', { a: link.a.id, b: link.b.id }));
}

/** Links two handles by hand. */
export function linkHandles(a: LinkView['a'], b: LinkView['b']): Promise<boolean> {
  return perform({
    text: t.people.saidSame(handleWithChannel(a), handleWithChannel(b)),
    undone: t.people.saidUnlinked(handleWithChannel(a), handleWithChannel(b)),
    send: () => call('link_handles', { a: a.id, b: b.id }),
    takeBack: async () => {
      // The answer does not name the link it made.
      const { items } = await call('links_list', {});
      const made = items.find((link) => link.status === 'same' && [link.a.id, link.b.id].includes(a.id) && [link.a.id, link.b.id].includes(b.id));
      if (made) await call('link_remove', { id: made.id });
    },
  });
}

/** Lets a memory be told anywhere, or takes that back. */
export function shareMemory(id: string, is_shared: boolean): Promise<boolean> {
  return perform({
    text: is_shared ? t.people.shared : t.people.unshared,
    undone: is_shared ? t.people.unshared : t.people.shared,
    send: () => call('memory_share', { id, is_shared }),
    takeBack: () => call('memory_share', { id, is_shared: !is_shared }),
  });
}

/** Forgets what was answered; tests start from here. */
export function resetAnswers(): void {
  given.set(new Map());
}
