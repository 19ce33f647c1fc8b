/** The state of the window outside React. Panels and the frame import from here. */
export { errorMessage, useAttempt } from './attempt';
export { created, decide, idsOf, noteDone, noteFinal, perform, rememberWords, restored, undo, usePendingDelta } from './decisions';
export { createKnown, createMapped, createStable, difference, replaced } from './difference';
export { drop, listenForDrops, noteHostEvent, pickFiles, pickFolder, takeFiles, useLiveProgress, waitingFiles } from './host';
export { EMPTY_LIST, type ListState, afterChange, beforeLeaving, clearSelection, concerned, createListState, extendTo, moveTo, stepFrom, toggleSelected } from './list';
export { PANELS, type PanelId, type Period, type Target, go, goBack, goFromResults, nav, openConversation, openLine, openMemory, openPerson, openSearch, reviewConversation, useAnswer, useNavTarget, usePanel } from './nav';
export { type Store, createStore, useStore } from './store';
export { painted, startClock, useLasting, useNow, useSeconds, useSettled } from './time';
export { type Toast, clearCard, hideToast, hideToasts, showError, showToast, toasts } from './toasts';
export { getUiState, loadUiState, setUiState, useUiChoice, useUiState } from './uiState';
