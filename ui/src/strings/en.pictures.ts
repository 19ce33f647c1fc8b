/** Words of the pictures: what lies around a person or a topic, and what was said and kept over time. */
import { listed, number, plural } from './words';

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
  picture: 'Picture',
  table: 'Table',
  show: 'Show as',
  kinds,
  kindsMany: { person: 'People', topic: 'Topics', project: 'Projects', technology: 'Technologies', memory: 'Memories', conversation: 'Conversations' } as Readonly<Record<string, string>>,
  filter: 'Kinds in the picture',
  label: (name: string, count: number) => `What lies around ${name}: ${plural(count, 'thing', 'things')}`,
  keys: 'Arrows move, Enter opens.',
  hint: 'Point, click or use the arrow keys to see why something is here. A double click or Enter opens it.',
  tooMany: (kind: string, count: number) => counted(kind, count),
  leftOut: (parts: readonly string[]) => `Left out for want of room: ${listed(parts)}.`,
  allThere: 'Everything that is connected is here.',
  aloneTitle: 'Nothing around it yet',
  alone: (name: string) => `What is said with ${name}, what is kept of it and the topics it belongs to appear here.`,
  hidden: 'Every kind is switched off. Switch one on to see it.',
  loadFailed: 'The picture could not be drawn',
  loadFailedText: 'Nothing was changed. What it is drawn from is safe in the database.',
  connections: (count: number) => plural(count, 'connection', 'connections'),
  node: (kind: string, name: string, connections: number, isPrivate: boolean) => `${kind}: ${name}. ${plural(connections, 'connection', 'connections')}${isPrivate ? ', kept out of memory' : ''}`,
  middle: 'In the middle',
  open: (kind: string) => (kind === 'project' || kind === 'technology' ? 'Search for it' : `Open the ${(kinds[kind] ?? kind).toLowerCase()}`),
  openLine: 'Show the line',
  more: (count: number) => `and ${plural(count, 'more connection', 'more connections')}; the table has all of them`,
  zoomIn: 'Larger',
  zoomOut: 'Smaller',
  zoomFit: 'As it fits',
  caption: (name: string) => `Why things are connected around ${name}`,
  columns: { a: 'One', why: 'Connection', b: 'Other', count: 'Rests on', line: 'Line' } as const,
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  untitled: 'Without a title',
  offRecord: 'Kept out of memory',
  /** What each kind of connection says in one line. */
  why: {
    wrote_in: (a, b, count) => `${a} wrote ${plural(count, 'message', 'messages')} in ${quoted(b)}`,
    met_in: (a, b, count) => `${a} and ${b} wrote in ${plural(count, 'conversation', 'conversations')} together`,
    wrote_of: (a, b, count) => `${a} wrote ${plural(count, 'message', 'messages')} of ${quoted(b)}`,
    told_in: (a, b, count) => `${plural(count, 'message', 'messages')} of ${quoted(a)} ${count === 1 ? 'stands' : 'stand'} in ${quoted(b)}`,
    about: (a, b) => `${quoted(a)} is known about ${b}`,
    said_in: (a, b, count) => `${quoted(a)} rests on ${plural(count, 'line', 'lines')} in ${quoted(b)}`,
    part_of: (a, b, count) => `${quoted(a)} rests on ${plural(count, 'line', 'lines')} of ${quoted(b)}`,
    names: (a, b) => `${quoted(a)} names ${b}`,
    near: (a, b) => `${quoted(a)} and ${quoted(b)} are near in meaning`,
    split_from: (a, b) => `${quoted(a)} was split from ${quoted(b)}`,
  } as Readonly<Record<string, (a: string, b: string, count: number) => string>>,
  /** The same between two columns that name both. */
  verbs: {
    wrote_in: 'wrote in',
    met_in: 'wrote together with',
    wrote_of: 'wrote of',
    told_in: 'was told in',
    about: 'is about',
    said_in: 'was said in',
    part_of: 'rests on a line of',
    names: 'names',
    near: 'is near in meaning to',
    split_from: 'was split from',
  } as Readonly<Record<string, string>>,
  restsOn: (kind: string, count: number, nearness: number | null) =>
    kind === 'near'
      ? `Nearness ${((nearness ?? 0) * 100).toFixed(0)} %`
      : kind === 'names' || kind === 'split_from' || kind === 'about'
        ? ''
        : kind === 'met_in'
          ? plural(count, 'conversation', 'conversations')
          : kind === 'said_in' || kind === 'part_of'
            ? plural(count, 'line', 'lines')
            : plural(count, 'message', 'messages'),
};

export const time = {
  title: 'Over time',
  show: 'Show as',
  picture: 'Picture',
  table: 'Table',
  unit: 'By',
  units: { day: 'Day', week: 'Week', month: 'Month', year: 'Year' } as Readonly<Record<string, string>>,
  clock: 'Memories stand',
  bySaid: 'When it was said',
  byDecided: 'When you decided',
  messages: 'Messages',
  memories: 'Memories',
  states: { approved: 'Approved', waiting: 'Waiting', rejected: 'Rejected' } as Readonly<Record<string, string>>,
  other: 'Other channels',
  offRecord: 'Kept out of memory',
  period: 'Period',
  total: (count: number) => number(count),
  none: 'Nothing',
  loadFailed: 'What was said over time could not be counted',
  loadFailedText: 'Nothing was changed. Every message is safe in the database.',
  emptyTitle: 'Nothing to show yet',
  emptyText: 'As soon as something is imported, you see here how much was said when, and what was kept of it.',
  emptyAction: 'Add a source',
  label: 'Messages and memories over time',
  hint: 'Point at a bar, or move with the arrow keys. Drag, or hold Shift, to choose several.',
  keys: 'Arrows move, Shift and arrows choose several, Enter opens the conversations.',
  zone: (zone: string) => `Days begin at midnight in ${zone.replaceAll('_', ' ')}.`,
  outside: (count: number) => `${plural(count, 'entry is', 'entries are')} not shown: the date lies too far from all others to be right.`,
  readMessages: (count: number) => plural(count, 'message', 'messages'),
  readMemories: (count: number) => plural(count, 'memory', 'memories'),
  readPart: (name: string, count: number) => `${name} ${number(count)}`,
  open: 'Open these conversations',
  search: 'Search in them',
  closer: 'Look closer',
  back: 'Show all of it',
  clear: 'Clear',
  chosen: (count: number, unit: string) => plural(count, unit, `${unit}s`),
  caption: (unit: string) => `Messages and memories by ${unit.toLowerCase()}`,
  captionPart: 'Stretches without anything are left out.',
};

/** A period of which a list shows only the conversations. */
export const period = {
  only: (words: string) => `Said ${words}`,
  clear: 'Show all conversations',
};
