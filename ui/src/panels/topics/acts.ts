/** Actions on topics: stored by the backend as decisions, each with one undo. */
import { type Change, type TopicAct, type TopicListRow, call } from '../../api';
import { createStore, perform } from '../../state';
import { t } from '../../strings';

/** The dragged object: a topic to be dropped onto another one, or lines to be moved out of a topic. */
export type Dragged = { kind: 'topic'; id: string } | { kind: 'messages'; topic: string; ids: readonly string[] };

export const dragged = createStore<Dragged | null>(null);

function decide(topic: TopicListRow, act: TopicAct, text: string, changes: readonly Change[]): Promise<boolean> {
  return perform({
    text,
    ids: [topic.id],
    changes,
    send: () => call('topic_decide', { id: topic.id, act }),
    undo: ({ decision_id }) => call('topic_undo', { id: decision_id }),
  });
}

/** An answered proposal is no longer shown. */
const answered = (proposal: string | undefined): readonly Change[] => (proposal === undefined ? [] : [{ id: proposal, to: null, from: {} }]);

export function pinTopic(topic: TopicListRow): Promise<boolean> {
  const { id, is_pinned } = topic;
  const changes: readonly Change<TopicListRow>[] = [{ id, to: { is_pinned: !is_pinned }, from: { is_pinned } }];
  return decide(topic, { kind: is_pinned ? 'unpin' : 'pin' }, is_pinned ? t.topics.unpinnedDone : t.topics.pinnedDone, changes);
}

export function renameTopic(topic: TopicListRow, title: string): Promise<boolean> {
  const words = title.trim();
  const { id, is_renamed } = topic;
  // Without a title from the person, the title depends on the content, and only the backend knows it.
  const changes: readonly Change<TopicListRow>[] = [{ id, to: words ? { title: words, is_renamed: true } : { is_renamed: false }, from: { title: topic.title, is_renamed } }];
  return decide(topic, { kind: 'rename', title }, words ? t.topics.renamedDone(words) : t.topics.titleFollows, changes);
}

export const mergeTopics = (into: TopicListRow, from: { id: string; title: string }, proposal?: string) =>
  decide(into, { kind: 'merge', other_id: from.id }, t.topics.mergedDone(from.title, into.title), answered(proposal));

export const splitTopic = (topic: TopicListRow, ids: readonly string[], proposal?: string) =>
  decide(topic, { kind: 'split', message_ids: [...ids] }, t.topics.splitDone(ids.length), answered(proposal));

export const keepApart = (topic: TopicListRow, other: string | null, proposal: string) =>
  decide(topic, { kind: 'leave', other_id: other }, other === null ? t.topics.wholeDone : t.topics.apartDone, answered(proposal));

/** Undoes an earlier decision. To revert this, the decision is made again. */
export const undoDecision = (id: string) => call('topic_undo', { id });
