/**
 * The complete interface through which the application reaches its host.
 *
 * There are two hosts: the desktop shell (`tauri.ts`) and a browser on loopback (`http.ts`). `fake/` replaces both in tests and
 * screenshots. Paths of imported files are deliberately not part of it: a file is an opaque token that only the backend can open.
 * The only path is that of the person's own file to which tasks are added.
 */
import type { Event, FileToken } from '../api/schema';

/** An error, as named by the backend. `code` is stable and may be compared; `message` is for people. */
export class RpcError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

export interface Platform {
  readonly kind: 'tauri' | 'http' | 'fake';
  /** How files are chosen: a native dialog, or an upload by the browser. */
  readonly fileAccess: 'pick_files' | 'upload';
  /** Sends one command. Rejects with an `RpcError`. Panels use the typed `call` from `src/api`. */
  rpc(cmd: string, payload: unknown): Promise<unknown>;
  /** Calls `listener` with every event until the returned function is called. */
  onEvent(listener: (event: Event) => void): () => void;
  /** Lets the person choose files. Empty if they cancel. */
  pickFiles(): Promise<FileToken[]>;
  /** Lets the person choose a Markdown file for tasks, which need not exist yet. Its path, or null if they cancel. */
  pickTasksFile(): Promise<string | null>;
  /** Hands over files dropped on the page. The desktop shell handles drops itself (`files_dropped`) and returns nothing here. */
  takeFiles(files: File[]): Promise<FileToken[]>;
  /** Sets the window's title. The desktop shell follows the document's title. */
  setTitle(title: string): void;
}

/** Converts anything thrown by a transport to an `RpcError`. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { code, message } = thrown as { code?: unknown; message: unknown };
    return new RpcError(typeof code === 'string' ? code : 'internal', String(message));
  }
  return new RpcError('internal', typeof thrown === 'string' ? thrown : 'The backend did not answer.');
}
