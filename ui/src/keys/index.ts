export { ACTIONS, ACTION_IDS, type ActionId, type ActionIn, type Scope, action, ariaKeys, isSingleKey, showKey } from './actions';
export { type ActionHandler, actOn, hotkeys, useActions } from './hotkeys';
