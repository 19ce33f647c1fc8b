/**
 * Files selected for import: their contents, the person's answers, and whether the import can start.
 *
 * Answers are kept outside the panel, so that leaving it loses nothing.
 */
import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type DryRunFile, type FileToken, type LeftOutView, call, rpcKey } from '../../api';
import type { RpcError } from '../../platform';
import { createStore, useStore, waitingFiles } from '../../state';
import { forgetChannelChoices } from './importChannels';

export interface Answers {
  /** The owner's handle in the file; null while unknown, or if the owner does not speak in it. */
  readonly me: string | null;
  /** True if the owner does not speak in the file. */
  readonly isNobody: boolean;
  /** True if the person wants to answer for this file separately, regardless of other files. */
  readonly isAskedAlone: boolean;
  readonly dateOrder: string | null;
  /** The day of the meeting, `2026-01-05`; null while unknown. */
  readonly meeting: string | null;
  /** True if the date of the meeting is unknown, so that the date of the file is used. */
  readonly isUndated: boolean;
  /** The zone of times without one, `Europe/Berlin`; null while this computer's zone is assumed. */
  readonly zone: string | null;
}

export const UNANSWERED: Answers = { me: null, isNobody: false, isAskedAlone: false, dateOrder: null, meeting: null, isUndated: false, zone: null };

export type FileStatus = 'looking' | 'failed' | 'unreadable' | 'empty' | 'asks' | 'ready';

export interface WaitingFile {
  readonly file: FileToken;
  /** The files of this folder or archive that are not imported. */
  readonly leftOut: readonly LeftOutView[];
  readonly answers: Answers;
  readonly look: DryRunFile | undefined;
  readonly error: RpcError | null;
  readonly status: FileStatus;
  readonly again: () => void;
}

const answersOf = createStore<ReadonlyMap<string, Answers>>(new Map());
/** What was left out of a folder or archive that became several cards, by the token of the first. */
const leftOutOf = createStore<ReadonlyMap<string, readonly LeftOutView[]>>(new Map());
/** Jobs that this window started; their results are shown expanded. */
export const startedJobs = createStore<readonly string[]>([]);

export function answer(token: string, change: Partial<Answers>): void {
  answersOf.update((all) => new Map([...all, [token, { ...(all.get(token) ?? UNANSWERED), ...change }]]));
}

export function leaveOut(tokens: readonly string[]): void {
  waitingFiles.update((files) => files.filter((file) => !tokens.includes(file.token)));
  answersOf.update((all) => new Map([...all].filter(([token]) => !tokens.includes(token))));
  if (waitingFiles.get().length === 0) forgetChannelChoices();
}

/** Puts a file, as what the person says it is, in the place of one that nothing recognizes. */
export function readAs(token: string, file: FileToken): void {
  waitingFiles.update((files) => files.map((each) => (each.token === token ? file : each)));
}

/** What a file still needs before it can be imported. Pure. */
export function statusOf(look: DryRunFile | undefined, isFailed: boolean, answers: Answers): FileStatus {
  if (!look) return isFailed ? 'failed' : 'looking';
  if (look.parts.length > 0) return 'looking';
  if (look.error !== null || look.kind === null) return 'unreadable';
  // A restore brings back everything as it was, so no questions are needed.
  if (look.export?.is_first) return 'ready';
  if (asksOwner(look, answers) || asksDates(look, answers) || asksMeeting(look, answers)) return 'asks';
  return importable(look) > 0 ? 'ready' : 'empty';
}

export const asksOwner = (look: DryRunFile, answers: Answers): boolean => look.needs_owner && answers.me === null && !answers.isNobody;
export const asksDates = (look: DryRunFile, answers: Answers): boolean => look.date_questions.length > 0 && answers.dateOrder === null;
export const asksMeeting = (look: DryRunFile, answers: Answers): boolean => look.needs_meeting && answers.meeting === null && !answers.isUndated;
/** Earliest accepted day of a meeting. It excludes years of which only two digits have been typed so far. */
export const FIRST_DAY = '1990-01-01';
/** The local day of a moment, in the format of the backend. */
export function localDay(at: number): string {
  const moment = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
/** Whether the text is a day in the format of the backend, and possible as the day of a meeting. */
export const isDay = (text: string, today: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && text >= FIRST_DAY && text <= today;
/** Whether the browser knows a time zone by this name. */
export function isZone(name: string): boolean {
  try {
    return name.includes('/') && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
/**
 * Applies the answer to "Which of these is you?" from another file if the same participant speaks in this one, so that it is
 * asked only once. Pure.
 */
export function withKnownOwner(look: DryRunFile, answers: Answers, known: readonly string[]): Answers {
  if (!look.needs_owner || answers.me !== null || answers.isNobody || answers.isAskedAlone) return answers;
  const me = known.find((name) => look.participants.some((each) => each.handle === name || each.name === name));
  return me === undefined ? answers : { ...answers, me };
}
export const skippedCount = (file: Pick<DryRunFile, 'skipped'>): number => file.skipped.reduce((sum, each) => sum + each.count, 0);
/**
 * The number of messages that an import would process. Messages that are already stored count, because the import may still
 * identify the owner in them.
 */
export const importable = (look: DryRunFile): number => look.imported + look.duplicate;

export function useWaitingFiles(): WaitingFile[] {
  const files = useStore(waitingFiles, (waiting) => waiting);
  const answers = useStore(answersOf, (all) => all);
  const look = (token: string, { dateOrder, meeting, zone }: Answers = UNANSWERED) => {
    // The owner's identity does not change the preview, so the file is not read again for it.
    const request = { tokens: [token], me: null, date_order: dateOrder, meeting, ...(zone === null ? {} : { zone }) };
    return { queryKey: rpcKey('import_dry_run', request), queryFn: () => call('import_dry_run', request) };
  };
  const queries = useQueries({ queries: files.map((file) => look(file.token, answers.get(file.token))) });
  // An answered question stays visible, so the questions are taken from the first preview.
  const first = useQueries({ queries: files.map((file) => look(file.token)) });
  const known = [...answers.values()].map((each) => each.me).filter((me) => me !== null);
  // A folder with exports of several kinds becomes one card per kind.
  const parts = first.flatMap((query, index) => (query.data?.files[0]?.parts.length ? [[files[index]?.token ?? '', query.data.files[0]] as const] : []));
  const leftOut = useStore(leftOutOf, (all) => all);
  useEffect(() => {
    for (const [token, look] of parts) {
      leftOutOf.update((all) => new Map([...all, [look.parts[0]?.token ?? '', look.left_out]]));
      waitingFiles.update((waiting) => waiting.flatMap((file) => (file.token === token ? look.parts : [file])));
    }
  }, [parts]);
  return files.map((file, index) => {
    const query = queries[index];
    const said = answers.get(file.token) ?? UNANSWERED;
    const now = query?.data?.files[0];
    const asked = first[index]?.data?.files[0];
    // Until the file has been read again with the chosen date order, the first preview is shown.
    const merged = now ?? asked;
    const seen = merged && asked ? { ...merged, date_questions: asked.date_questions, needs_meeting: asked.needs_meeting } : merged;
    const given = seen ? withKnownOwner(seen, said, known) : said;
    const status = now || query?.isError ? statusOf(seen, query?.isError ?? false, given) : 'looking';
    return { file, leftOut: leftOut.get(file.token) ?? seen?.left_out ?? [], answers: given, look: seen, error: (query?.error as RpcError | null | undefined) ?? null, status, again: () => void query?.refetch() };
  });
}
