/** What the invented conversations and memories consist of, and how the fake host reads them. */
import type { ConversationRow, LineView, MemoryDetail, MemoryRow, MessageView } from '../../api/schema';
import { RpcError } from '../types';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Memory = MemoryDetail & { order: number; snoozed: boolean };

export interface World {
  conversations: ConversationRow[];
  messages: Map<string, MessageView[]>;
  memories: Map<string, Memory>;
}

/** A message as it is invented: everything else follows from its place. */
export type Part = Partial<MessageView> & { readonly text: string };

type Conversation = Pick<ConversationRow, 'id' | 'title' | 'channel_type'> & Partial<ConversationRow> & { readonly parts: readonly Part[]; readonly timeOf: (position: number) => number };

export const isAbsent = (what: string): RpcError => new RpcError('not_found', `This ${what} is not there any more.`);
export const refused = (words: string): RpcError => new RpcError('refused', words);

/** An item that a command names; it may be gone by now. */
export function found<T>(item: T | undefined, what: string): T {
  if (item === undefined) throw isAbsent(what);
  return item;
}

export const conversationOf = (world: World, id: string): ConversationRow => found(world.conversations.find((each) => each.id === id), 'conversation');
export const messagesOf = (world: World, id: string): MessageView[] => world.messages.get(id) ?? [];
export const memoriesOf = (world: World): Memory[] => [...world.memories.values()];
export const messageCount = (world: World): number => [...world.messages.values()].reduce((sum, each) => sum + each.length, 0);

export const pageOf = <T>(items: readonly T[], { offset, limit }: { offset?: number; limit?: number }): T[] => items.slice(offset ?? 0, limit ? (offset ?? 0) + limit : undefined);

/** Code points before an offset, which is how the API counts. */
export const points = (text: string, at = text.length): number => Array.from(text.slice(0, at)).length;

/** Where words stand in a text. */
export function spanOf(text: string, quote: string): { start: number; end: number } {
  const at = text.indexOf(quote);
  if (at < 0) throw new Error(`The invented line does not contain “${quote}”.`);
  return { start: points(text, at), end: points(text, at) + points(quote) };
}

/** A message as the API shows it elsewhere, with some words of it marked. */
export function lineOf(row: ConversationRow, message: MessageView, span: { start: number; end: number } = { start: 0, end: 0 }): LineView {
  return { message_id: message.id, conversation_id: row.id, conversation_title: row.title, channel: row.channel_type, visibility: row.visibility, is_private: row.is_private, author: message.author, time: message.time, text: message.text, ...span };
}

/** All messages of a conversation, each marked as a whole. */
export function linesOf(world: World, id: string): LineView[] {
  const row = world.conversations.find((each) => each.id === id);
  return row ? messagesOf(world, id).map((message) => lineOf(row, message, { start: 0, end: points(message.text) })) : [];
}

export function addConversation(world: World, { parts, timeOf, ...given }: Conversation): void {
  const { id, channel_type } = given;
  const messages = parts.map(
    (part, position): MessageView => ({ id: `int_${id}_${position}`, position, author: 'Robin Hale', role: 'owner', message_type: 'text', tool: null, time: timeOf(position), time_certainty: 'exact', label: null, is_branch: false, spans: [], ...part }),
  );
  world.messages.set(id, messages);
  world.conversations.push({
    channel_id: id,
    chosen_visibility: null,
    visibility: 'private',
    is_private: false,
    has_private_time: false,
    status: 'idle',
    messages: messages.length,
    first: messages[0]?.time ?? 0,
    last: messages.at(-1)?.time ?? 0,
    is_time_inferred: false,
    memories_active: 0,
    memories_pending: 0,
    participants: [...new Set(messages.filter((each) => each.role !== 'tool').map((each) => each.author))],
    source: { kind: channel_type, conversation: id, message: '' },
    is_sample: false,
    ...given,
  });
}

type Given = Pick<MemoryRow, 'id' | 'category' | 'content' | 'confidence'> & Partial<MemoryRow>;

/** Adds a memory that rests on words of one message. */
export function addMemory(world: World, conversation: ConversationRow, message: MessageView, quote: string, given: Given, rest: Partial<Memory> & Pick<Memory, 'order' | 'reasoning'>): void {
  const lines = messagesOf(world, conversation.id);
  const line = (each: MessageView) => ({ id: each.id, author: each.author, role: each.role, time: each.time, text: each.text, is_cut: false });
  const row: MemoryRow = {
    status: 'pending',
    kind: 'fact',
    attribute: null,
    date: null,
    subject: 'owner',
    band: null,
    is_inferred: false,
    conversation_id: conversation.id,
    conversation_title: conversation.title,
    channel_type: conversation.channel_type,
    author: message.author,
    said_at: message.time,
    created_at: message.time + HOUR,
    is_edited: false,
    is_private_source: conversation.is_private,
    is_hidden: false,
    has_near: false,
    ...given,
  };
  const { id: conversation_id, title: conversation_title, channel_type, visibility, is_private, source } = conversation;
  world.memories.set(row.id, {
    snoozed: false,
    row,
    durability: 'long_term',
    proposers: ['builtin/1'],
    evidence: [
      {
        interaction_id: message.id,
        conversation_id,
        conversation_title,
        channel_type,
        visibility,
        is_private,
        ...spanOf(message.text, quote),
        quote,
        holds: true,
        line: line(message),
        before: lines.slice(Math.max(0, message.position - 2), message.position).map(line),
        after: lines.slice(message.position + 1, message.position + 3).map(line),
        source: { kind: source.kind, conversation: conversation_id, message: message.id },
      },
    ],
    changes: [],
    near: null,
    versions: [],
    reject_reason: null,
    snoozed_until: null,
    reads_total: 0,
    reads: [],
    quarantine_reason: null,
    knowledge: null,
    story: null,
    ...rest,
  });
}
