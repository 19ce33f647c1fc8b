export { type Command, type Request, type Response, call } from './call';
export { useChoices } from './choices';
export { createQueryClient, rpcKey, useMutate, useRpc } from './query';
export { createInvalidator } from './tags';
export type * from './schema';
