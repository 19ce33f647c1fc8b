/** Words of backups, restoring one, and exports. */
import { bytes, listed, plural } from './words';

const holds = (messages: number, conversations: number, memories: number) =>
  listed([plural(messages, 'message', 'messages'), plural(conversations, 'conversation', 'conversations'), plural(memories, 'memory or candidate', 'memories and candidates')]);

const stay = (count: number) => (count === 1 ? 'stays' : 'stay');

export const backup = {
  title: 'Backup and export',
  make: 'Backup',
  makeHint: 'One file with everything, read back at once. What you erase later stays in a file of yours until you delete it.',
  makeButton: 'Back up…',
  makeHere: 'Back up now',
  restore: 'Restore',
  restoreHint: 'Puts a backup in the place of what is here. What is here now is kept aside first.',
  restoreButton: 'Restore a file…',
  export: 'Export',
  exportHint: 'Everything as text: lines of JSON that come back without loss, and notes that Obsidian opens. Private conversations are in it.',
  exportButton: 'Export…',
  exportUnavailable: 'A page in a browser cannot write a folder. Open the Keepsake window, or run keepsake export.',
  kept: 'Kept by Keepsake',
  keptHint: 'One a day while something changes, and one before each big change: the last 12 days, 10 weeks before them, 9 months before those. Erasing takes all of them along; then the next one is made.',
  none: 'None yet. The first is made when nothing has changed for a quarter of an hour.',
  failed: 'The backups could not be listed',
  failedText: 'Nothing was changed.',
  folder: 'They lie in',
  reason: {
    daily: 'Of the day',
    asked: 'You asked for it',
    'before-reflection': 'Before memories were gone over',
    'before-bulk': 'Before many memories were changed',
    'before-restore': 'Before a restore',
  } as Readonly<Record<string, string>>,
  size: bytes,
  restoreOne: (made: string) => `Restore… the backup of ${made}`,
  restoreShort: 'Restore…',
  working: { make: 'Backing up', check: 'Looking through the backup', restore: 'Restoring', export: 'Exporting' },
  stage: { copying: 'Copying', checking: 'Checking', reading: 'Reading', restoring: 'Replacing', exporting: 'Writing rows', 'writing notes': 'Writing notes' } as Readonly<Record<string, string>>,
  cancelled: 'Cancelled. Nothing was changed.',
  made: (name: string, size: number) => `${name} is made (${bytes(size)}): read back and found whole.`,
  holds: (messages: number, conversations: number, memories: number) => `It holds ${holds(messages, conversations, memories)}.`,
  exported: (name: string, notes: number) => `The folder ${name} is written, with ${plural(notes, 'note', 'notes')} to read.`,
  askTitle: 'Replace everything by this backup?',
  askFile: (name: string) => `${name} was looked through and is whole.`,
  askHolds: 'The backup holds',
  askHere: 'Replaced is what is here now',
  askKept: 'What is here now is kept aside as a backup first.',
  askSince: 'What you erased, refused or made private since then stays so. What you approved or imported since then is gone until you bring it back.',
  counts: holds,
  askConfirm: 'Replace everything',
  restored: (messages: number, conversations: number, memories: number) => `Restored: ${holds(messages, conversations, memories)}.`,
  before: (name: string) => `What was here before is kept as ${name}.`,
  since: {
    erased_again: (count: number) => `${plural(count, 'message', 'messages')} that you erased since ${count === 1 ? 'was' : 'were'} erased from it again.`,
    kept_out: (count: number) => `${plural(count, 'message', 'messages')} that arrived and ${count === 1 ? 'was erased since stays' : 'were erased since stay'} out of later imports.`,
    refused_again: (count: number) => `${plural(count, 'memory', 'memories')} that you rejected, put in the trash or hid since ${stay(count)} so.`,
    reopened: (count: number) => `${plural(count, 'memory', 'memories')} that you corrected since ${count === 1 ? 'waits' : 'wait'} for review in the old wording.`,
    debunked_again: (count: number) => `${plural(count, 'entry', 'entries')} of profiles that you called wrong since ${stay(count)} so.`,
    unlinked_again: (count: number) => `${plural(count, 'link', 'links')} that you took back since ${stay(count)} so.`,
    kept_private: (count: number) => `${plural(count, 'conversation, channel or item', 'conversations, channels and items')} that you made private since ${stay(count)} so.`,
  },
  otherStore: 'It is of another Keepsake: what you erased or refused here could not be looked up in it.',
};
