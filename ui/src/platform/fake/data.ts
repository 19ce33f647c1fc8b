/**
 * Invented conversations and the memories found in them, for tests, screenshots and measurements. Nobody in them exists.
 *
 * Quotes are written as text and converted to code point offsets here, so that a line can be changed without counting.
 */
import type { MessageView } from '../../api/schema';
import conversations from './data/conversations.json';
import crowd from './data/crowd.json';
import memories from './data/memories.json';
import session from './data/session.json';
import { DAY, HOUR, MINUTE, type Part, type World, addConversation, addMemory, conversationOf, messagesOf } from './world';

const ME = 'Robin Hale';
const LONG_MESSAGES = 4_000;

interface Script {
  readonly id: string;
  readonly title: string;
  readonly channel: string;
  readonly kind: string;
  readonly age_days: number;
  readonly isPrivate?: boolean;
  /** Author, role and text. */
  readonly lines: readonly (readonly string[])[];
}

interface Found {
  readonly conv: string;
  readonly quote: string;
  readonly content: string;
  readonly category: string;
  readonly confidence: number;
  readonly reasoning: string;
  readonly attribute?: string;
  readonly status?: string;
  readonly subject?: string;
  readonly near?: { readonly of: number; readonly outcome: string; readonly similarity: number };
  readonly quarantine?: string;
  readonly edited?: boolean;
}

const FOUND: readonly Found[] = memories.found;
const FILLER = memories.filler as unknown as readonly (readonly [category: string, pattern: string, things: readonly string[]])[];
const KNOWLEDGE = new Set(['reasoning', 'philosophy', 'standard', 'decision', 'reaction']);
const memoryId = (index: number): string => `mem_${String(index).padStart(5, '0')}`;

function addScript(world: World, now: number, { id, title, channel, kind, age_days, isPrivate = false, lines }: Script): void {
  const last = lines.length - 1;
  addConversation(world, {
    id,
    title,
    channel_type: channel,
    visibility: isPrivate ? 'private' : 'public',
    is_private: isPrivate,
    source: { kind, conversation: id, message: '' },
    parts: lines.map(([author = '', role = '', text = '']): Part => (role === 'tool' ? { author, role, text, message_type: 'tool_use', tool: author } : { author, role: role as MessageView['role'], text })),
    timeOf: (position) => now - age_days * DAY - (last - position) * 3 * MINUTE,
  });
}

function addFound(world: World, found: Found, index: number): void {
  const conversation = conversationOf(world, found.conv);
  const message = messagesOf(world, found.conv).find((line) => line.text.includes(found.quote));
  if (!message) throw new Error(`No line for “${found.quote}”.`);
  const { content, category, confidence } = found;
  const [id, status, is_edited, created_at] = [memoryId(index), found.status ?? 'pending', found.edited ?? false, message.time + HOUR];
  const version = { id, status, content, category, is_edited, created_at };
  const band = confidence >= 0.85 ? 'sure' : confidence >= 0.6 ? 'check' : 'doubtful';
  // The sixteenth was served to agents; the others have not been served yet.
  const reads = [
    { id: '8', agent: 'coder', kind: 'context', person: null, chars: 1_840, items: 9, at: message.time + 3 * DAY },
    { id: '3', agent: '', kind: 'search', person: 'Tomasz Wrona', chars: 220, items: 2, at: message.time + 2 * DAY },
  ];
  addMemory(
    world,
    conversation,
    message,
    found.quote,
    { id, status, content, category, confidence, band, is_edited, kind: KNOWLEDGE.has(category) ? 'knowledge' : 'fact', attribute: found.attribute ?? null, subject: found.subject ?? 'owner', has_near: found.near !== undefined },
    {
      order: index,
      reasoning: found.reasoning,
      // Every third was also found by a model.
      proposers: index % 3 === 0 ? ['builtin/1', 'llama3.2:3b facts/1'] : ['builtin/1'],
      versions: found.edited ? [{ ...version, id: `${id}_0`, status: 'superseded', content: 'User has a dog.', is_edited: false, created_at: created_at - DAY }, version] : [version],
      quarantine_reason: found.quarantine ?? null,
      ...(index === 16 ? { reads_total: 2, reads } : {}),
      ...(index === 3 ? { story: { emotional_weight: 0.6, participants: [ME] } } : {}),
    },
  );
}

/** Builds the data as of `now`, with at least `candidates` pending memories. */
export function buildWorld(now: number, candidates: number): World {
  const world: World = { conversations: [], messages: new Map(), memories: new Map() };
  for (const script of conversations as readonly Script[]) addScript(world, now, script);
  for (const [index, found] of FOUND.entries()) addFound(world, found, index);
  for (const [index, { near }] of FOUND.entries()) {
    const detail = world.memories.get(memoryId(index));
    const other = near && world.memories.get(memoryId(near.of))?.row;
    if (detail && near && other)
      detail.near = { id: other.id, status: other.status, content: other.content, category: other.category, similarity: near.similarity, outcome: near.outcome, can_merge: near.outcome === 'reinforcement' && other.status === 'active' && other.subject === detail.row.subject };
  }
  const more = Math.max(0, candidates - FOUND.filter((found) => !found.status).length);
  const channels = ['chatgpt', 'claude', 'whatsapp', 'transcript'];
  const PER_CONVERSATION = 8;
  const fillerAt = (made: number) => FILLER[made % FILLER.length] ?? ['', '', []];
  for (let made = 0; made < more; made += PER_CONVERSATION) {
    const number = made / PER_CONVERSATION + 1;
    const id = `conv_more_${number}`;
    const said = Array.from({ length: Math.min(PER_CONVERSATION, more - made) }, (_, index) => {
      const [category, pattern, things] = fillerAt(made + index);
      return { category, words: pattern.replace('%s', things[(made + index * 3) % things.length] ?? ''), start: `number ${made + index + 1}: I am somebody who` };
    });
    addScript(world, now, { id, title: `Conversation ${number}`, channel: channels[number % channels.length] ?? 'chatgpt', kind: 'keepsake', age_days: 30 + number / 10, lines: said.map(({ start, words }) => [ME, 'owner', `By the way, ${start} ${words}, as you know.`]) });
    for (const [index, { category, words, start }] of said.entries()) {
      addFound(world, { conv: id, quote: `${start} ${words}`, content: `User ${words} (${made + index + 1}).`, category, confidence: 0.75 + (index % 5) * 0.05, reasoning: 'You said so about yourself.' }, FOUND.length + made + index);
    }
  }
  return world;
}

/** Adds a coding session with every kind of message, and a conversation that is very long. */
export function addSessions(world: World, now: number): void {
  const add = (id: string, title: string, channel_type: string, parts: readonly Part[], end: number, participants: string[]) => {
    const last = parts.length - 1;
    addConversation(world, { id, title, channel_type, parts, participants, last: end, timeOf: (position) => end - (last - position) * (position < last / 2 ? 31 * MINUTE : 3 * MINUTE) });
  };
  add('conv_session', 'Importer drops the last message', 'claude-code', session as readonly Part[], now - DAY, [ME, 'Claude']);
  const long = Array.from({ length: LONG_MESSAGES }, (_, index): Part => {
    const words = `Message ${index + 1}. ${'The boat leaves at nine and we are late again. '.repeat(1 + ((index * 7) % 6))}`.trim();
    return index % 2 === 0 ? { text: words } : { author: 'Noor Aziz', role: 'person', text: words };
  });
  add('conv_long', 'Noor', 'whatsapp', long, now - 12 * DAY, [ME, 'Noor Aziz']);
}

const PER_SUBJECT = 4;

/**
 * Adds three years with about twenty people, for charts with more data than fits.
 *
 * Nothing is random: who writes, when and how much follows from the numbers of people and conversations.
 */
export function addCrowd(world: World, now: number): void {
  const { people, channels, subjects } = crowd;
  const count = subjects.length * PER_SUBJECT;
  for (let at = 0; at < count; at += 1) {
    const subject = subjects[at % subjects.length];
    if (!subject) continue;
    const speakers = [ME, ...Array.from({ length: 1 + (at % 4) }, (_, nth) => people[(at * 3 + nth * 7) % people.length] ?? ME), ...(at % 3 === 0 ? ['Priya Nair'] : [])];
    const id = `conv_crowd_${at}`;
    // Busier toward the present, with one summer in which nobody writes.
    const age = 1_080 * ((count - at) / count) ** 1.6 + 3;
    const end = now - Math.round(age) * DAY + (at % 9) * HOUR;
    const length = 4 + ((at * 5) % 23);
    addConversation(world, {
      id,
      title: `${subject.title}, ${['first ideas', 'plans', 'what is left', 'afterwards'][Math.floor(at / subjects.length)] ?? ''}`,
      channel_type: channels[(at * 2) % channels.length] ?? 'email',
      is_private: at % 11 === 4,
      participants: [...new Set(speakers)].slice(0, 5),
      parts: Array.from({ length }, (_, index): Part => {
        const author = speakers[index % speakers.length] ?? ME;
        return { author, role: author === ME ? 'owner' : 'person', text: `${index + 1}: ${subject.words}, as we said.` };
      }),
      timeOf: (position) => end - (length - position) * 5 * HOUR,
    });
    const line = messagesOf(world, id)[1 + (at % 2)];
    if (!line) continue;
    const about = line.author === ME ? 'owner' : line.author;
    const [status, category] = [['active', 'active', 'pending', 'active', 'rejected'][at % 5], ['project', 'goal', 'experience', 'preference', 'skill'][at % 5]];
    const given = { id: `mem_crowd_${at}`, status: status ?? 'active', category: category ?? 'project', subject: about, content: `${about === 'owner' ? 'User' : about} says that ${subject.words}.`, confidence: 0.9 };
    addMemory(world, { ...conversationOf(world, id), title: subject.title }, line, line.text.slice(0, 4), given, { order: 10_000 + at, reasoning: 'They said so.' });
  }
}
