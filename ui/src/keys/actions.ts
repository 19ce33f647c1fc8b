/**
 * All actions that a key, menu entry or button can trigger.
 *
 * Hot keys, the `?` help, menus and the key hints in buttons all use this table. A panel adds its actions here and handles them
 * with `useActions(scope, { 'scope.action': () => … })`.
 *
 * Keys are characters as typed (`j`, `?`; `A` is Shift+A) or names from `KeyboardEvent.key` (`ArrowDown`, `Enter`, `Escape`).
 * `Mod+` is Ctrl, or Cmd on a Mac. `Alt+ArrowLeft` is the only key with Alt. `g r` is g, then r. A key that is a single printable
 * character is a "single key", which acts only if the person has enabled single keys (WCAG 2.1.4). While the person types or
 * composes text, no action fires unless it has `inInputs`.
 */

export type Scope = 'global' | 'editor' | 'search' | 'review' | 'you' | 'memories' | 'conversations' | 'topics' | 'sessions' | 'playbooks' | 'reflection' | 'people' | 'privacy' | 'sources' | 'activity' | 'settings' | 'welcome';

/** What an action requires; `always` if nothing. */
export type When = 'always' | 'cursor' | 'selection';

export interface ActionSpec {
  readonly label: string;
  readonly keys: readonly string[];
  readonly scope: Scope;
  readonly when: When;
  /** Also acts in text fields. Only for keys with a modifier, and Escape. */
  readonly inInputs?: boolean;
}

const MOVES = {
  next: { label: 'Next', keys: ['j', 'ArrowDown'], when: 'always' },
  previous: { label: 'Previous', keys: ['k', 'ArrowUp'], when: 'always' },
  first: { label: 'First', keys: ['Home'], when: 'always' },
  last: { label: 'Last', keys: ['End'], when: 'always' },
} as const;

const SELECTING = {
  select: { label: 'Select', keys: ['x'], when: 'cursor' },
  extendDown: { label: 'Extend selection down', keys: ['Shift+ArrowDown', 'J'], when: 'cursor' },
  extendUp: { label: 'Extend selection up', keys: ['Shift+ArrowUp', 'K'], when: 'cursor' },
} as const;

/** The same actions for a scope: `moves` of its list, and `selecting` several of its rows. */
const within = <A extends Record<string, Omit<ActionSpec, 'scope'>>>(actions: A) => <S extends Scope>(scope: S) =>
  Object.fromEntries(Object.entries(actions).map(([name, each]) => [`${scope}.${name}`, { ...each, scope }])) as { [K in keyof A & string as `${S}.${K}`]: ActionSpec & { readonly scope: S } };
const moves = within(MOVES);
const selecting = within(SELECTING);

export const ACTIONS = {
  'go.search': { label: 'Go to Search', keys: ['g f', 'Mod+Shift+f'], scope: 'global', when: 'always' },
  'go.review': { label: 'Go to Review', keys: ['g r', 'g q'], scope: 'global', when: 'always' },
  'go.you': { label: 'Go to You', keys: ['g u'], scope: 'global', when: 'always' },
  'go.memories': { label: 'Go to Memories', keys: ['g m'], scope: 'global', when: 'always' },
  'go.conversations': { label: 'Go to Conversations', keys: ['g c'], scope: 'global', when: 'always' },
  'go.topics': { label: 'Go to Topics', keys: ['g t'], scope: 'global', when: 'always' },
  'go.reflection': { label: 'Go to Reflection', keys: ['g y'], scope: 'global', when: 'always' },
  'go.playbooks': { label: 'Go to Playbooks', keys: ['g b'], scope: 'global', when: 'always' },
  'go.sessions': { label: 'Go to Sessions', keys: ['g e'], scope: 'global', when: 'always' },
  'go.people': { label: 'Go to People', keys: ['g p'], scope: 'global', when: 'always' },
  'go.privacy': { label: 'Go to Privacy', keys: ['g v'], scope: 'global', when: 'always' },
  'go.sources': { label: 'Go to Sources', keys: ['g s'], scope: 'global', when: 'always' },
  'go.activity': { label: 'Go to Activity', keys: ['g a'], scope: 'global', when: 'always' },
  'go.settings': { label: 'Go to Settings', keys: ['g ,'], scope: 'global', when: 'always' },
  'app.palette': { label: 'Command palette', keys: ['Mod+k'], scope: 'global', when: 'always', inInputs: true },
  'app.search': { label: 'Search', keys: ['/', 'Mod+f'], scope: 'global', when: 'always' },
  'app.back': { label: 'Back', keys: ['Alt+ArrowLeft'], scope: 'global', when: 'always' },
  'app.undo': { label: 'Undo', keys: ['u', 'Mod+z'], scope: 'global', when: 'always' },
  'app.help': { label: 'Keyboard shortcuts', keys: ['?'], scope: 'global', when: 'always' },

  'editor.save': { label: 'Save', keys: ['Mod+Enter'], scope: 'editor', when: 'always', inInputs: true },
  'editor.cancel': { label: 'Cancel', keys: ['Escape'], scope: 'editor', when: 'always', inInputs: true },

  ...moves('search'),
  'search.open': { label: 'Open', keys: ['Enter', 'o'], scope: 'search', when: 'cursor' },
  'search.source': { label: 'Open the source of the memory', keys: ['s'], scope: 'search', when: 'cursor' },
  'search.kind': { label: 'Next kind', keys: ['t'], scope: 'search', when: 'always' },

  ...moves('review'),
  'review.approve': { label: 'Approve', keys: ['a'], scope: 'review', when: 'cursor' },
  'review.reject': { label: 'Dismiss', keys: ['r'], scope: 'review', when: 'cursor' },
  'review.edit': { label: 'Edit', keys: ['e'], scope: 'review', when: 'cursor' },
  'review.merge': { label: 'Merge', keys: ['m'], scope: 'review', when: 'cursor' },
  'review.snooze': { label: 'Snooze', keys: ['s'], scope: 'review', when: 'cursor' },
  'review.source': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'review', when: 'cursor' },
  'review.restore': { label: 'Move to review', keys: ['p'], scope: 'review', when: 'cursor' },
  ...selecting('review'),
  'review.approveSelected': { label: 'Approve selected', keys: ['A'], scope: 'review', when: 'selection' },
  'review.rejectSelected': { label: 'Dismiss selected', keys: ['R'], scope: 'review', when: 'selection' },
  'review.showDoubtful': { label: 'Show or hide doubtful proposals', keys: ['d'], scope: 'review', when: 'always' },
  'review.rejectDoubtful': { label: 'Dismiss all doubtful proposals', keys: ['D'], scope: 'review', when: 'always' },
  'review.clear': { label: 'Clear selection', keys: ['Escape'], scope: 'review', when: 'selection' },

  ...moves('you'),
  'you.open': { label: 'Open the source', keys: ['o', 'Enter'], scope: 'you', when: 'cursor' },
  'you.keepThis': { label: 'Contradiction: the first is true now', keys: ['1'], scope: 'you', when: 'cursor' },
  'you.keepOther': { label: 'Contradiction: the second is true now', keys: ['2'], scope: 'you', when: 'cursor' },
  'you.copy': { label: 'Copy for an assistant', keys: ['c'], scope: 'you', when: 'always' },
  'you.today': { label: 'Back to today', keys: ['t'], scope: 'you', when: 'always' },

  ...moves('memories'),
  'memories.edit': { label: 'Edit', keys: ['e'], scope: 'memories', when: 'cursor' },
  'memories.category': { label: 'Change category', keys: ['c'], scope: 'memories', when: 'cursor' },
  'memories.archive': { label: 'Move to trash', keys: ['Delete', 'Backspace'], scope: 'memories', when: 'cursor' },
  'memories.restore': { label: 'Restore', keys: ['p'], scope: 'memories', when: 'cursor' },
  'memories.source': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'memories', when: 'cursor' },
  ...selecting('memories'),
  'memories.selectAll': { label: 'Select all that match', keys: ['Mod+a'], scope: 'memories', when: 'always' },
  'memories.clear': { label: 'Clear selection', keys: ['Escape'], scope: 'memories', when: 'selection' },

  'conversations.nextMessage': { label: 'Next message', keys: ['j'], scope: 'conversations', when: 'cursor' },
  'conversations.previousMessage': { label: 'Previous message', keys: ['k'], scope: 'conversations', when: 'cursor' },
  ...moves('conversations'),
  'conversations.next': { label: 'Next conversation', keys: ['ArrowDown', 'J'], scope: 'conversations', when: 'always' },
  'conversations.previous': { label: 'Previous conversation', keys: ['ArrowUp', 'K'], scope: 'conversations', when: 'always' },
  'conversations.read': { label: 'Read', keys: ['Enter', 'o'], scope: 'conversations', when: 'cursor' },
  'conversations.leave': { label: 'Back to the list', keys: ['Escape'], scope: 'conversations', when: 'cursor' },
  'conversations.status': { label: 'Show or hide status', keys: ['s'], scope: 'conversations', when: 'cursor' },
  'conversations.visibility': { label: 'Who may see it', keys: ['v'], scope: 'conversations', when: 'cursor' },
  'conversations.private': { label: 'Use for memory or not', keys: ['p'], scope: 'conversations', when: 'cursor' },
  'conversations.results': { label: 'Analysis results', keys: ['r'], scope: 'conversations', when: 'cursor' },
  'conversations.remember': { label: 'Remember the selected words', keys: ['m'], scope: 'conversations', when: 'cursor' },
  'conversations.analyze': { label: 'Analyze now', keys: ['a'], scope: 'conversations', when: 'cursor' },

  ...moves('topics'),
  'topics.rename': { label: 'Rename', keys: ['e'], scope: 'topics', when: 'cursor' },
  'topics.merge': { label: 'Merge', keys: ['m'], scope: 'topics', when: 'cursor' },
  'topics.split': { label: 'Split', keys: ['s'], scope: 'topics', when: 'cursor' },
  'topics.pin': { label: 'Pin or unpin', keys: ['p'], scope: 'topics', when: 'cursor' },
  'topics.graph': { label: 'Text or graph', keys: ['v'], scope: 'topics', when: 'cursor' },
  'topics.open': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'topics', when: 'cursor' },

  ...moves('playbooks'),
  'playbooks.approve': { label: 'Approve', keys: ['a'], scope: 'playbooks', when: 'cursor' },
  'playbooks.reject': { label: 'Dismiss', keys: ['r'], scope: 'playbooks', when: 'cursor' },
  'playbooks.park': { label: 'Later', keys: ['s'], scope: 'playbooks', when: 'cursor' },
  'playbooks.restore': { label: 'Restore', keys: ['p'], scope: 'playbooks', when: 'cursor' },
  'playbooks.export': { label: 'Export as a skill', keys: ['e'], scope: 'playbooks', when: 'cursor' },
  'playbooks.open': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'playbooks', when: 'cursor' },
  'playbooks.filter': { label: 'Next status', keys: ['t'], scope: 'playbooks', when: 'always' },

  ...moves('reflection'),
  'reflection.accept': { label: 'Approve', keys: ['a'], scope: 'reflection', when: 'cursor' },
  'reflection.refuse': { label: 'Dismiss', keys: ['r'], scope: 'reflection', when: 'cursor' },
  'reflection.park': { label: 'Later', keys: ['s'], scope: 'reflection', when: 'cursor' },
  'reflection.restore': { label: 'Reopen', keys: ['p'], scope: 'reflection', when: 'cursor' },
  'reflection.open': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'reflection', when: 'cursor' },
  'reflection.apply': { label: 'Apply approved changes', keys: ['Mod+Enter'], scope: 'reflection', when: 'always' },
  'reflection.look': { label: 'Find cleanups', keys: ['l'], scope: 'reflection', when: 'always' },
  'reflection.filter': { label: 'Next status', keys: ['t'], scope: 'reflection', when: 'always' },

  ...moves('sessions'),
  'sessions.open': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'sessions', when: 'cursor' },
  'sessions.tab': { label: 'Sessions, memory tiers or agents', keys: ['t'], scope: 'sessions', when: 'always' },
  'sessions.addAgent': { label: 'Add agent', keys: ['n'], scope: 'sessions', when: 'always' },

  ...moves('people'),
  'people.same': { label: 'Same person', keys: ['s'], scope: 'people', when: 'cursor' },
  'people.different': { label: 'Different people', keys: ['d'], scope: 'people', when: 'cursor' },
  'people.unsure': { label: 'Not sure', keys: ['n'], scope: 'people', when: 'cursor' },
  'people.undoAnswer': { label: 'Undo answer, or unlink', keys: ['p'], scope: 'people', when: 'cursor' },
  'people.link': { label: 'Link with another account', keys: ['l'], scope: 'people', when: 'cursor' },
  'people.open': { label: 'Open in conversation', keys: ['o', 'Enter'], scope: 'people', when: 'cursor' },
  'people.viewAs': { label: 'View as', keys: ['v'], scope: 'people', when: 'cursor' },
  'people.confirm': { label: 'Make the gap a task', keys: ['a'], scope: 'people', when: 'cursor' },
  'people.dismiss': { label: 'Not a gap', keys: ['r'], scope: 'people', when: 'cursor' },
  'people.about': { label: 'About', keys: ['1'], scope: 'people', when: 'cursor' },
  'people.lines': { label: 'Messages', keys: ['2'], scope: 'people', when: 'cursor' },
  'people.places': { label: 'Channels', keys: ['3'], scope: 'people', when: 'cursor' },
  'people.graph': { label: 'Graph', keys: ['4'], scope: 'people', when: 'cursor' },
  'people.tab': { label: 'Next view', keys: ['t'], scope: 'people', when: 'always' },

  ...moves('privacy'),
  'privacy.choose': { label: 'Choose who may see it', keys: ['c', 'Enter'], scope: 'privacy', when: 'cursor' },
  'privacy.apply': { label: 'Apply the choice', keys: ['Mod+Enter'], scope: 'privacy', when: 'cursor', inInputs: true },
  'privacy.tab': { label: 'Next view', keys: ['t'], scope: 'privacy', when: 'always' },

  'sources.add': { label: 'Add files', keys: ['n'], scope: 'sources', when: 'always' },
  ...moves('sources'),
  'sources.remember': { label: 'Remember', keys: ['r'], scope: 'sources', when: 'cursor' },
  'sources.ignore': { label: 'Ignore', keys: ['i'], scope: 'sources', when: 'cursor' },
  'sources.ask': { label: 'Decide later', keys: ['d'], scope: 'sources', when: 'cursor' },
  ...selecting('sources'),
  'sources.selectAll': { label: 'Select all shown', keys: ['Mod+a'], scope: 'sources', when: 'cursor' },
  'sources.back': { label: 'Clear selection, or go back', keys: ['Escape'], scope: 'sources', when: 'always' },

  ...moves('activity'),
  'activity.unpark': { label: 'Restore all expired proposals', keys: ['b'], scope: 'activity', when: 'always' },
  'activity.pause': { label: 'Pause or resume', keys: ['p'], scope: 'activity', when: 'always' },
} as const satisfies Record<string, ActionSpec>;

export type ActionId = keyof typeof ACTIONS;

/** The actions of one scope. */
export type ActionIn<S extends Scope> = { [K in ActionId]: (typeof ACTIONS)[K]['scope'] extends S ? K : never }[ActionId];

export const ACTION_IDS = Object.keys(ACTIONS) as ActionId[];

export function action(id: ActionId): ActionSpec {
  return ACTIONS[id];
}

/** Whether a key is a single printable character or a sequence of them. */
export function isSingleKey(key: string): boolean {
  return key.split(' ').every((part) => [...part].length === 1);
}

const isMac = () => typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const SHOWN: Record<string, string> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
  Enter: '↵',
};

/** The display form of a key: `Ctrl Z`, `⇧A`, `g r`. */
export function showKey(key: string, mac = isMac()): string {
  const part = (text: string): string => {
    if (text === 'Mod') return mac ? '⌘' : 'Ctrl';
    if (text === 'Shift') return '⇧';
    if (SHOWN[text]) return SHOWN[text];
    if ([...text].length === 1) return /\p{Lu}/u.test(text) ? `⇧${text}` : text.toUpperCase();
    return text;
  };
  return key
    .split(' ')
    .map((step) => step.split('+').map(part).join(/Mod|Alt/.test(step) ? (mac ? '' : ' ') : ''))
    .join(' ');
}

/** The form of a key for assistive technology (`aria-keyshortcuts`), which has no notation for sequences. */
export function ariaKeys(keys: readonly string[]): string | undefined {
  const named = keys
    .filter((key) => !key.includes(' '))
    .map((key) => {
      if (/^\p{Lu}$/u.test(key)) return `Shift+${key}`;
      return key.replace('Mod', isMac() ? 'Meta' : 'Control');
    });
  return named.length > 0 ? named.join(' ') : undefined;
}
