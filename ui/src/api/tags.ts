/**
 * Which answers grow stale by which facts.
 *
 * Each reading command names the tags it provides; the backend's events name the tags that changed. Nobody else invalidates
 * anything, so an event says what happened and never what the window should do about it.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Event } from './schema';
import type { Command } from './call';

export type Tag =
  | 'memories'
  | 'conversations'
  | 'messages'
  | 'jobs'
  | 'gate_log'
  | 'alerts'
  | 'imports'
  | 'settings'
  | 'analyses'
  | 'embeddings'
  | 'people'
  | 'topics'
  | 'playbooks'
  | 'reflections'
  | 'sessions'
  | 'model_calls'
  | 'status';

/**
 * Reading commands and the tags that make their answers stale. Commands that only write are absent.
 * What a person takes back is a change of `memories` or of `people`, and leaves every answer that tells of it.
 */
export const PROVIDES: Partial<Record<Command, readonly Tag[]>> = {
  app_status: ['status', 'memories', 'conversations', 'jobs', 'alerts', 'imports', 'embeddings', 'settings', 'people', 'playbooks', 'reflections'],
  settings_get: ['settings'],
  imports_list: ['imports'],
  memories_list: ['memories'],
  memory_get: ['memories', 'conversations', 'sessions'],
  memories_erase_preview: ['memories'],
  conversations_list: ['conversations', 'messages', 'memories'],
  conversation_get: ['conversations', 'messages', 'memories'],
  conversation_messages: ['messages', 'memories'],
  conversation_standing: ['conversations', 'messages', 'analyses', 'memories', 'people'],
  conversation_erase_preview: ['conversations', 'messages', 'memories'],
  conversation_privacy_preview: ['conversations', 'memories', 'analyses', 'gate_log'],
  analyses_list: ['analyses'],
  jobs_list: ['jobs', 'settings'],
  gate_log_list: ['gate_log'],
  alerts_list: ['alerts'],
  models_get: ['settings', 'jobs', 'model_calls', 'conversations', 'messages'],
  model_calls_list: ['model_calls', 'conversations'],
  watched_list: ['settings', 'imports', 'jobs'],
  search: ['memories', 'messages', 'conversations', 'people', 'topics', 'embeddings'],
  timeline: ['messages', 'memories', 'conversations', 'people', 'topics'],
  graph: ['messages', 'memories', 'conversations', 'people', 'topics'],
  people_list: ['people', 'conversations', 'messages', 'memories'],
  person_get: ['people', 'conversations', 'messages', 'memories'],
  person_commitments: ['people', 'conversations', 'messages'],
  person_erase_preview: ['people', 'conversations', 'messages', 'memories'],
  profile_at: ['people', 'conversations', 'messages', 'memories'],
  links_list: ['people', 'messages'],
  voices_list: ['people', 'messages', 'conversations'],
  link_preview: ['people', 'conversations', 'memories'],
  channels_list: ['people', 'conversations', 'messages'],
  visibility_preview: ['people', 'conversations', 'memories'],
  context_preview: ['people', 'conversations', 'messages', 'memories', 'analyses', 'topics', 'sessions', 'playbooks'],
  agents_list: ['people'],
  topics_list: ['topics', 'conversations', 'people', 'memories'],
  topic_get: ['topics', 'conversations', 'people', 'memories'],
  topic_text: ['topics', 'conversations', 'people', 'memories'],
  playbooks_list: ['playbooks', 'conversations'],
  playbook_get: ['playbooks', 'conversations'],
  playbook_settings_get: ['settings'],
  reflections_list: ['reflections', 'memories', 'conversations', 'jobs'],
  reflection_get: ['reflections', 'memories', 'conversations'],
  reflection_settings_get: ['settings'],
  topic_rules_get: ['settings'],
  maintenance_get: ['jobs', 'settings', 'memories', 'people', 'topics', 'playbooks', 'reflections'],
  parked_list: ['jobs', 'people', 'topics', 'playbooks', 'reflections'],
  backups_list: ['jobs', 'settings'],
  sessions_list: ['sessions', 'conversations'],
  session_get: ['sessions', 'conversations'],
  tiers_preview: ['sessions', 'conversations', 'people', 'memories'],
  agents_overview: ['sessions', 'settings', 'people', 'conversations'],
  gaps_list: ['people', 'settings', 'conversations'],
};

/** Events that arrive together are answered once. */
export const COALESCE_MS = 120;
/**
 * A list that may hold ten thousand rows is asked again only when the person pauses: nobody waits for it, it is optimistic,
 * and taking in such an answer would keep the next key waiting. So the pause is longer than a glance at a candidate.
 */
export const QUIET_MS = 2_000;
/** Even under steady typing a list is never older than this. */
export const QUIET_MAX_MS = 30_000;

/**
 * The counts of the frame are laid over with what the person does as well, and to count a hundred thousand messages after every
 * decision of a series would take a processor from the page: they come when the person pauses for a moment.
 */
export const STATUS_QUIET_MS = 400;
export const STATUS_QUIET_MAX_MS = 3_000;

interface Tier {
  readonly commands: ReadonlySet<string> | null;
  readonly quiet_ms: number;
  readonly max_ms: number;
}

/** Those that wait for a pause, and all others, which do not. */
const WAITING: readonly Tier[] = [
  { commands: new Set<Command>(['memories_list', 'memory_get', 'conversations_list', 'search']), quiet_ms: QUIET_MS, max_ms: QUIET_MAX_MS },
  { commands: new Set<Command>(['app_status']), quiet_ms: STATUS_QUIET_MS, max_ms: STATUS_QUIET_MAX_MS },
  { commands: null, quiet_ms: 0, max_ms: 0 },
];

const isOf = (tier: Tier, command: string) => (tier.commands ? tier.commands.has(command) : WAITING.every((each) => !each.commands?.has(command)));

/** Commands whose answers the tags make stale. `*` stands for every tag. */
export function staleCommands(tags: Iterable<string>): Command[] {
  const changed = new Set(tags);
  return (Object.entries(PROVIDES) as [Command, readonly Tag[]][])
    .filter(([, provided]) => changed.has('*') || provided.some((tag) => changed.has(tag)))
    .map(([command]) => command);
}

interface Clock {
  now(): number;
  set(run: () => void, ms: number): number;
  clear(timer: number): void;
}

const realClock: Clock = {
  now: () => performance.now(),
  set: (run, ms) => window.setTimeout(run, ms),
  clear: (timer) => window.clearTimeout(timer),
};

/** Answers change events with invalidations, coalesced. `noteInput` tells it that the person is busy. */
export function createInvalidator(client: Pick<QueryClient, 'invalidateQueries'>, clock: Clock = realClock) {
  const waiting = new Set<string>();
  let lastInput = Number.NEGATIVE_INFINITY;

  const tiers = WAITING.map((tier) => {
    let timer: number | null = null;
    let since = 0;
    let isHurried = false;
    const flush = () => {
      timer = null;
      const now = clock.now();
      const quietIn = lastInput + tier.quiet_ms - now;
      if (quietIn > 0 && !isHurried && now - since < tier.max_ms) {
        timer = clock.set(flush, quietIn);
        return;
      }
      isHurried = false;
      const wanted = new Set<unknown>([...waiting].filter((command) => isOf(tier, command)));
      for (const command of wanted) waiting.delete(command as string);
      if (wanted.size > 0) void client.invalidateQueries({ predicate: (query) => wanted.has(query.queryKey[0]) });
    };
    return {
      start() {
        if (timer !== null || ![...waiting].some((command) => isOf(tier, command))) return;
        since = clock.now();
        timer = clock.set(flush, COALESCE_MS);
      },
      hurry() {
        if (tier.quiet_ms === 0) return;
        isHurried = true;
        if (timer === null) return;
        clock.clear(timer);
        timer = clock.set(flush, COALESCE_MS);
      },
      stop() {
        if (timer !== null) clock.clear(timer);
      },
    };
  });

  return {
    onEvent(event: Event) {
      if (event.type !== 'changed') return;
      for (const command of staleCommands(event.tags)) waiting.add(command);
      for (const tier of tiers) tier.start();
    },
    noteInput() {
      lastInput = clock.now();
    },
    /** The next change is one the person waits for, such as what an undo brings back, or a panel that is opened. */
    hurry() {
      for (const tier of tiers) tier.hurry();
    },
    stop() {
      for (const tier of tiers) tier.stop();
    },
  };
}
