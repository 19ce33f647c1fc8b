export { type Command, type Request, type Response, call } from './call';
export { useChoices } from './choices';
export { type Change, addLayer, byId, useWithLayers } from './layers';
export { createQueryClient, rpcKey, useMutate, useRpc } from './query';
export { createInvalidator } from './tags';
export { tally } from './tally';
export type * from './schema';
