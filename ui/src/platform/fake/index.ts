/**
 * A host without a backend: invented data, the same commands, the same events. It is not part of a release build.
 *
 * It follows the rules of the API that panels rely on (one operation with one undo, facets counted without their own condition,
 * change tags after each write), but it makes no judgments.
 */
import type { Event, RpcSchema, Theme } from '../../api/schema';
import { type Platform, RpcError } from '../types';
import { auditCommands } from './audit';
import { agentCommands } from './agents';
import { backupCommands } from './backup';
import { chartCommands, conversationsSaid } from './charts';
import { conversationCommands } from './conversations';
import { addCrowd } from './crowd';
import { buildWorld } from './data';
import { knowledgeCommands } from './knowledge';
import { liveSourceCommands } from './liveSources';
import { maintenanceCommands } from './maintenance';
import { memoryCommands } from './memories';
import { type ModelState, modelCommands } from './models';
import { playbookCommands, playbooksWaiting } from './playbooks';
import { reflectionCommands, reflectionsWaiting } from './reflection';
import { peopleCommands } from './people';
import { searchCommands } from './search';
import { addSessions } from './sessions';
import { systemCommands } from './system';
import { topicCommands } from './topics';
import { addMeeting, speakerCommands } from './unidentifiedSpeakers';
import { workCommands } from './work';

export interface FakeOptions {
  candidates?: number;
  firstRun?: boolean;
  embeddingMissing?: boolean;
  theme?: Theme;
  /** Delay of each answer, in ms. */
  latency_ms?: number;
  /** Holds an answer back until the promise resolves. */
  hold?: (cmd: string, payload: unknown) => Promise<void> | undefined;
  now?: number;
  /** Adds a coding session with every kind of message, and a conversation with some thousand messages. */
  sessions?: boolean;
  /** Ids of pending memories that are doubtful. */
  doubtful?: readonly string[];
  /** The first pending memory replaces an approved one. */
  moved?: boolean;
  /** Adds a meeting whose transcript does not name all speakers. */
  meeting?: boolean;
  /** Adds three years with about twenty people: more than fits in one graph. */
  crowd?: boolean;
  /** Duration of each step of simulated work, in ms. */
  pace_ms?: number;
  /** Whether a language model is chosen, and where it runs. */
  models?: ModelState;
  /** Adds a mail account with this many folders, none of which is decided. */
  folders?: number;
  /** A program that starts Keepsake from where it was before. */
  movedFrom?: string;
  /** How files are chosen; `upload` as on a page in a browser. */
  fileAccess?: Platform['fileAccess'];
}

export type Handlers = { [K in keyof RpcSchema]?: (payload: RpcSchema[K][0]) => RpcSchema[K][1] };

export interface Host {
  now(): number;
  emit(event: Event): void;
  changed(...tags: string[]): void;
}

/** A fake host that records its calls and whose answers a test can replace. */
export interface FakePlatform extends Platform {
  readonly calls: { cmd: string; payload: unknown }[];
  failNext(cmd: keyof RpcSchema, error: RpcError): void;
  /** Replaces the answer of a command from now on. */
  answer<K extends keyof RpcSchema>(cmd: K, handler: (payload: RpcSchema[K][0]) => RpcSchema[K][1]): void;
  emit(event: Event): void;
}

export function createFakePlatform(options: FakeOptions = {}): FakePlatform {
  const started = options.now ?? Date.now();
  const listeners = new Set<(event: Event) => void>();
  const emit = (event: Event) => {
    for (const listener of listeners) listener(event);
  };
  const host: Host = {
    now: () => options.now ?? Date.now(),
    emit,
    changed: (...tags) => void setTimeout(() => emit({ type: 'changed', tags }), 0),
  };
  const world = buildWorld(started, options.firstRun ? 0 : (options.candidates ?? 0));
  if (options.sessions) addSessions(world, started);
  if (options.crowd) addCrowd(world, started);
  for (const id of options.doubtful ?? []) {
    const memory = world.memories.get(id);
    if (memory) memory.row = { ...memory.row, confidence: 0.57, band: 'doubtful' };
  }
  const [newer, older] = [world.memories.get('mem_00000'), world.memories.get('mem_00015')];
  if (options.moved && newer && older) {
    const { id, status, content, said_at } = older.row;
    newer.changes = [{ id, status, content, said_at: said_at - 90 * 86_400_000, is_newer: false }];
  }
  if (options.meeting) addMeeting(world, started);
  if (options.firstRun) {
    world.conversations = [];
    world.messages.clear();
    world.memories.clear();
  }
  const handlers: Handlers = {
    ...systemCommands(world, host, { firstRun: options.firstRun ?? false, embeddingMissing: options.embeddingMissing ?? false, theme: options.theme ?? 'system' }),
    ...backupCommands(world, host, options.firstRun ?? false, () => handlers.maintenance_start?.({}).runs[0]?.id ?? ''),
    ...auditCommands(world, host),
    ...maintenanceCommands(world, host, options.firstRun ?? false),
    ...memoryCommands(world, host),
    ...conversationCommands(world, host, (request) => conversationsSaid(world, handlers, request)),
    ...topicCommands(world, host),
    ...playbookCommands(world, host),
    ...reflectionCommands(world, host),
    ...agentCommands(world, host, () => handlers, options.movedFrom),
    ...peopleCommands(world, host, { firstRun: options.firstRun ?? false }),
    ...liveSourceCommands(host, { firstRun: options.firstRun ?? false, folders: options.folders ?? 0 }),
    ...modelCommands(world, host, { models: options.models ?? 'none', firstRun: options.firstRun ?? false }),
  };
  const { app_status: frame, undo: undoMemories, reflections_undo: undoRun } = handlers;
  // A run of reflection is an operation like any other.
  if (undoMemories && undoRun) {
    handlers.undo = (request) => (request.operation_id?.startsWith('op_tidy') ? { operation_id: request.operation_id, summary: undoRun({}).summary ?? '', restored: [] } : undoMemories(request));
  }
  if (frame) handlers.app_status = (request) => ({ ...frame(request), counts: { ...frame(request).counts, playbooks: playbooksWaiting(handlers), reflections: reflectionsWaiting(handlers) } });
  Object.assign(handlers, speakerCommands(world, host, handlers));
  Object.assign(handlers, chartCommands(world, handlers));
  Object.assign(handlers, knowledgeCommands(world, host, handlers, options.firstRun ?? false));
  Object.assign(handlers, searchCommands(world, handlers));
  Object.assign(handlers, workCommands(host, handlers, options.pace_ms ?? 400));
  const failures = new Map<string, RpcError>();
  const calls: FakePlatform['calls'] = [];
  const wait = () => new Promise((resolve) => setTimeout(resolve, options.latency_ms ?? 0));

  return {
    kind: 'fake',
    fileAccess: options.fileAccess ?? 'pick_files',
    calls,
    emit,
    failNext: (cmd, error) => void failures.set(cmd, error),
    answer(cmd, handler) {
      (handlers as Record<string, unknown>)[cmd] = handler;
    },
    async rpc(cmd, payload) {
      calls.push({ cmd, payload });
      await wait();
      await options.hold?.(cmd, payload);
      const failure = failures.get(cmd);
      if (failure) {
        failures.delete(cmd);
        throw failure;
      }
      const handler = (handlers as Record<string, ((payload: never) => unknown) | undefined>)[cmd];
      if (!handler) throw new RpcError('unknown_command', `The invented host does not know “${cmd}”.`);
      // As over a wire: no objects are shared with the page.
      return JSON.parse(JSON.stringify(handler(payload as never)));
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pickFiles: async () => ['conversations.zip', 'WhatsApp Chat with Noor.txt', 'holiday.pdf'].map((name, index) => ({ token: `file:${name}`, name, size: [96_400_000, 412_000, 2_100_000][index] ?? 0 })),
    pickTasksFile: async () => '/home/robin/notes/tasks.md',
    takeFiles: async (files) => files.map((file) => ({ token: `file:${file.name}`, name: file.name, size: file.size })),
    setTitle(title) {
      document.title = title;
    },
  };
}
