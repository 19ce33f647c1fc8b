/** The fake host's topics: enough to decide, merge and split, with the undo of real ones. */
import type { TopicDetail, TopicListRow, TopicRulesView } from '../../api/schema';
import crowd from './data/crowd.json';
import type { Handlers, Host } from './index';
import { settingsOf } from './system';
import { DAY, type World, found, linesOf } from './world';

interface Invented {
  readonly id: string;
  readonly title: string;
  readonly conversation: string;
  readonly takeaways: readonly (readonly [section: string, message: number])[];
  readonly technologies?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  /** The model that worded it, and a second message that its first line rests on. */
  readonly worded?: { readonly by: string; readonly also: number };
}

const INVENTED: readonly Invented[] = [
  { id: 'top_kitchen', title: 'Kitchen renovation and stone counter', conversation: 'conv_kitchen', takeaways: [['decision', 6], ['task', 8], ['detail', 2], ['detail', 4]] },
  { id: 'top_running', title: 'Half marathon', conversation: 'conv_running', takeaways: [['learning', 2], ['detail', 0], ['detail', 4]], worded: { by: 'llama3.2:3b topic/1', also: 4 } },
  ...crowd.subjects.map(({ title, projects, technologies }, at): Invented => ({ id: `top_crowd_${at}`, title, conversation: `conv_crowd_${at}`, takeaways: [['decision', 0], ['detail', 1]], projects, technologies })),
];

const RULES: TopicRulesView = { min_messages: 20, min_time_minutes: 60, automatic: true, batch_size: 20, overlap: 0.25, similarity: 0.7, target_words: 400, max_words: 1_000 };

interface Decided {
  readonly id: string;
  readonly topic: string;
  readonly kind: string;
  readonly title: string | null;
  readonly other: string | null;
  readonly messages: readonly string[];
}

export function topicCommands(world: World, host: Host): Handlers {
  let decided: Decided[] = [];
  let drawn = 0;
  const rules = settingsOf<TopicRulesView>(host, RULES, 'settings', 'topics');

  const holds = (topic: string, kind: string) => decided.findLast((each) => each.topic === topic && each.kind === kind);
  const absorbed = () => new Set(decided.filter((each) => each.kind === 'merge').map((each) => each.other));

  /** All topics with their messages, with decisions applied. */
  const standing = () => {
    const own = INVENTED.filter((each) => world.conversations.some((row) => row.id === each.conversation)).map((each) => ({ ...each, parent: null as string | null, messages: linesOf(world, each.conversation) }));
    for (const act of decided) {
      const topic = own.find((each) => each.id === act.topic);
      const other = own.find((each) => each.id === act.other);
      if (act.kind === 'merge' && topic && other) topic.messages = [...topic.messages, ...other.messages];
      if (act.kind === 'split' && topic) {
        const apart = topic.messages.filter((line) => act.messages.includes(line.message_id));
        topic.messages = topic.messages.filter((line) => !act.messages.includes(line.message_id));
        own.push({ id: `top_${act.id}`, title: apart[0]?.text.split(' ').slice(0, 4).join(' ') ?? '', conversation: topic.conversation, takeaways: [['detail', 0]], parent: topic.id, messages: apart });
      }
    }
    const gone = absorbed();
    return own.filter((each) => !gone.has(each.id));
  };
  type Standing = ReturnType<typeof standing>[number];

  const rowOf = (topic: Standing, all: readonly Standing[]): TopicListRow => {
    const times = topic.messages.map((line) => line.time);
    const every = all.flatMap((each) => each.messages.map((line) => line.time));
    const [from, to] = [Math.min(...every), Math.max(...every)];
    const growth = Array.from({ length: 24 }, () => 0);
    for (const time of times) {
      const at = Math.floor(((time - from) * 23) / Math.max(1, to - from));
      growth[at] = (growth[at] ?? 0) + 1;
    }
    const pin = decided.findLast((each) => each.topic === topic.id && (each.kind === 'pin' || each.kind === 'unpin'));
    const title = holds(topic.id, 'rename')?.title ?? null;
    return {
      id: topic.id,
      title: title ?? topic.title,
      is_renamed: title !== null,
      is_pinned: pin?.kind === 'pin',
      parent_id: topic.parent,
      messages: topic.messages.length,
      versions: 2,
      first: Math.min(...times),
      last: Math.max(...times),
      growth,
      entities: { people: [...new Set(topic.messages.map((line) => line.author))], projects: [...(topic.projects ?? [])], technologies: [...(topic.technologies ?? [])] },
      lead: topic.messages[topic.takeaways[0]?.[1] ?? 0]?.text ?? '',
    };
  };
  const rows = () => {
    const all = standing();
    return all.map((each) => rowOf(each, all)).toSorted((a, b) => Number(b.is_pinned) - Number(a.is_pinned) || b.last - a.last);
  };
  const find = (id: string) => {
    const all = standing();
    const topic = found(all.find((each) => each.id === id), 'topic');
    return { topic, row: rowOf(topic, all) };
  };
  const textOf = (topic: Standing) =>
    topic.takeaways.flatMap(([section, at], index) => {
      const line = topic.messages[at];
      const second = index === 0 && topic.worded ? topic.messages[topic.worded.also] : undefined;
      return line ? [{ section, text: line.text, line, also: second ? [second] : [] }] : [];
    });

  return {
    topics_list() {
      const items = rows();
      const isLeft = decided.some((each) => each.kind === 'leave');
      const [first, second] = [items.find((each) => each.id === 'top_kitchen'), items.find((each) => each.id === 'top_running')];
      const proposals =
        first && second && !isLeft
          ? [{ id: 'prp_1', kind: 'merge', topic_id: first.id, topic_title: first.title, other_id: second.id, other_title: second.title, nearness: 0.72, why: ['april', 'training'], apart: [] }]
          : [];
      return { items, proposals, growth_from: Math.min(...items.map((each) => each.first), host.now()), growth_to: Math.max(...items.map((each) => each.last), 0), is_ready: true };
    },
    topic_get({ id }): TopicDetail {
      const { topic, row } = find(id);
      const version = (number: number, title: string) => ({ id: `tov_${id}_${number}`, number, title, messages: Math.ceil((topic.messages.length * number) / 2), made: row.last - (2 - number) * DAY, proposer: (number === 2 && topic.worded?.by) || 'builtin-topic/2', is_retired: false, is_current: number === 2 });
      return {
        topic: row,
        text: '',
        lines: textOf(topic),
        versions: [version(2, topic.title), version(1, topic.title.split(' and ')[0] ?? '')],
        messages: topic.messages,
        related: rows()
          .filter((each) => each.id !== id)
          .map((each) => ({ id: each.id, title: each.title, kind: each.parent_id === id ? 'child' : row.parent_id === each.id ? 'parent' : 'related' })),
        users: row.entities.people,
        interfaces: [...new Set(topic.messages.map((line) => line.channel))],
        sessions: 1,
        decisions: decided.filter((each) => each.topic === id).map((each) => ({ id: each.id, kind: each.kind, title: each.title, decided: host.now() })),
      };
    },
    topic_text({ version_id }) {
      const { topic } = find(version_id.replace(/^tov_/, '').replace(/_\d+$/, ''));
      return { text: '', lines: textOf(topic).slice(0, 1) };
    },
    topic_decide({ id, act }) {
      find(id);
      drawn += 1;
      const decision = `tod_${drawn}`;
      const other = act.kind === 'merge' || act.kind === 'leave' ? act.other_id : null;
      decided = [...decided, { id: decision, topic: id, kind: act.kind, title: act.kind === 'rename' ? act.title || null : null, other, messages: act.kind === 'split' ? act.message_ids : [] }];
      host.changed('topics');
      return { decision_id: decision };
    },
    topic_undo({ id }) {
      decided = decided.filter((each) => each.id !== id);
      host.changed('topics');
      return {};
    },
    topic_rules_get: () => ({ rules: rules.get(), defaults: RULES }),
    topic_rules_set: (next) => ({ rules: rules.set(next), defaults: RULES }),
  };
}
