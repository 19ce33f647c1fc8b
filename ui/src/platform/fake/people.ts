/**
 * The fake host's people, links between their handles, channels with their visibility, and the context for agents.
 *
 * It follows the rules that the panels rely on: a link is only an answer, unlinking restores everything, and a context never
 * contains what is private elsewhere. The real rule is in `domain` and far stricter.
 */
import type { AboutView, ContextItemView, LineView, LinkView, PersonHandle, PersonView } from '../../api/schema';
import data from './data/people.json';
import type { Handlers, Host } from './index';
import { DAY, type World, found, lineOf as lineIn, memoriesOf, messagesOf, pageOf, spanOf } from './world';

interface Entity {
  readonly id: string;
  readonly type: string;
  readonly isOwner: boolean;
  readonly handle: PersonHandle;
}

interface Script {
  readonly id: string;
  readonly strength: string;
  readonly a: string;
  readonly b: string;
  readonly for: readonly { kind: string; detail: Record<string, unknown>; quote?: string }[];
  readonly against: readonly { kind: string; detail: Record<string, unknown>; quote?: string }[];
}

/** Handles without messages in the invented conversations: enough for suggestions. */
const OTHERS = data.others as unknown as readonly (readonly [id: string, channel: string, handle: string, name: string, type: string, messages: number, days: number])[];
const SUGGESTED: readonly Script[] = data.suggested;

/** A participant prefers short replies; for the owner alone nothing is known. */
const detailOf = (person: string | null) =>
  person === null
    ? { level: 'balanced', reason: 'Nothing is known about the preferred level of detail.', because: [] }
    : { level: 'brief', reason: 'Because of this entry: Prefers short answers.', because: ['ep_short'] };

export function peopleCommands(world: World, host: Host, options: { firstRun: boolean }): Handlers {
  const now = host.now();
  const entities: Entity[] = [];
  const shared = new Set<string>();
  const chosen = new Map<string, string>();
  const agents = new Map<string, string>(options.firstRun ? [] : [['helpdesk', 'public']]);
  /** The answers, by pair. */
  const answers = new Map<string, { id: string; a: string; b: string; status: string; decided: number; before: string | null }>();

  for (const row of options.firstRun ? [] : world.conversations) {
    for (const message of messagesOf(world, row.id)) {
      if (message.role === 'tool' || message.role === 'system') continue;
      const id = `hdl_${message.author}`;
      let entity = entities.find((each) => each.handle.id === id);
      if (!entity) {
        const handle = { id, channel: row.channel_type, handle: message.author, display_name: message.author, verified: false, messages: 0, first: message.time, last: message.time };
        entity = { id: `ent_${message.author}`, type: message.role === 'assistant' ? 'agent' : 'person', isOwner: message.role === 'owner', handle };
        entities.push(entity);
      }
      entity.handle.messages += 1;
      entity.handle.first = Math.min(entity.handle.first ?? message.time, message.time);
      entity.handle.last = Math.max(entity.handle.last ?? message.time, message.time);
    }
  }
  if (!options.firstRun) {
    for (const [id, channel, handle, display_name, type, messages, days] of OTHERS) {
      if (entities.some((each) => each.handle.id === id)) continue;
      entities.push({ id: id.replace('hdl', 'ent'), type, isOwner: false, handle: { id, channel, handle, display_name, verified: false, messages, first: now - (days + 30) * DAY, last: now - days * DAY } });
    }
  }

  const pair = (a: string, b: string) => [a, b].toSorted().join(' ');
  const entityOf = (handle: string) => found(entities.find((each) => each.handle.id === handle || `${each.handle.channel}:${each.handle.handle}` === handle), 'account');
  /** The earliest entity among all that are linked to this one. */
  const personOf = (id: string, more: readonly (readonly [string, string])[] = []): string => {
    const group = new Set([id]);
    const edges = [...[...answers.values()].filter((each) => each.status === 'same').map((each) => [entityOf(each.a).id, entityOf(each.b).id] as const), ...more];
    for (let grown = true; grown; ) {
      grown = false;
      for (const [a, b] of edges) {
        if (group.has(a) === group.has(b)) continue;
        group.add(a).add(b);
        grown = true;
      }
    }
    return entities.find((each) => group.has(each.id))?.id ?? id;
  };
  const isLinked = (handle: string) => [...answers.values()].some((each) => each.status === 'same' && (each.a === handle || each.b === handle));
  const handleOf = (entity: Entity): PersonHandle => ({ ...entity.handle, verified: isLinked(entity.handle.id) });

  const lineOf = (handle: PersonHandle, quote?: string): LineView[] =>
    world.conversations.flatMap((row) =>
      messagesOf(world, row.id)
        .filter((message) => `hdl_${message.author}` === handle.id && (quote === undefined || message.text.includes(quote)))
        .map((message) => lineIn(row, message, quote === undefined ? undefined : spanOf(message.text, quote))),
    );

  const links = (): LinkView[] => {
    const viewOf = (id: string, first: string, second: string, script: Script | undefined): LinkView => {
      const [a, b] = [entityOf(first), entityOf(second)];
      const given = answers.get(pair(first, second));
      const clue = ({ kind, detail, quote }: Script['for'][number]) => ({ kind, detail, lines: quote === undefined ? [] : [...lineOf(a.handle, quote), ...lineOf(b.handle, quote)] });
      const samples = ({ handle }: Entity) => (script ? lineOf(handle).slice(-4).toReversed() : []);
      return { id, status: given?.status ?? 'open', strength: script?.strength ?? 'manual', a: handleOf(a), b: handleOf(b), for: script?.for.map(clue) ?? [], against: script?.against.map(clue) ?? [], a_lines: samples(a), b_lines: samples(b), decided: given?.decided ?? null };
    };
    const isThere = (handle: string) => entities.some((entity) => entity.handle.id === handle);
    const made = SUGGESTED.filter(({ a, b }) => isThere(a) && isThere(b)).map((each) => viewOf(each.id, each.a, each.b, each));
    const byHand = [...answers.values()].filter((each) => !SUGGESTED.some(({ a, b }) => pair(a, b) === pair(each.a, each.b))).map((each) => viewOf(each.id, each.a, each.b, undefined));
    return [...made, ...byHand].toSorted((x, y) => Number(x.status !== 'open') - Number(y.status !== 'open'));
  };
  const answer = (id: string, a: string, b: string, status: string | null) => {
    const before = answers.get(pair(a, b));
    if (status === null) answers.delete(pair(a, b));
    else answers.set(pair(a, b), { id, a, b, status, decided: host.now(), before: before?.status ?? null });
    host.changed('people');
  };
  const linkOf = (id: string) => found(links().find((each) => each.id === id), 'suggestion');

  const aboutOf = (handles: readonly PersonHandle[]): AboutView[] =>
    memoriesOf(world)
      .filter(({ row }) => row.status === 'active' && handles.some((handle) => handle.display_name === row.subject))
      .map(({ row }) => ({
        id: row.id,
        content: row.content,
        category: row.category,
        visibility: world.conversations.find((each) => each.id === row.conversation_id)?.visibility ?? 'private',
        is_shared: shared.has(row.id),
        time: row.said_at,
      }));
  const people = (): PersonView[] => {
    const groups = new Map<string, Entity[]>();
    for (const entity of entities) {
      const id = personOf(entity.id);
      groups.set(id, [...(groups.get(id) ?? []), entity]);
    }
    const open = links().filter((each) => each.status === 'open');
    return [...groups]
      .map(([id, members]): PersonView => {
        const handles = members.map(handleOf);
        return {
          id,
          name: members[0]?.handle.display_name ?? '',
          said_name: null,
          type: members[0]?.type ?? 'person',
          is_owner: members.some((each) => each.isOwner),
          handles,
          messages: handles.reduce((sum, each) => sum + each.messages, 0),
          first: Math.min(...handles.map((each) => each.first ?? now)),
          last: Math.max(...handles.map((each) => each.last ?? 0)),
          memories: aboutOf(handles).length,
          open_links: open.filter((link) => handles.some((each) => each.id === link.a.id || each.id === link.b.id)).length,
        };
      })
      .toSorted((a, b) => Number(b.is_owner) - Number(a.is_owner) || (b.last ?? 0) - (a.last ?? 0));
  };

  const visibilityOf = (type: string, id: string): string => {
    const rows = world.conversations.filter((row) => row.channel_type === type && row.channel_id === id);
    const open = rows.filter((row) => row.visibility === 'public').length;
    return open === 0 ? 'private' : open === rows.length ? 'public' : 'mixed';
  };
  const targets = (request: { channel_type?: string | null; channel_id?: string | null; conversation_id?: string | null }) =>
    world.conversations.filter((row) => (request.conversation_id ? row.id === request.conversation_id : row.channel_type === request.channel_type && row.channel_id === request.channel_id && row.chosen_visibility === null));
  const declared = new Map(world.conversations.map((row) => [row.id, row.visibility]));
  const after = (id: string, visibility: string | null | undefined) => visibility ?? declared.get(id) ?? 'private';

  return {
    people_list: () => ({ items: people() }),
    person_get({ id }) {
      const person = found(people().find((each) => each.id === id || each.handles.some((handle) => entityOf(handle.id).id === id)), 'person');
      const about = aboutOf(person.handles);
      return {
        person,
        timeline: person.handles
          .flatMap((handle) => lineOf(handle))
          .toSorted((a, b) => b.time - a.time)
          .slice(0, 50),
        memories: about,
        profile: [],
        places: person.is_owner
          ? []
          : world.conversations
              .filter((row) => person.handles.some((handle) => row.participants.includes(handle.display_name)))
              .map((row) => {
                const visible = about.filter((each) => each.is_shared || each.visibility === 'public' || row.visibility === 'private').length;
                return { conversation_id: row.id, title: row.title, channel: row.channel_type, visibility: row.visibility, is_private: row.is_private, messages: row.messages, last: row.last, visible_memories: visible, withheld_memories: about.length - visible };
              }),
        links: links().filter((link) => person.handles.some((handle) => handle.id === link.a.id || handle.id === link.b.id)),
      };
    },
    links_list(request) {
      const all = links();
      const isAnswered = (link: LinkView) => link.status !== 'open';
      const asked = all.filter((link) => request.answered === null || request.answered === undefined || isAnswered(link) === request.answered);
      const answered = all.filter(isAnswered).length;
      return { total: asked.length, open: all.length - answered, answered, items: pageOf(asked, request) };
    },
    link_answer({ id, answer: status }) {
      const link = linkOf(id);
      answer(id, link.a.id, link.b.id, status === 'open' ? null : status);
      return {};
    },
    link_handles({ a, b }) {
      const [first, second] = [entityOf(a).handle.id, entityOf(b).handle.id];
      const known = SUGGESTED.find((each) => pair(each.a, each.b) === pair(first, second));
      answer(known?.id ?? `lnk_${pair(first, second)}`, first, second, 'same');
      return {};
    },
    link_remove({ id }) {
      const link = linkOf(id);
      answer(id, link.a.id, link.b.id, answers.get(pair(link.a.id, link.b.id))?.before ?? null);
      return {};
    },
    link_preview({ a, b }) {
      const [first, second] = [entityOf(a), entityOf(b)];
      const person = personOf(first.id, [[first.id, second.id]]);
      const handles = entities.filter((each) => personOf(each.id, [[first.id, second.id]]) === person).map(handleOf);
      const about = aboutOf(handles).length;
      return {
        handles,
        newly_visible: about > 0 && personOf(first.id) !== personOf(second.id) ? [{ title: 'Atlas weekly, 12 November', memories: about }] : [],
        obstacle: personOf(first.id) === personOf(second.id) ? 'these accounts already belong to the same person' : null,
      };
    },
    channels_list() {
      const groups = new Map<string, { channel_type: string; channel_id: string; title: string; conversations: number; messages: number }>();
      for (const row of world.conversations) {
        const key = `${row.channel_type}:${row.channel_id}`;
        const group = groups.get(key) ?? { channel_type: row.channel_type, channel_id: row.channel_id, title: row.title, conversations: 0, messages: 0 };
        group.conversations += 1;
        group.messages += row.messages;
        groups.set(key, group);
      }
      return { items: [...groups].map(([key, group]) => ({ ...group, visibility: visibilityOf(group.channel_type, group.channel_id), chosen: chosen.get(key) ?? null })).toSorted((a, b) => b.messages - a.messages) };
    },
    visibility_preview(request) {
      const moved = targets(request).filter((row) => row.visibility !== after(row.id, request.visibility));
      const memories = memoriesOf(world).filter(({ row }) => row.status === 'active' && moved.some((each) => each.id === row.conversation_id)).length;
      const opens = moved.some((row) => after(row.id, request.visibility) === 'public');
      return { conversations: moved.length, messages: moved.reduce((sum, row) => sum + row.messages, 0), opened_memories: opens ? memories : 0, closed_memories: opens ? 0 : memories };
    },
    visibility_set(request) {
      for (const row of targets(request)) {
        row.visibility = after(row.id, request.visibility);
        if (request.conversation_id) row.chosen_visibility = request.visibility ?? null;
      }
      const key = `${request.channel_type ?? ''}:${request.channel_id ?? ''}`;
      if (request.channel_id && request.visibility) chosen.set(key, request.visibility);
      else if (request.channel_id) chosen.delete(key);
      host.changed('conversations', 'memories', 'people');
      return {};
    },
    context_preview(request) {
      const place = world.conversations.find((row) => `${row.channel_type}:${row.channel_id}` === request.channel);
      const isOpen = place?.visibility === 'public' || agents.get(request.agent ?? '') === 'public';
      const items: ContextItemView[] = [];
      const lines: string[] = [];
      const add = (item: Pick<ContextItemView, 'id' | 'kind' | 'conversation_id'>, text: string) => {
        items.push({ ...item, sources: [{ kind: 'keepsake', conversation: item.conversation_id ?? 'export-1', message: 'm1' }] });
        lines.push(`- [${item.id}] ${text}`);
      };
      if (place && !place.is_private) {
        lines.push('## This conversation');
        for (const message of messagesOf(world, place.id).slice(-4)) add({ id: message.id, kind: 'message', conversation_id: place.id }, `${new Date(message.time).toISOString().slice(0, 10)} ${message.author}: ${message.text}`);
        lines.push('');
      }
      const known = memoriesOf(world).filter(({ row }) => row.status === 'active');
      const visible = known.filter(({ row }) => shared.has(row.id) || !isOpen || world.conversations.find((each) => each.id === row.conversation_id)?.visibility === 'public');
      if (visible.length > 0) lines.push('## About the user');
      for (const { row } of visible) add({ id: row.id, kind: 'memory', conversation_id: null }, row.content);
      const withheld = known.length - visible.length;
      return { text: lines.length > 0 ? `${lines.join('\n').trim()}\n` : '', items, withheld: withheld > 0 ? [{ rule: 'private_into_public', count: withheld }] : [], detail: detailOf(request.person ?? null) };
    },
    memory_share({ id, is_shared }) {
      if (is_shared) shared.add(id);
      else shared.delete(id);
      host.changed('memories', 'people');
      return {};
    },
    agents_list: () => ({ items: [...agents].map(([name, visibility]) => ({ name, visibility })).toSorted((a, b) => a.name.localeCompare(b.name)) }),
    agent_set({ name, visibility }) {
      agents.set(name, visibility);
      host.changed('people');
      return { items: [...agents].map(([each, level]) => ({ name: each, visibility: level })) };
    },
  };
}
