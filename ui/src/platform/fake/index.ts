/**
 * A host without a backend: invented data, the same commands, the same events. It is not part of a release build.
 *
 * It follows the rules of the API that panels rely on (one operation with one undo, facets counted without their own condition,
 * change tags after each write), but it makes no judgments.
 */
import type { Event, RpcSchema, Theme } from '../../api/schema';
import { type Platform, RpcError } from '../types';
import { agentCommands } from './agents';
import { chartCommands, conversationsSaid } from './charts';
import { conversationCommands } from './conversations';
import { addCrowd, addSessions, buildWorld } from './data';
import { knowledgeCommands } from './knowledge';
import { liveSourceCommands } from './liveSources';
import { memoryCommands } from './memories';
import { type ModelState, modelCommands } from './models';
import { peopleCommands } from './people';
import { playbookCommands } from './playbooks';
import { reflectionCommands } from './reflection';
import { searchCommands } from './search';
import { systemCommands } from './system';
import { topicCommands } from './topics';
import { addMeeting, speakerCommands } from './unidentifiedSpeakers';
import { upkeepCommands } from './upkeep';
import { workCommands } from './work';
import { DAY, type World } from './world';

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

export type AllHandlers = { [K in keyof RpcSchema]: (payload: RpcSchema[K][0]) => RpcSchema[K][1] };
export type Handlers = Partial<AllHandlers>;

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

function invent(now: number, options: FakeOptions): World {
  const world = buildWorld(now, options.firstRun ? 0 : (options.candidates ?? 0));
  if (options.sessions) addSessions(world, now);
  if (options.crowd) addCrowd(world, now);
  for (const id of options.doubtful ?? []) {
    const memory = world.memories.get(id);
    if (memory) memory.row = { ...memory.row, confidence: 0.57, band: 'doubtful' };
  }
  const [newer, older] = [world.memories.get('mem_00000'), world.memories.get('mem_00015')];
  if (options.moved && newer && older) {
    const { id, status, content, said_at } = older.row;
    newer.changes = [{ id, status, content, said_at: said_at - 90 * DAY, is_newer: false }];
  }
  if (options.meeting) addMeeting(world, now);
  if (options.firstRun) {
    world.conversations = [];
    world.messages.clear();
    world.memories.clear();
  }
  return world;
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
  const firstRun = options.firstRun ?? false;
  const world = invent(started, options);
  /** Later parts use the commands of earlier ones, or wrap them. */
  const handlers = {} as AllHandlers;
  const parts: (() => Handlers)[] = [
    () => systemCommands(world, host, handlers, options),
    () => upkeepCommands(world, host, firstRun),
    () => memoryCommands(world, host),
    () => conversationCommands(world, host, (request) => conversationsSaid(world, handlers, request)),
    () => topicCommands(world, host),
    () => playbookCommands(world, host),
    () => reflectionCommands(world, host, handlers),
    () => agentCommands(world, host, handlers, options.movedFrom),
    () => peopleCommands(world, host, { firstRun }),
    () => liveSourceCommands(host, { firstRun, folders: options.folders ?? 0 }),
    () => modelCommands(world, host, { models: options.models ?? 'none', firstRun }),
    () => speakerCommands(world, host, handlers),
    () => chartCommands(world, handlers),
    () => knowledgeCommands(world, host, handlers, firstRun),
    () => searchCommands(world, handlers),
    () => workCommands(host, handlers, firstRun, options.pace_ms ?? 400),
  ];
  for (const part of parts) Object.assign(handlers, part());
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
