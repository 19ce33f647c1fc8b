/**
 * Which events make which answers stale.
 *
 * Each reading command lists its tags, and the backend's events name the tags that changed. Nothing else invalidates queries, so
 * events only say what happened, never what the window should do about it.
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
  | 'sources'
  | 'status';

/**
 * Reading commands and the tags that make their answers stale. Commands that only write are not listed. A retraction changes
 * `memories` or `people` and removes the statement from every answer that contains it, so all such commands list these two tags.
 */
export const PROVIDES: Partial<Record<Command, readonly Tag[]>> = {
  app_status: ['status', 'memories', 'conversations', 'jobs', 'alerts', 'imports', 'embeddings', 'settings', 'people', 'playbooks', 'reflections'],
  settings_get: ['settings'],
  imports_list: ['imports'],
  // What is new in a file, and which of its channels are, is another answer once a different file was imported or undone.
  import_dry_run: ['imports'],
  memories_list: ['memories'],
  memory_get: ['memories', 'conversations', 'sessions'],
  memories_erase_preview: ['memories'],
  conversations_list: ['conversations', 'messages', 'memories'],
  conversation_get: ['conversations', 'messages', 'memories'],
  conversation_messages: ['messages', 'memories'],
  conversation_standing: ['conversations', 'messages', 'analyses', 'memories', 'people'],
  conversation_erase_preview: ['conversations', 'messages', 'memories'],
  import_undo_preview: ['conversations', 'messages', 'memories', 'imports'],
  conversation_privacy_preview: ['conversations', 'memories', 'analyses', 'gate_log'],
  analyses_list: ['analyses'],
  jobs_list: ['jobs', 'settings'],
  gate_log_list: ['gate_log'],
  alerts_list: ['alerts'],
  models_get: ['settings', 'jobs', 'model_calls', 'conversations', 'messages'],
  model_calls_list: ['model_calls', 'conversations'],
  watched_list: ['settings', 'imports', 'jobs'],
  watched_offers: ['settings'],
  live_sources_list: ['sources'],
  live_channels_list: ['sources'],
  live_source_remove_preview: ['sources', 'conversations', 'messages', 'memories'],
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
  agent_server_get: ['settings', 'status'],
  router_settings_get: ['settings'],
  connect_list: [],
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

/** Events within this time are handled together. */
export const COALESCE_MS = 120;
/**
 * Lists that may have ten thousand rows are refetched only when the person pauses, because processing such an answer would delay
 * the next key press. Nobody waits for them, because they are updated optimistically. The pause is longer than a glance at a
 * pending memory.
 */
export const QUIET_MS = 2_000;
/** Maximum age of a list, even under constant input. */
export const QUIET_MAX_MS = 30_000;

/**
 * The counts in the sidebar are also updated optimistically. They are refetched after a short pause, because counting a hundred
 * thousand messages after each of many quick decisions would occupy a CPU core.
 */
export const STATUS_QUIET_MS = 400;
export const STATUS_QUIET_MAX_MS = 3_000;

interface Tier {
  readonly commands: ReadonlySet<string> | null;
  readonly quiet_ms: number;
  readonly max_ms: number;
}

/** Commands that are refetched only after a pause. All others are refetched immediately. */
const WAITING: readonly Tier[] = [
  { commands: new Set<Command>(['memories_list', 'memory_get', 'conversations_list', 'search']), quiet_ms: QUIET_MS, max_ms: QUIET_MAX_MS },
  { commands: new Set<Command>(['app_status']), quiet_ms: STATUS_QUIET_MS, max_ms: STATUS_QUIET_MAX_MS },
  { commands: null, quiet_ms: 0, max_ms: 0 },
];

const isOf = (tier: Tier, command: string) => (tier.commands ? tier.commands.has(command) : WAITING.every((each) => !each.commands?.has(command)));

/** Commands whose answers the tags make stale. `*` stands for all tags. */
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

/** Turns change events into invalidations, merged over a short time. `noteInput` reports that the person is busy. */
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
    /** Stops waiting for a pause, because the person expects new data: after an undo, or in a panel that was just opened. */
    hurry() {
      for (const tier of tiers) tier.hurry();
    },
    stop() {
      for (const tier of tiers) tier.stop();
    },
  };
}
