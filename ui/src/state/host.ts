/**
 * What the host reports besides change events: progress of jobs, and dropped files.
 *
 * Progress arrives several times per second. It is kept here, so that a step re-renders only its bar and sends no request.
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
  /** 0 if unknown. */
  readonly total: number;
}

const live = createStore<ReadonlyMap<string, LiveProgress>>(new Map());

/** Files waiting to be previewed, in order of arrival. Sources shows and removes them. */
export const waitingFiles = createStore<readonly FileToken[]>([]);

/** Whether files are being dragged over the window, or being received. */
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

/** Progress of a job, or null if none was reported. The object stays the same until the next step. */
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

/** Asks for a folder, which only a host with its own dialog can name. */
export async function pickFolder(): Promise<void> {
  try {
    addFiles((await call('pick_folder', {})).files);
  } catch (thrown) {
    showError(thrown);
  }
}

/** Accepts files dropped anywhere in the window. Without this, a browser would open them instead of the page. */
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
