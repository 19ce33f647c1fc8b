/** More invented conversations: one with every kind of message, one that is very long. Added on request only. */
import type { MessageView } from '../../api/schema';
import type { World } from './data';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LONG_MESSAGES = 4_000;

export type Part = Partial<MessageView> & { text: string };

const SESSION: readonly Part[] = [
  { author: 'Claude', role: 'system', message_type: 'instruction', text: 'Project instructions: answer briefly. Use the existing error types. Never touch the generated files.' },
  { author: 'Robin Hale', role: 'owner', text: 'The importer loses the last message of a file without a final newline. Can you find out why?\n\nIt worked until the rewrite in March, I think.' },
  { author: 'Claude', role: 'assistant', message_type: 'thinking', text: 'The reader probably splits on newline and drops the remainder. I should look at the reader first, then at its tests.' },
  { author: 'Claude', role: 'assistant', message_type: 'tool_use', tool: 'Read', text: '{"file_path": "/home/robin/atlas/src/import/lines.rs", "offset": 1, "limit": 120}' },
  { author: 'Read', role: 'tool', message_type: 'tool_result', tool: 'Read', text: 'use std::io::BufRead;\n\npub fn lines<R: BufRead>(reader: R) -> impl Iterator<Item = Line> {\n    reader.split(b\'\\n\').map_while(Result::ok).map(Line::new)\n}\n' },
  {
    author: 'Claude',
    role: 'assistant',
    text: 'Found it. `Line::new` trims the terminator by cutting the last byte, whether there is one or not:\n\n```rust\nimpl Line {\n    fn new(mut bytes: Vec<u8>) -> Self {\n        bytes.pop(); // cuts a letter when the file ends without a newline\n        Self(bytes)\n    }\n}\n```\n\nI would strip it only where it is:\n\n```rust\nif bytes.last() == Some(&b\'\\r\') {\n    bytes.pop();\n}\n```\n\n<b>Nothing in this answer is markup</b>: ![image](https://example.invalid/pixel.png) stays text.',
  },
  { author: 'Robin Hale', role: 'owner', text: 'That was the version before. Do it with strip_suffix please, I find it easier to read.', is_branch: true },
  { author: 'Claude', role: 'assistant', text: 'Sure, with `strip_suffix` then.', is_branch: true },
  { author: 'Robin Hale', role: 'owner', text: 'Good. Add a table test for it: with newline, without, and with CRLF. I always want the failing case written down before the fix.' },
  { author: 'Robin Hale', role: 'owner', message_type: 'command', text: '/test import' },
  { author: 'Bash', role: 'tool', message_type: 'tool_result', tool: 'Bash', text: 'running 3 tests\ntest import::lines::with_newline ... ok\ntest import::lines::without_newline ... ok\ntest import::lines::with_crlf ... ok\n\ntest result: ok. 3 passed; 0 failed' },
  { author: 'Claude', role: 'assistant', text: 'All three pass. The failing case is the second row of the table.' },
  { author: 'Claude Code', role: 'system', message_type: 'notice', text: 'The session was resumed on another computer.' },
  { author: 'Robin Hale', role: 'owner', message_type: 'file', text: 'atlas-sample.jsonl', time_certainty: 'inferred' },
];

export function add(world: World, id: string, title: string, channel: string, parts: readonly Part[], end: number, participants: string[]): void {
  const last = parts.length - 1;
  world.messages.set(
    id,
    parts.map((part, position): MessageView => ({
      id: `int_${id}_${position}`,
      position,
      author: 'Robin Hale',
      role: 'owner',
      message_type: 'text',
      tool: null,
      time: end - (last - position) * (position < last / 2 ? 31 * MINUTE : 3 * MINUTE),
      time_certainty: 'exact',
      is_branch: false,
      label: null,
      spans: [],
      ...part,
    })),
  );
  const messages = world.messages.get(id) ?? [];
  world.conversations.push({
    id,
    title,
    channel_type: channel,
    channel_id: id,
    visibility: 'private',
    chosen_visibility: null,
    is_private: false,
    has_private_time: false,
    status: 'idle',
    messages: parts.length,
    first: messages[0]?.time ?? end,
    last: end,
    is_time_inferred: false,
    memories_active: 0,
    memories_pending: 0,
    participants,
    source: { kind: channel, conversation: id, message: '' },
    is_sample: false,
  });
}

export function addSessions(world: World, now: number): void {
  add(world, 'conv_session', 'Importer drops the last message', 'claude-code', SESSION, now - DAY, ['Robin Hale', 'Claude']);
  const long = Array.from({ length: LONG_MESSAGES }, (_, index): Part => {
    const isMine = index % 2 === 0;
    const words = `Message ${index + 1}. ${'The boat leaves at nine and we are late again. '.repeat(1 + ((index * 7) % 6))}`;
    return { author: isMine ? 'Robin Hale' : 'Noor Aziz', role: isMine ? 'owner' : 'person', text: words.trim() };
  });
  add(world, 'conv_long', 'Noor', 'whatsapp', long, now - 12 * DAY, ['Robin Hale', 'Noor Aziz']);
}
