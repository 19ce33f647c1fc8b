/** What a person does to topics: sent to the backend, which keeps it as a decision; each with one undo. */
import { type TopicAct, type TopicListRow, call } from '../../api';
import { perform } from '../../state/decisions';
import { createStore } from '../../state/store';
import { t } from '../../strings';

/** What is being dragged: a topic onto another one, or lines out of a topic. */
export type Dragged = { kind: 'topic'; id: string } | { kind: 'messages'; topic: string; ids: readonly string[] };

export const dragged = createStore<Dragged | null>(null);

function decide(topic: TopicListRow, act: TopicAct, text: string): Promise<boolean> {
  let decision: string | null = null;
  return perform({
    text,
    undone: t.topics.takenBack,
    ids: [topic.id],
    send: async () => {
      decision = (await call('topic_decide', { id: topic.id, act })).decision_id;
    },
    takeBack: async () => {
      if (decision !== null) await call('topic_undo', { id: decision });
    },
  });
}

export const pinTopic = (topic: TopicListRow) => decide(topic, topic.is_pinned ? { kind: 'unpin' } : { kind: 'pin' }, topic.is_pinned ? t.topics.unpinnedDone : t.topics.pinnedDone);

export const renameTopic = (topic: TopicListRow, title: string) => decide(topic, { kind: 'rename', title }, title.trim() ? t.topics.renamedDone(title.trim()) : t.topics.titleFollows);

export const mergeTopics = (into: TopicListRow, from: { id: string; title: string }) => decide(into, { kind: 'merge', other_id: from.id }, t.topics.mergedDone(from.title, into.title));

export const splitTopic = (topic: TopicListRow, ids: readonly string[]) => decide(topic, { kind: 'split', message_ids: [...ids] }, t.topics.splitDone(ids.length));

export const keepApart = (topic: TopicListRow, other: string | null) => decide(topic, { kind: 'leave', other_id: other }, other === null ? t.topics.wholeDone : t.topics.apartDone);

/** Takes back what was decided earlier, which can itself be undone by deciding again. */
export const takeBackDecision = (id: string) => call('topic_undo', { id });
