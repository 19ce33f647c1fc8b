/** Texts of the graph around a person or a topic, and of the chart of messages and memories over time. */
import { listed, number, percent, plural } from './words';

const kinds: Readonly<Record<string, string>> = { person: 'Person', topic: 'Topic', project: 'Project', technology: 'Technology', memory: 'Memory', conversation: 'Conversation' };
const many: Readonly<Record<string, readonly [one: string, many: string]>> = {
  person: ['person', 'people'],
  topic: ['topic', 'topics'],
  project: ['project', 'projects'],
  technology: ['technology', 'technologies'],
  memory: ['memory', 'memories'],
  conversation: ['conversation', 'conversations'],
};
const counted = (kind: string, count: number): string => {
  const words = many[kind];
  return words ? plural(count, words[0], words[1]) : plural(count, kind, kind);
};
const quoted = (name: string) => `“${name}”`;

export const graph = {
  diagram: 'Diagram',
  table: 'Table',
  show: 'Show as',
  kinds,
  kindsMany: { person: 'People', topic: 'Topics', project: 'Projects', technology: 'Technologies', memory: 'Memories', conversation: 'Conversations' } as Readonly<Record<string, string>>,
  filter: 'Kinds shown',
  label: (name: string, count: number) => `Graph around ${name}: ${plural(count, 'item', 'items')}`,
  keys: 'Arrow keys move, Enter opens.',
  hint: 'Point, click or use the arrow keys to see why an item is here. Double-click or press Enter to open it.',
  tooMany: (kind: string, count: number) => counted(kind, count),
  leftOut: (parts: readonly string[]) => `Not shown for lack of space: ${listed(parts)}.`,
  allThere: 'All connections are shown.',
  aloneTitle: 'No connections yet',
  alone: (name: string) => `Conversations, memories and topics connected with ${name} appear here.`,
  hidden: 'Every kind is turned off. Turn one on to see it.',
  loadFailed: 'The graph could not be loaded',
  loadFailedText: 'Nothing was changed. Your data is safe in the database.',
  connections: (count: number) => plural(count, 'connection', 'connections'),
  node: (kind: string, name: string, connections: number, isPrivate: boolean) => `${kind}: ${name}. ${plural(connections, 'connection', 'connections')}${isPrivate ? ', not used for memory' : ''}`,
  middle: 'Center',
  open: (kind: string) => (kind === 'project' || kind === 'technology' ? 'Search for it' : `Open the ${(kinds[kind] ?? kind).toLowerCase()}`),
  openLine: 'Show message',
  more: (count: number) => `and ${plural(count, 'more connection', 'more connections')}; the table lists all of them`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  caption: (name: string) => `Connections around ${name}`,
  columns: { a: 'From', why: 'Connection', b: 'To', count: 'Based on', line: 'Source' } as const,
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  untitled: 'Untitled',
  offRecord: 'Not used for memory',
  /** Each kind of connection as a sentence. */
  why: {
    wrote_in: (a, b, count) => `${a} wrote ${plural(count, 'message', 'messages')} in ${quoted(b)}`,
    met_in: (a, b, count) => `${a} and ${b} both wrote in ${plural(count, 'conversation', 'conversations')}`,
    wrote_of: (a, b, count) => `${a} wrote ${plural(count, 'message', 'messages')} about ${quoted(b)}`,
    told_in: (a, b, count) => `${plural(count, 'message', 'messages')} about ${quoted(a)} ${count === 1 ? 'is' : 'are'} in ${quoted(b)}`,
    about: (a, b) => `${quoted(a)} is about ${b}`,
    said_in: (a, b, count) => `${quoted(a)} is based on ${plural(count, 'message', 'messages')} in ${quoted(b)}`,
    part_of: (a, b, count) => `${quoted(a)} is based on ${plural(count, 'message', 'messages')} about ${quoted(b)}`,
    names: (a, b) => `${quoted(a)} mentions ${b}`,
    near: (a, b) => `${quoted(a)} and ${quoted(b)} are similar in meaning`,
    split_from: (a, b) => `${quoted(a)} was split from ${quoted(b)}`,
  } as Readonly<Record<string, (a: string, b: string, count: number) => string>>,
  /** The same for the table, between the columns that name both sides. */
  verbs: {
    wrote_in: 'wrote in',
    met_in: 'wrote in the same conversations as',
    wrote_of: 'wrote about',
    told_in: 'is discussed in',
    about: 'is about',
    said_in: 'was said in',
    part_of: 'is based on messages about',
    names: 'mentions',
    near: 'is similar in meaning to',
    split_from: 'was split from',
  } as Readonly<Record<string, string>>,
  restsOn: (kind: string, count: number, nearness: number | null) =>
    kind === 'near'
      ? `Similarity ${percent(nearness ?? 0)}`
      : kind === 'names' || kind === 'split_from' || kind === 'about'
        ? ''
        : kind === 'met_in'
          ? plural(count, 'conversation', 'conversations')
          : plural(count, 'message', 'messages'),
};

export const time = {
  title: 'Over time',
  show: 'Show as',
  chart: 'Chart',
  table: 'Table',
  unit: 'Group by',
  units: { day: 'Day', week: 'Week', month: 'Month', year: 'Year' } as Readonly<Record<string, string>>,
  clock: 'Date of memories',
  bySaid: 'Date said',
  byDecided: 'Date decided',
  messages: 'Messages',
  memories: 'Memories',
  states: { approved: 'Approved', waiting: 'To review', rejected: 'Dismissed' } as Readonly<Record<string, string>>,
  other: 'Other channels',
  offRecord: 'Not used for memory',
  period: 'Period',
  total: (count: number) => number(count),
  none: 'Nothing',
  loadFailed: 'The chart could not be loaded',
  loadFailedText: 'Nothing was changed. Your messages are safe in the database.',
  emptyTitle: 'Nothing to show yet',
  emptyText: 'After an import, this chart shows how many messages were written over time, and how many memories came from them.',
  label: 'Messages and memories over time',
  hint: 'Point at a bar, or move with the arrow keys. Drag, or hold Shift, to select several.',
  keys: 'Arrow keys move, Shift+arrow keys select several, Enter opens the conversations.',
  zone: (zone: string) => `Days start at midnight in ${zone.replaceAll('_', ' ')}.`,
  outside: (count: number) => `${plural(count, 'entry is', 'entries are')} not shown, because the date is implausibly far from all others.`,
  readMessages: (count: number) => plural(count, 'message', 'messages'),
  readMemories: (count: number) => plural(count, 'memory', 'memories'),
  readPart: (name: string, count: number) => `${name} ${number(count)}`,
  open: 'Open these conversations',
  closer: 'Zoom in',
  clear: 'Clear',
  chosen: (count: number, unit: string) => plural(count, unit, `${unit}s`),
  caption: (unit: string) => `Messages and memories by ${unit.toLowerCase()}`,
  captionPart: 'Empty periods are left out.',
};

/** The period to which a list of conversations is limited. */
export const period = {
  only: (words: string) => `Period: ${words}`,
  clear: 'Show all conversations',
};
