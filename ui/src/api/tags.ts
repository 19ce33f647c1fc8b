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
  | 'model_calls'
  | 'status';

/** Reading commands and the tags that make their answers stale. Commands that only write are absent. */
export const PROVIDES: Partial<Record<Command, readonly Tag[]>> = {
  app_status: ['status', 'memories', 'conversations', 'jobs', 'alerts', 'imports', 'embeddings', 'settings'],
  settings_get: ['settings'],
  imports_list: ['imports'],
  memories_list: ['memories'],
  memory_get: ['memories', 'conversations'],
  conversations_list: ['conversations', 'messages', 'memories'],
  conversation_get: ['conversations', 'messages', 'memories'],
  conversation_messages: ['messages', 'memories'],
  conversation_privacy_preview: ['conversations', 'memories', 'analyses', 'gate_log'],
  analyses_list: ['analyses'],
  jobs_list: ['jobs'],
  gate_log_list: ['gate_log'],
  alerts_list: ['alerts'],
  models_get: ['settings', 'jobs', 'model_calls', 'conversations', 'messages'],
  model_calls_list: ['model_calls', 'conversations'],
  watched_list: ['settings', 'imports', 'jobs'],
  search: ['memories', 'messages'],
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

const HEAVY: ReadonlySet<string> = new Set<Command>(['memories_list', 'memory_get', 'conversations_list', 'search']);

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
  let lightTimer: number | null = null;
  let heavyTimer: number | null = null;
  let heavySince = 0;
  let lastInput = Number.NEGATIVE_INFINITY;
  let isHurried = false;

  const flush = (commands: Command[]) => {
    for (const command of commands) waiting.delete(command);
    const wanted = new Set<unknown>(commands);
    if (wanted.size > 0) void client.invalidateQueries({ predicate: (query) => wanted.has(query.queryKey[0]) });
  };
  const flushHeavy = () => {
    heavyTimer = null;
    const now = clock.now();
    const quietIn = lastInput + QUIET_MS - now;
    if (quietIn > 0 && !isHurried && now - heavySince < QUIET_MAX_MS) {
      heavyTimer = clock.set(flushHeavy, quietIn);
      return;
    }
    isHurried = false;
    flush([...waiting].filter((command) => HEAVY.has(command)) as Command[]);
  };

  return {
    onEvent(event: Event) {
      if (event.type !== 'changed') return;
      for (const command of staleCommands(event.tags)) waiting.add(command);
      lightTimer ??= clock.set(() => {
        lightTimer = null;
        flush([...waiting].filter((command) => !HEAVY.has(command)) as Command[]);
      }, COALESCE_MS);
      if (heavyTimer === null && [...waiting].some((command) => HEAVY.has(command))) {
        heavySince = clock.now();
        heavyTimer = clock.set(flushHeavy, COALESCE_MS);
      }
    },
    noteInput() {
      lastInput = clock.now();
    },
    /** The next change is one the person waits for, such as what an undo brings back, or a panel that is opened. */
    hurry() {
      isHurried = true;
      if (heavyTimer === null) return;
      clock.clear(heavyTimer);
      heavyTimer = clock.set(flushHeavy, COALESCE_MS);
    },
    stop() {
      if (lightTimer !== null) clock.clear(lightTimer);
      if (heavyTimer !== null) clock.clear(heavyTimer);
    },
  };
}
