/**
 * The complete surface that the application may use to reach its host.
 *
 * Two hosts exist: the desktop shell (`tauri.ts`) and a browser on loopback (`http.ts`); `fake/` stands in for both in tests
 * and screenshots. Deliberately not here: any path of what is read. A file is an opaque token that only the backend can open;
 * the one path there is names a file of the person's own to which tasks are added.
 */
import type { Event, FileToken } from '../api/schema';

/** What went wrong, as the backend names it. `code` is stable and may be matched; `message` is for people. */
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
  /** How files get in: a native dialog, or an upload by the browser. */
  readonly fileAccess: 'pick_files' | 'upload';
  /** Sends one command. Rejects with an `RpcError`. Panels use `call` from `src/api`, which is typed. */
  rpc(cmd: string, payload: unknown): Promise<unknown>;
  /** Hears every event until the returned function is called. */
  onEvent(listener: (event: Event) => void): () => void;
  /** Lets the person choose files. Empty when they change their mind. */
  pickFiles(): Promise<FileToken[]>;
  /** Lets the person choose a Markdown file for tasks, which need not be there yet. Its path, or null when they change their mind. */
  pickTasksFile(): Promise<string | null>;
  /** Hands over files dropped on the page. The desktop shell answers drops itself (`files_dropped`) and returns nothing here. */
  takeFiles(files: File[]): Promise<FileToken[]>;
  /** The window's title. The desktop shell follows the document's title. */
  setTitle(title: string): void;
}

/** Turns whatever a transport threw into an `RpcError`. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { code, message } = thrown as { code?: unknown; message: unknown };
    return new RpcError(typeof code === 'string' ? code : 'internal', String(message));
  }
  return new RpcError('internal', typeof thrown === 'string' ? thrown : 'The backend did not answer.');
}
