/**
 * The fake host's charts: computed from the invented messages and memories, as the API computes them from real ones.
 *
 * Days start at local midnight. A graph shows existing nodes only, limited to sixty, without suggestions.
 */
import type { ConversationsListRequest, GraphEdge, GraphNode, GraphRequest, GraphResponse, MessageView, TimelineRequest, TimelineResponse, TimelineSeries } from '../../api/schema';
import { RpcError } from '../types';
import type { AllHandlers, Handlers } from './index';
import { HOUR, type World, found, memoriesOf, messagesOf } from './world';

const NODES_MAX = 60;
const UNITS = ['day', 'week', 'month', 'year'] as const;
const MOST = { day: 62, week: 106, month: 121, year: 200 } as const;
type Unit = (typeof UNITS)[number];

const midnight = (year: number, month: number, day: number): number => new Date(year, month, day).getTime();

/** The start of each period and the end of the last one, or null if there are too many. */
export function edgesOf(unit: Unit, weekStart: number, first: number, last: number): number[] | null {
  const from = new Date(first);
  const back = unit === 'week' ? (((from.getDay() + 6) % 7) + 8 - (weekStart || 1)) % 7 : 0;
  const start = { year: from.getFullYear(), month: unit === 'year' ? 0 : from.getMonth(), day: unit === 'day' || unit === 'week' ? from.getDate() - back : 1 };
  const edges: number[] = [];
  for (let step = 0; ; step += 1) {
    const edge = midnight(start.year + (unit === 'year' ? step : 0), start.month + (unit === 'month' ? step : 0), start.day + (unit === 'day' ? step : unit === 'week' ? 7 * step : 0));
    edges.push(edge);
    if (edge > last) return edges;
    if (edges.length > MOST[unit]) return null;
  }
}

interface Said {
  readonly message: MessageView;
  readonly conversation: World['conversations'][number];
}

/** Conversations with a message in this time, by this person, in this topic; null if the request names none of them. */
export function conversationsSaid(world: World, handlers: AllHandlers, request: Partial<ConversationsListRequest>): ReadonlySet<string> | null {
  const { from, to, person, topic } = request;
  if (from == null && to == null && !person && !topic) return null;
  const people = handlers.people_list({}).items;
  const names = person ? new Set(people.find((each) => each.id === person)?.handles.map((each) => each.display_name)) : null;
  const held = topic ? new Set(handlers.topic_get({ id: topic }).messages.map((line) => line.message_id)) : null;
  const fits = (message: MessageView) => (from == null || message.time >= from) && (to == null || message.time < to) && (!names || names.has(message.author)) && (!held || held.has(message.id));
  return new Set(world.conversations.filter((row) => messagesOf(world, row.id).some(fits)).map((row) => row.id));
}

export function chartCommands(world: World, handlers: AllHandlers): Handlers {
  const everything = (): Said[] => world.conversations.flatMap((conversation) => messagesOf(world, conversation.id).map((message) => ({ message, conversation })));
  const personOf = (id: string) => found(handlers.people_list({}).items.find((each) => each.id === id), 'person');
  const namesOf = (id: string) => new Set(personOf(id).handles.map((each) => each.display_name));
  const topicOf = (id: string) => handlers.topic_get({ id });
  const saidOf = (request: Partial<TimelineRequest>): Said[] => {
    const names = request.person ? namesOf(request.person) : null;
    const held = request.topic ? new Set(topicOf(request.topic).messages.map((line) => line.message_id)) : null;
    return everything().filter(({ message }) => (!names || names.has(message.author)) && (!held || held.has(message.id)));
  };
  const keptOf = (request: Partial<TimelineRequest>) => {
    const isOwner = request.person ? personOf(request.person).is_owner : false;
    const names = request.person ? namesOf(request.person) : null;
    const held = request.topic ? new Set(topicOf(request.topic).messages.map((line) => line.message_id)) : null;
    return memoriesOf(world).filter(({ row, evidence }) => {
      if (row.status === 'superseded') return false;
      if (names) return isOwner ? row.subject === 'owner' : names.has(row.subject);
      return !held || evidence.some((each) => held.has(each.interaction_id));
    });
  };

  function timeline(request: Partial<TimelineRequest>): TimelineResponse {
    const said = saidOf(request);
    const kept = keptOf(request).map((memory) => ({ memory, at: request.by_decision && memory.row.status !== 'pending' ? memory.row.created_at + HOUR : request.by_decision ? memory.row.created_at : memory.row.said_at }));
    const times = [...said.map(({ message }) => message.time), ...kept.map(({ at }) => at)];
    const none: TimelineResponse = { unit: 'day', units: [], edges: [], messages: [], memories: [], messages_outside: 0, memories_outside: 0 };
    if (times.length === 0) return none;
    const first = request.from ?? Math.min(...times);
    const last = request.to ? request.to - 1 : Math.max(...times);
    const units = UNITS.filter((unit) => edgesOf(unit, request.week_start ?? 1, first, last) !== null);
    const unit = units.find((each) => each === request.unit) ?? units[0];
    const edges = unit && edgesOf(unit, request.week_start ?? 1, first, last);
    if (!unit || !edges) return none;
    const at = (time: number) => edges.findLastIndex((edge) => edge <= time);
    const series = (name: string): TimelineSeries => ({ name, total: 0, counts: edges.slice(1).map(() => 0), off_record: edges.slice(1).map(() => 0) });
    const add = (to: TimelineSeries, time: number, isOffRecord: boolean) => {
      const index = at(time);
      if (index < 0 || index >= to.counts.length) return;
      to.total += 1;
      to.counts[index] = (to.counts[index] ?? 0) + 1;
      if (isOffRecord) to.off_record[index] = (to.off_record[index] ?? 0) + 1;
    };
    const channels = new Map<string, TimelineSeries>();
    for (const { message, conversation } of said) {
      const own = channels.get(conversation.channel_type) ?? series(conversation.channel_type);
      channels.set(conversation.channel_type, own);
      add(own, message.time, conversation.is_private);
    }
    const states = ['approved', 'waiting', 'rejected'].map(series);
    for (const { memory, at: time } of kept) {
      const state = { active: 0, archived: 0, rejected: 2 }[memory.row.status] ?? 1;
      const own = states[state];
      if (own) add(own, time, memory.row.is_private_source);
    }
    const messages = [...channels.values()].filter((each) => each.total > 0).toSorted((a, b) => b.total - a.total || a.name.localeCompare(b.name));
    const sum = (all: readonly TimelineSeries[]) => all.reduce((total, each) => total + each.total, 0);
    return { unit, units: [...units], edges, messages, memories: states, messages_outside: said.length - sum(messages), memories_outside: kept.length - sum(states) };
  }

  function graph(request: Partial<GraphRequest>): GraphResponse {
    if (Boolean(request.person) === Boolean(request.topic)) throw new RpcError('invalid', 'give either a person or a topic: a graph has one thing at its center');
    const people = handlers.people_list({}).items;
    const topics = handlers.topics_list({}).items;
    const all = everything();
    const nodes: GraphNode[] = [];
    const edges = new Map<string, GraphEdge>();
    const join = (a: string, b: string, kind: string, line: Said | null, count = 1) => {
      const known = edges.get(`${a} ${b} ${kind}`) ?? { a, b, kind, count: 0, nearness: kind === 'near' ? 0.72 : null, conversation_id: null, message_id: null, is_private: false };
      edges.set(`${a} ${b} ${kind}`, { ...known, count: known.count + count, conversation_id: line?.conversation.id ?? known.conversation_id, message_id: line?.message.id ?? known.message_id });
    };
    const nodeOf = (id: string, kind: string, label: string, detail = '', is_private = false, is_owner = false): GraphNode => ({ id, kind, label, detail, is_private, is_owner });
    const personNode = (person: (typeof people)[number]) => nodeOf(person.id, 'person', person.name, person.type, false, person.is_owner);
    const authorOf = (name: string) => people.find((person) => person.handles.some((handle) => handle.display_name === name));
    const own = request.person ? personOf(request.person) : null;
    const heldBy = new Map(topics.map((topic) => [topic.id, new Set(topicOf(topic.id).messages.map((line) => line.message_id))]));
    const center = own?.id ?? request.topic ?? '';
    if (own) nodes.push(personNode(own));
    else nodes.push(nodeOf(center, 'topic', topicOf(center).topic.title));

    const said = saidOf(request);
    const places = new Set(said.map(({ conversation }) => conversation.id));
    const memories = keptOf(request).filter(({ row }) => row.status === 'active');
    const around: GraphNode[][] = [
      people.filter((person) => person.id !== center && (own ? !person.is_owner && all.some(({ message, conversation }) => places.has(conversation.id) && authorOf(message.author)?.id === person.id) : said.some(({ message }) => authorOf(message.author)?.id === person.id))).map(personNode),
      topics.filter((topic) => topic.id !== center && (own ? said.some(({ message }) => heldBy.get(topic.id)?.has(message.id)) : true)).map((topic) => nodeOf(topic.id, 'topic', topic.title)),
      topics.flatMap((topic) => (topic.id !== center && !own ? [] : [...topic.entities.projects.map((name) => nodeOf(`project:${name}`, 'project', name)), ...topic.entities.technologies.map((name) => nodeOf(`technology:${name}`, 'technology', name))])).filter((node, at, all) => all.findIndex((other) => other.id === node.id) === at),
      memories.map(({ row }) => nodeOf(row.id, 'memory', row.content, row.category, row.is_private_source)),
      world.conversations.filter((row) => places.has(row.id)).map((row) => nodeOf(row.id, 'conversation', row.title, row.channel_type, row.is_private)),
    ];
    const room = around.map(() => 0);
    for (let left = Math.min(NODES_MAX - 1, around.flat().length); left > 0; ) {
      for (const [at, kind] of around.entries()) {
        if (left === 0 || (room[at] ?? 0) >= kind.length) continue;
        room[at] = (room[at] ?? 0) + 1;
        left -= 1;
      }
    }
    const left_out = around.map((kind, at) => ({ name: kind[0]?.kind ?? '', label: null, count: kind.length - (room[at] ?? 0) })).filter((each) => each.count > 0);
    nodes.push(...around.flatMap((kind, at) => kind.slice(0, room[at])));
    const shown = new Map(nodes.map((node) => [node.id, node]));

    for (const line of all) {
      const author = authorOf(line.message.author);
      const isDrawn = author && (!author.is_owner || author.id === center);
      if (isDrawn) join(author.id, line.conversation.id, 'wrote_in', line);
      for (const topic of topics) {
        if (!heldBy.get(topic.id)?.has(line.message.id)) continue;
        join(topic.id, line.conversation.id, 'told_in', line);
        if (author && (isDrawn || topic.id === center)) join(author.id, topic.id, 'wrote_of', line);
      }
    }
    for (const topic of topics) {
      for (const name of topic.entities.projects) join(topic.id, `project:${name}`, 'names', null);
      for (const name of topic.entities.technologies) join(topic.id, `technology:${name}`, 'names', null);
      for (const other of topicOf(topic.id).related) if (other.kind === 'related' && topic.id < other.id && [topic.id, other.id].includes(center)) join(topic.id, other.id, 'near', null);
    }
    for (const { row, evidence } of memories) {
      const about = row.subject === 'owner' ? (own?.is_owner ? own : undefined) : authorOf(row.subject);
      if (about) join(row.id, about.id, 'about', null);
      for (const each of evidence) {
        const line = all.find(({ message }) => message.id === each.interaction_id) ?? null;
        join(row.id, each.conversation_id, 'said_in', line);
        for (const topic of topics) if (heldBy.get(topic.id)?.has(each.interaction_id)) join(row.id, topic.id, 'part_of', line);
      }
    }
    if (own) {
      for (const node of nodes.slice(1)) {
        if (node.kind !== 'person') continue;
        const other = personOf(node.id);
        const met = new Set(all.filter(({ message, conversation }) => places.has(conversation.id) && authorOf(message.author)?.id === other.id).map(({ conversation }) => conversation.id));
        if (met.size > 0) join(center, node.id, 'met_in', null, met.size);
      }
    }
    const kept = [...edges.values()].filter((edge) => shown.has(edge.a) && shown.has(edge.b));
    return { center, nodes, edges: kept.map((edge) => ({ ...edge, is_private: Boolean(shown.get(edge.a)?.is_private || shown.get(edge.b)?.is_private) })), left_out };
  }

  return { timeline, graph };
}
