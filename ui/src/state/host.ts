/**
 * What the host tells without being asked, beside "this changed": how far jobs are, and files that were dropped.
 *
 * Progress arrives several times a second; it is kept here, so that a step re-renders its bar and asks the backend nothing.
 */
import { call } from '../api/call';
import type { Event, FileToken } from '../api/schema';
import { platform } from '../platform';
import { go } from './nav';
import { createStore, useStore } from './store';
import { showError } from './toasts';

export interface LiveProgress {
  readonly stage: string;
  readonly done: number;
  /** 0 when not known. */
  readonly total: number;
}

const live = createStore<ReadonlyMap<string, LiveProgress>>(new Map());

/** Files that wait to be looked into, in order of arrival. Sources shows and removes them. */
export const waitingFiles = createStore<readonly FileToken[]>([]);

/** What is dragged over the window, or being taken in. */
export const drop = createStore<'idle' | 'over' | 'taking'>('idle');

/** More running jobs than this are not shown at once anyway. */
const LIVE_MAX = 50;

export function addFiles(files: readonly FileToken[]): void {
  if (files.length === 0) return;
  waitingFiles.update((waiting) => [...waiting, ...files.filter((file) => !waiting.some((each) => each.token === file.token))]);
  go('sources');
}

export function noteHostEvent(event: Event): void {
  if (event.type === 'files_dropped') addFiles(event.files);
  if (event.type === 'job_progress') {
    const { id, stage, done, total } = event;
    live.update((jobs) => new Map([...[...jobs].filter(([each]) => each !== id).slice(1 - LIVE_MAX), [id, { stage, done, total }]]));
  }
}

/** How far a job is, or null when nothing was heard of it. The object stays the same until the next step. */
export const useLiveProgress = (job: string): LiveProgress | null => useStore(live, (jobs) => jobs.get(job) ?? null);

/** Hands over files that the page itself received. */
export async function takeFiles(files: File[]): Promise<void> {
  if (files.length === 0) return;
  drop.set('taking');
  try {
    addFiles(await platform().takeFiles(files));
  } catch (thrown) {
    showError(thrown);
  } finally {
    drop.set('idle');
  }
}

/** Asks for files with the host's own dialog. */
export async function pickFiles(): Promise<void> {
  try {
    addFiles(await platform().pickFiles());
  } catch (thrown) {
    showError(thrown);
  }
}

/** Asks for a folder, which only a host with a dialog of its own can name. */
export async function pickFolder(): Promise<void> {
  try {
    addFiles((await call('pick_folder', {})).files);
  } catch (thrown) {
    showError(thrown);
  }
}

/** Lets files be dropped anywhere in the window; without this a browser would open them in place of the page. */
export function listenForDrops(): () => void {
  const hasFiles = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (drop.get() === 'idle') drop.set('over');
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null && drop.get() === 'over') drop.set('idle');
  };
  const dropped = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.set('idle');
    void takeFiles([...(event.dataTransfer?.files ?? [])]);
  };
  window.addEventListener('dragover', over);
  window.addEventListener('dragleave', leave);
  window.addEventListener('drop', dropped);
  return () => {
    window.removeEventListener('dragover', over);
    window.removeEventListener('dragleave', leave);
    window.removeEventListener('drop', dropped);
  };
}
