/** Typed commands: an unknown command or a payload of the wrong shape does not compile. */
import { platform } from '../platform';
import type { RpcSchema } from './schema';

export type Command = keyof RpcSchema;
export type Request<K extends Command> = RpcSchema[K][0];
export type Response<K extends Command> = RpcSchema[K][1];

/** Runs a command. Rejects with an `RpcError`. */
export async function call<K extends Command>(cmd: K, payload: Request<K>): Promise<Response<K>> {
  return (await platform().rpc(cmd, payload)) as Response<K>;
}
