/**
 * Three years with about twenty people, for charts with more data than fits. Added on request only.
 *
 * Nothing is random: who writes, when and how much follows from the numbers of people and conversations.
 */
import type { MessageView } from '../../api/schema';
import type { World } from './data';
import type { Invented } from './topics';

const DAY = 86_400_000;
const ME = 'Robin Hale';

const PEOPLE = ['Priya Nair', 'Tomasz Wrona', 'Noor Aziz', 'Ines Carvalho', 'Mum', 'Jonas Lindqvist', 'Adaeze Obi', 'Mei Tanaka', 'Lukas Brandt', 'Sofia Rossi', 'Pieter de Vries', 'Hannah Stein', 'Oisín Byrne', 'Yara Haddad', 'Kenji Mori', 'Elif Demir', 'Marta Kowalska', 'Samuel Okafor', 'Freya Holm', 'Dr. Weber'];
const CHANNELS = ['whatsapp', 'email', 'matrix', 'transcript', 'chatgpt', 'claude', 'teams'];

const SUBJECTS: readonly { readonly title: string; readonly words: string; readonly projects?: readonly string[]; readonly technologies?: readonly string[] }[] = [
  { title: 'Atlas migration', words: 'the last tables of Atlas move on Sunday', projects: ['Atlas'], technologies: ['Postgres', 'Debezium'] },
  { title: 'Audit log', words: 'the audit log must keep who changed what', projects: ['Atlas'], technologies: ['Postgres'] },
  { title: 'Importer and its tests', words: 'the importer drops nothing any more', projects: ['Atlas', 'Harbour'], technologies: ['Rust'] },
  { title: 'Garden in Houten', words: 'the apple trees are cut in February' },
  { title: 'Trip to Texel', words: 'the ferry leaves at nine from Den Helder' },
  { title: 'Choir in spring', words: 'we sing the Fauré in April' },
  { title: 'Physiotherapy', words: 'the calf is better, ten minutes of warm-up stay' },
  { title: 'Reading group', words: 'next is Always Coming Home' },
  { title: 'Bicycle repair', words: 'the bottom bracket needs a new bearing' },
  { title: 'Budget for the flat', words: 'the bank asks for the papers again' },
  { title: 'Release of Harbour', words: 'Harbour ships with a rollback script', projects: ['Harbour'], technologies: ['Tauri', 'Rust', 'SQLite'] },
  { title: 'Dashboards', words: 'the board shows errors by customer', projects: ['Harbour'], technologies: ['Grafana'] },
  { title: 'Sourdough', words: 'the starter is fed on Fridays' },
  { title: 'Christmas at home', words: 'everybody comes on the 25th' },
  { title: 'Portuguese lessons', words: 'the subjunctive is next' },
  { title: 'Solar panels', words: 'the installer offers twelve panels' },
];

const PER_SUBJECT = 4;
const COUNT = SUBJECTS.length * PER_SUBJECT;

export const CROWD_TOPICS: readonly Invented[] = SUBJECTS.map((subject, at) => ({
  id: `top_crowd_${at}`,
  title: subject.title,
  conversation: `conv_crowd_${at}`,
  takeaways: [['decision', 0], ['detail', 1]],
  ...(subject.technologies ? { technologies: subject.technologies } : {}),
  ...(subject.projects ? { projects: subject.projects } : {}),
}));

export function addCrowd(world: World, now: number): void {
  for (let at = 0; at < COUNT; at += 1) {
    const subject = SUBJECTS[at % SUBJECTS.length] ?? SUBJECTS[0];
    const speakers = [ME, ...Array.from({ length: 1 + (at % 4) }, (_, nth) => PEOPLE[(at * 3 + nth * 7) % PEOPLE.length] ?? ME), ...(at % 3 === 0 ? ['Priya Nair'] : [])];
    const id = `conv_crowd_${at}`;
    // Busier toward the present, with one summer in which nobody writes.
    const age = 1_080 * ((COUNT - at) / COUNT) ** 1.6 + 3;
    const end = now - Math.round(age) * DAY + (at % 9) * 3_600_000;
    const length = 4 + ((at * 5) % 23);
    const messages = Array.from({ length }, (_, index): MessageView => {
      const author = speakers[index % speakers.length] ?? ME;
      return { id: `int_${id}_${index}`, position: index, author, role: author === ME ? 'owner' : 'person', message_type: 'text', tool: null, time: end - (length - index) * 5 * 3_600_000, time_certainty: 'exact', text: `${index + 1}: ${subject?.words ?? ''}, as we said.`, is_branch: false, label: null, spans: [] };
    });
    world.messages.set(id, messages);
    const channel = CHANNELS[(at * 2) % CHANNELS.length] ?? 'email';
    const isPrivate = at % 11 === 4;
    world.conversations.push({
      id,
      title: `${subject?.title ?? ''}, ${['first ideas', 'plans', 'what is left', 'afterwards'][Math.floor(at / SUBJECTS.length)] ?? ''}`,
      channel_type: channel,
      channel_id: id,
      visibility: 'private',
      chosen_visibility: null,
      is_private: isPrivate,
      has_private_time: false,
      status: 'idle',
      messages: length,
      first: messages[0]?.time ?? end,
      last: messages[length - 1]?.time ?? end,
      is_time_inferred: false,
      memories_active: 0,
      memories_pending: 0,
      participants: [...new Set(speakers)].slice(0, 5),
      source: { kind: channel, conversation: id, message: '' },
      is_sample: false,
    });
    const line = messages[1 + (at % 2)];
    if (!line) continue;
    const about = line.author === ME ? 'owner' : line.author;
    const status = ['active', 'active', 'pending', 'active', 'rejected'][at % 5] ?? 'active';
    world.memories.set(`mem_crowd_${at}`, {
      order: 10_000 + at,
      snoozed: false,
      row: { id: `mem_crowd_${at}`, status, kind: 'fact', category: ['project', 'goal', 'experience', 'preference', 'skill'][at % 5] ?? 'project', attribute: null, date: null, subject: about, content: `${about === 'owner' ? 'User' : about} says that ${subject?.words ?? ''}.`, confidence: 0.9, band: null, is_inferred: false, conversation_id: id, conversation_title: subject?.title ?? '', channel_type: channel, author: line.author, said_at: line.time, created_at: line.time + 3_600_000, is_edited: false, is_private_source: isPrivate, is_hidden: false, has_near: false },
      reasoning: 'They said so.',
      durability: 'long_term',
      proposers: ['builtin/1'],
      evidence: [{ interaction_id: line.id, conversation_id: id, conversation_title: subject?.title ?? '', channel_type: channel, visibility: 'private', is_private: isPrivate, start: 0, end: 4, quote: line.text.slice(0, 4), holds: true, line: { id: line.id, author: line.author, role: line.role, time: line.time, text: line.text, is_cut: false }, before: [], after: [], source: { kind: channel, conversation: id, message: line.id } }],
      changes: [],
      near: null,
      versions: [],
      reject_reason: null,
      snoozed_until: null,
      quarantine_reason: null,
      knowledge: null,
      story: null,
      reads_total: 0,
      reads: [],
    });
  }
}
