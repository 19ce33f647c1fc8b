/**
 * The fake host's profiles, promises, gaps with their tasks, conversation statuses, and erasure.
 *
 * It follows the rules that the panels rely on: a version is never removed, a disputed one is no longer current, a gap becomes a
 * task in a file and is resolved when its box is ticked. The real rules are in `people` and far stricter.
 */
import type { CommitmentView, ConversationStatusView, GapView, LineView, ProfileEntryView, ProfileVersionView, StretchView } from '../../api/schema';
import profiles from './data/profiles.json';
import type { AllHandlers, Handlers, Host } from './index';
import { DAY, HOUR, type World, conversationOf, found, lineOf as lineIn, memoriesOf, messagesOf, refused, spanOf } from './world';

/** Conversation id, and words in it. */
type Said = readonly [conversation: string, quote: string];

interface Thing {
  readonly person: string;
  readonly type: string;
  readonly facet: string;
  /** Newest first. */
  readonly versions: readonly { content: string; confidence: string; since_days: number; made_days: number; lines: readonly Said[]; ends?: number }[];
}

const THINGS = profiles as unknown as readonly Thing[];

interface Gap {
  readonly id: string;
  readonly need: string;
  readonly frequency: number;
  readonly entity: string | null;
  readonly days: number;
  readonly lines: readonly Said[];
  status: string;
  file: string | null;
  resolved: number | null;
}

const gapsAtFirst = (now: number): Gap[] => [
  { id: 'gap_calendar', need: 'read my training calendar', frequency: 3, entity: 'ent_Robin Hale', days: 5, lines: [['conv_running', 'Can you look at my training week'], ['conv_running', 'Under two hours']], status: 'detected', file: null, resolved: null },
  { id: 'gap_export', need: 'export the kitchen plan as a drawing', frequency: 2, entity: 'ent_Robin Hale', days: 2, lines: [['conv_kitchen', 'I need to plan a kitchen renovation']], status: 'detected', file: null, resolved: null },
  { id: 'gap_books', need: 'remember which books I have read', frequency: 4, entity: null, days: 21, lines: [['conv_book', 'I have read the last one twice']], status: 'reopened', file: '/home/robin/notes/tasks.md', resolved: now - 30 * DAY },
];

export function knowledgeCommands(world: World, host: Host, known: AllHandlers, isEmpty: boolean): Handlers {
  const now = host.now();
  const debunked = new Map<string, number>();
  const shared = new Set<string>();
  const corrected = new Map<string, ProfileVersionView[]>();
  let gaps = isEmpty ? [] : gapsAtFirst(now);
  let tasksFile: string | null = null;

  const lineOf = ([conversation, quote]: Said): LineView[] => {
    const row = world.conversations.find((each) => each.id === conversation);
    const message = messagesOf(world, conversation).find((each) => each.text.includes(quote));
    return row && message ? [lineIn(row, message, spanOf(message.text, quote))] : [];
  };
  const placeOf = (said: Said): StretchView => {
    const [line] = lineOf(said);
    return { message_id: line?.message_id ?? '', start: line?.start ?? 0, end: line?.end ?? 0 };
  };

  const entriesOf = (person: string): ProfileEntryView[] =>
    THINGS.filter((thing) => thing.person === person)
      .map((thing): ProfileEntryView | null => {
        const made = thing.versions.map((version, index): ProfileVersionView => {
          const lines = version.lines.flatMap(lineOf);
          const id = `ep_${thing.person}_${thing.facet}_${index}`;
          const newer = thing.versions[index - 1];
          return {
            id,
            content: version.content,
            confidence: version.confidence,
            origin: 'built_in',
            visibility: lines.every((line) => line.visibility === 'public') ? 'public' : 'private',
            is_shared: shared.has(id),
            valid_from: now - version.since_days * DAY,
            valid_to: newer ? now - newer.since_days * DAY : null,
            created: now - version.made_days * DAY,
            superseded: newer ? now - newer.made_days * DAY : null,
            debunked: debunked.get(id) ?? null,
            lines,
          };
        });
        const byHand = (corrected.get(`${thing.person} ${thing.facet}`) ?? []).map((version) => ({ ...version, is_shared: shared.has(version.id), debunked: debunked.get(version.id) ?? null }));
        const all = [...byHand, ...made].map((version, index, every) => (index > 0 && version.superseded === null ? { ...version, superseded: every[index - 1]?.created ?? null } : version));
        const [version, ...history] = all;
        if (!version || version.lines.length === 0) return null;
        return { profile_type: thing.type, facet: thing.facet, is_current: version.debunked === null, version, history };
      })
      .filter((entry) => entry !== null)
      .toSorted((a, b) => Number(b.is_current) - Number(a.is_current));
  const versionsOf = (entry: ProfileEntryView) => [entry.version, ...entry.history];
  const thingOf = (id: string) => found(THINGS.find((each) => entriesOf(each.person).some((entry) => entry.facet === each.facet && versionsOf(entry).some((version) => version.id === id))), 'entry');

  const promise = (conversation: string, debtor: string | null, creditor: string | null, what: string, quote: string, more: Partial<CommitmentView> = {}): CommitmentView => ({
    conversation_id: conversation,
    conversation_title: world.conversations.find((each) => each.id === conversation)?.title ?? '',
    debtor,
    creditor,
    is_owed_to_owner: debtor !== null && creditor === null,
    what,
    place: placeOf([conversation, quote]),
    due: null,
    due_precision: null,
    settled: false,
    settled_at: null,
    ...more,
  });
  const promises = (): CommitmentView[] =>
    isEmpty || !world.conversations.some((each) => each.id === 'conv_standup')
      ? []
      : [
          promise('conv_standup', null, 'Priya Nair', 'a demo before the holidays', 'I will not ship anything', { due: now + 30 * DAY, due_precision: 'period' }),
          promise('conv_standup', 'Tomasz Wrona', null, 'take the audit log', 'I can take the audit log', { due: now - 2 * DAY, due_precision: 'day' }),
          promise('conv_standup', null, 'Priya Nair', 'finish the importer', 'The importer is done', { settled: true, settled_at: placeOf(['conv_standup', 'The importer is done']) }),
        ];

  const viewOf = (gap: Gap): GapView => ({
    id: gap.id,
    need: gap.need,
    description: `Requested on ${gap.frequency} occasions, but could not be done: "${gap.need}"`,
    frequency: gap.frequency,
    status: gap.status,
    entity_id: gap.entity,
    first_seen: now - (gap.days + 40) * DAY,
    last_seen: now - gap.days * DAY,
    resolved: gap.resolved,
    task: gap.file === null ? null : { id: `task_${gap.id}`, status: gap.status === 'resolved' ? 'resolved' : 'open', file: gap.file },
    lines: gap.lines.flatMap(lineOf),
  });
  const gone = new Map<string, Gap>();
  const gapOf = (id: string) => found(gaps.find((each) => each.id === id), 'gap');

  const rowsOf = (person: string) => {
    const names = known.people_list({}).items.find((each) => each.id === person)?.handles.map((handle) => handle.display_name) ?? [];
    return { names, rows: world.conversations.filter((row) => messagesOf(world, row.id).some((message) => names.includes(message.author))) };
  };
  const restingOn = (conversations: readonly string[]) => memoriesOf(world).filter(({ row }) => conversations.includes(row.conversation_id)).length;
  const erase = (conversations: readonly string[], names: readonly string[]) => {
    let messages = 0;
    for (const id of conversations) {
      messages += messagesOf(world, id).length;
      world.messages.delete(id);
    }
    for (const [id, lines] of world.messages) {
      const left = lines.filter((message) => !names.includes(message.author));
      messages += lines.length - left.length;
      world.messages.set(id, left);
      const row = world.conversations.find((each) => each.id === id);
      if (row) row.messages = left.length;
    }
    const memories = restingOn(conversations);
    for (const [id, { row }] of world.memories) if (conversations.includes(row.conversation_id)) world.memories.delete(id);
    world.conversations = world.conversations.filter((row) => !conversations.includes(row.id));
    host.changed('conversations', 'messages', 'memories', 'people', 'jobs', 'status');
    return { messages, conversations: conversations.length, memories, is_pending: false, job_id: 'job_erase' };
  };
  /** Conversations with nobody but this person, the owner and programs. */
  const alone = (person: string) => {
    const { names, rows } = rowsOf(person);
    return rows.filter((row) => messagesOf(world, row.id).every((message) => message.role !== 'person' || names.includes(message.author))).map((row) => row.id);
  };

  const person = known.person_get;
  return {
    person_get(request) {
      const detail = person(request);
      return { ...detail, profile: detail.person.handles.flatMap((handle) => entriesOf(handle.id.replace('hdl', 'ent'))) };
    },
    profile_at: ({ id, time }) => {
      const all = entriesOf(id).flatMap(versionsOf);
      const isOver = (end: number | null) => end !== null && end <= time;
      return {
        believed: all.filter((version) => version.created <= time && !isOver(version.superseded) && !isOver(version.debunked)).map((version) => version.id),
        held: all.filter((version) => version.valid_from <= time && !isOver(version.valid_to) && version.debunked === null).map((version) => version.id),
      };
    },
    profile_debunk({ id, is_disputed }) {
      thingOf(id);
      if (is_disputed) debunked.set(id, host.now());
      else debunked.delete(id);
      host.changed('people');
      return {};
    },
    profile_correct({ id, content }) {
      const thing = thingOf(id);
      const key = `${thing.person} ${thing.facet}`;
      const before = corrected.get(key) ?? [];
      const old = found(entriesOf(thing.person).flatMap(versionsOf).find((version) => version.id === id), 'entry');
      const made: ProfileVersionView = { ...old, id: `ep_byhand_${thing.facet}_${before.length}`, content, confidence: 'high', origin: 'person', created: host.now(), superseded: null, debunked: null };
      corrected.set(key, [made, ...before]);
      host.changed('people');
      return { id: made.id };
    },
    profile_share({ id, is_shared }) {
      if (is_shared) shared.add(id);
      else shared.delete(id);
      host.changed('people');
      return {};
    },
    person_commitments({ id }) {
      const { names } = rowsOf(id);
      return { items: promises().filter((each) => (each.debtor !== null && names.includes(each.debtor)) || (each.creditor !== null && names.includes(each.creditor)) || id === 'ent_Robin Hale') };
    },
    gaps_list: () => ({ items: gaps.map(viewOf).toSorted((a, b) => b.frequency - a.frequency), tasks_file: tasksFile }),
    gap_confirm({ id, file }) {
      tasksFile = file ?? tasksFile;
      const gap = gapOf(id);
      const to = gap.file ?? tasksFile;
      if (to === null) throw refused('no file for tasks is chosen');
      gap.status = 'task_created';
      gap.file = to;
      host.changed('people');
      return viewOf(gap);
    },
    gap_dismiss({ id, is_dismissed }) {
      if (is_dismissed) {
        gone.set(id, gapOf(id));
        gaps = gaps.filter((each) => each.id !== id);
      } else {
        const back = gone.get(id);
        if (back) gaps = [...gaps, back];
      }
      host.changed('people');
      return {};
    },
    pick_tasks_file: () => ({ path: '/home/robin/notes/tasks.md' }),
    tasks_file_set({ path }) {
      tasksFile = path;
      host.changed('settings');
      return {};
    },
    conversation_standing({ id }): ConversationStatusView {
      const row = conversationOf(world, id);
      const messages = messagesOf(world, id);
      const [first, last] = [messages[0], messages.at(-1)];
      if (row.is_private || !first || !last) return { status: null, reasons: [], judge: null, tone: null, commitments: [], summary: null };
      return {
        status: row.status,
        reasons: [
          { kind: 'beyond_rhythm', silence_ms: now - last.time, usual_ms: 2 * HOUR, end_ms: DAY, place: null },
          { kind: 'settled', silence_ms: null, usual_ms: null, end_ms: null, place: { message_id: last.id, start: 0, end: 4 } },
        ],
        judge: 'builtin-conversation/1',
        tone: { pace: 'quick', typical_words: 18, messages: messages.length },
        commitments: promises().filter((each) => each.conversation_id === id),
        summary: { id: `sum_${id}`, text: messages.filter((message) => message.role === 'owner').slice(0, 2).map((message) => message.text).join(' '), first_message_id: first.id, last_message_id: last.id, proposer: 'builtin/1', created_at: now - DAY },
      };
    },
    conversation_erase_preview: ({ id }) => ({ messages: messagesOf(world, id).length, conversations: 1, shortened: 0, memories: restingOn([id]) }),
    conversation_erase: ({ id }) => erase([id], []),
    person_erase_preview({ id }) {
      const { names, rows } = rowsOf(id);
      const whole = alone(id);
      const messages = rows.reduce((sum, row) => sum + messagesOf(world, row.id).filter((message) => whole.includes(row.id) || names.includes(message.author)).length, 0);
      return { messages, conversations: whole.length, shortened: rows.length - whole.length, memories: restingOn(whole) };
    },
    person_erase: ({ id }) => erase(alone(id), rowsOf(id).names),
  };
}
