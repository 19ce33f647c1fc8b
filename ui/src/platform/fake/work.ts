/**
 * The fake host's jobs: imports, the sample data and analyses run in stages, with progress and cancellation.
 *
 * It wraps the commands that finish immediately, so that their effect happens when the job is done.
 */
import type { DryRunFile, ImportChannelView, DryRunRequest, ImportView, JobView } from '../../api/schema';
import files from './data/files.json';
import type { AllHandlers, Handlers, Host } from './index';
import { DAY, HOUR } from './world';

interface Step {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

const steps = (stage: string, total: number, count: number): Step[] => Array.from({ length: count }, (_, index) => ({ stage, done: Math.round((total * (index + 1)) / count), total }));

const channelOf = (channel_type: string, channel_id: string, messages: number, rest: Partial<ImportChannelView> = {}): ImportChannelView => ({ channel_type, channel_id, title: channel_id, conversations: 1, messages, people: 0, names: [], is_known: false, visibility: 'private', ...rest });

/** The channels of a file, by its kind. The rooms are those of a large workspace, some of which are known. */
const CHANNELS: Readonly<Record<string, ImportChannelView[]>> = {
  slack: [
    ...Array.from({ length: 180 }, (_, index) => channelOf('slack', `C${index + 1}`, 900 - index, { title: `project-${index + 1}`, people: 4, names: ['Noor Aziz', 'Ben', 'Cleo'] })),
    channelOf('slack', 'C900', 4, { title: 'announcements', is_known: true, visibility: 'public' }),
    channelOf('slack', 'C901', 0, { title: 'board', is_known: true }),
  ],
  whatsapp: [channelOf('whatsapp', 'Noor Aziz', 1_095, { people: 1, names: ['Noor Aziz'] })],
  chatgpt: [channelOf('chatgpt', 'chatgpt', 17_033, { conversations: 214, is_known: true })],
};

const FILES = files as unknown as readonly { readonly match: string; readonly days?: readonly number[]; readonly file: Partial<DryRunFile> }[];
const isChat = (token: string) => /whatsapp/i.test(token);

const NOTHING_DONE = { is_cancelling: false, conversation_id: null, stage: null, done: 0, total: 0, attempts: 0, attempts_max: 4, retry_at: null, error: null, result: null, started_at: null, finished_at: null };

const jobsAtFirst = (now: number): JobView[] => {
  const job = (id: string, kind: string, title: string, state: string, rest: Partial<JobView>): JobView => ({ ...NOTHING_DONE, id, kind, title, state, created_at: now - HOUR, ...rest });
  return [
    job('job_1', 'extract', 'Half marathon training', 'running', { stage: 'Reading messages', done: 42, total: 120, started_at: now - 12_000 }),
    job('job_2', 'embed', 'Vectors for 12 memories', 'queued', {}),
    job('job_3', 'import', 'old-chats.zip', 'dead', { attempts: 4, error: 'The file ends in the middle of an entry.', finished_at: now - 5 * HOUR }),
    job('job_4', 'import', 'chatgpt-export.zip', 'done', { done: 18_420, total: 18_420, started_at: now - 26 * HOUR, finished_at: now - 26 * HOUR + 4_200 }),
  ];
};

/** `base` are the commands of the other parts. */
export function workCommands(host: Host, base: AllHandlers, firstRun: boolean, pace_ms: number): Handlers {
  const { app_status: status, analyze_start: analyze, analyses_list: analyses, conversation_get: conversation, imports_list: importsOf, sample_load: load, sample_remove: remove, job_retry: forgetAlert } = base;
  const started = host.now();
  let jobs: JobView[] = firstRun ? [] : jobsAtFirst(started);
  let imports: ImportView[] = [];
  /** Ids of the imports that were undone. */
  let undone: string[] = [];
  let isSampled = false;
  let last = 0;
  let paused = false;
  /** When the pause ends by itself. */
  let pausedUntil: number | null = null;
  const isPaused = () => paused && (pausedUntil === null || host.now() < pausedUntil);
  const pause = () => ({ paused: isPaused(), paused_until: isPaused() ? pausedUntil : null });

  const change = (id: string, patch: Partial<JobView>) => {
    jobs = jobs.map((job) => (job.id === id ? { ...job, ...patch } : job));
  };

  /** Runs a job step by step; `finish` applies its effect and returns its result. */
  function run(kind: string, title: string, conversation_id: string | null, plan: readonly Step[], finish: () => Record<string, string>): string {
    last += 1;
    const id = `job_work_${last}`;
    jobs = [{ ...NOTHING_DONE, id, kind, title, conversation_id, state: 'queued', created_at: host.now() }, ...jobs];
    host.changed('jobs', 'status');
    const at = (step: number): void => {
      const job = jobs.find((each) => each.id === id);
      if (!job || job.state === 'cancelled') return;
      if (job.is_cancelling) {
        change(id, { state: 'cancelled', finished_at: host.now() });
        host.changed('jobs', 'status', 'imports');
        return;
      }
      if (job.state === 'queued' && isPaused()) {
        setTimeout(() => at(step), pace_ms);
        return;
      }
      const next = plan[step];
      if (next) {
        if (job.state === 'queued') {
          change(id, { state: 'running', started_at: host.now() });
          host.changed('jobs');
        }
        change(id, next);
        host.emit({ type: 'job_progress', id, ...next });
        setTimeout(() => at(step + 1), pace_ms);
        return;
      }
      change(id, { state: 'done', result: JSON.stringify(finish()), finished_at: host.now() });
      host.changed('jobs', 'status', 'imports', 'memories', 'analyses', 'conversations');
    };
    setTimeout(() => at(0), pace_ms);
    return id;
  }

  const look = (token: string, { me, date_order, meeting, zone }: Partial<DryRunRequest>): DryRunFile => {
    const now = host.now();
    const { file = {}, days } = FILES.find(({ match }) => new RegExp(match, 'i').test(token)) ?? {};
    const name = file.name ?? token.replace(/^file:/, '');
    const [first = null, until = null] = (days ?? []).map((age) => now - age * DAY);
    const blank: DryRunFile = { token, name, kind: null, error: null, conversations: 0, seen: 0, imported: 0, duplicate: 0, skipped: [], first, last: until, participants: [], channels: [], more_channels: 0, needs_owner: false, date_questions: [], needs_meeting: false, export: null, parts: [], left_out: [], may_be: [] };
    const known: DryRunFile = { ...blank, ...file, error: file.error?.replace('{name}', name) ?? null, channels: token === 'file:memories.txt-chatgpt' ? [] : (CHANNELS[file.kind ?? ''] ?? []) };
    if (known.kind === 'transcript') return { ...known, needs_meeting: meeting == null };
    if (known.kind === 'whatsapp') return { ...known, zone: zone ?? 'Europe/Amsterdam', needs_owner: me == null, date_questions: date_order ? [] : known.date_questions };
    if (known.kind !== 'keepsake') return known;
    const is_first = imports.length + importsOf({}).items.length === 0;
    return { ...known, ...(is_first ? { imported: known.seen, duplicate: 0 } : {}), export: { messages: known.seen, conversations: known.conversations, memories: 41, is_first } };
  };

  const addImport = (file: Pick<DryRunFile, 'name' | 'kind' | 'conversations' | 'seen' | 'skipped'>, is_sample: boolean): Record<string, string> => {
    const { name, kind, conversations, seen, skipped } = file;
    const duplicate = is_sample ? 0 : Math.round(seen * 0.04);
    const imported = seen - skipped.reduce((sum, each) => sum + each.count, 0) - duplicate;
    const id = `imp_work_${imports.length + 1}`;
    imports = [{ id, name, kind: kind ?? 'keepsake', state: 'done', is_sample, conversations, seen, imported, duplicate, skipped, error: null, started_at: host.now() - 4_000, finished_at: host.now() }, ...imports];
    return { import_id: id };
  };

  const allImports = (): ImportView[] => [...imports, ...importsOf({}).items].map((each) => (undone.includes(each.id) ? { ...each, state: 'undone' } : each));
  const goneWith = (id: string) => {
    const row = allImports().find((each) => each.id === id);
    return { messages: row?.imported ?? 0, conversations: row?.conversations ?? 0, memories: 3 };
  };
  const isIn = (...states: string[]) => jobs.filter((job) => states.includes(job.state)).length;

  return {
    app_status: () => {
      const now = status({});
      return { ...now, ...pause(), counts: { ...now.counts, jobs: isIn('queued', 'running') } };
    },
    jobs_list: () => ({ items: jobs, queued: isIn('queued'), ...pause() }),
    job_cancel({ id }) {
      const job = jobs.find((each) => each.id === id);
      change(id, job?.state === 'queued' || !id.startsWith('job_work') ? { state: 'cancelled', finished_at: host.now() } : { is_cancelling: true });
      host.changed('jobs', 'status');
      return {};
    },
    job_retry({ id }) {
      change(id, { state: 'queued', attempts: 0, retry_at: null, error: null });
      host.changed('jobs');
      return forgetAlert({ id });
    },
    queue_pause({ paused: next, until }) {
      paused = next;
      const day = new Date(host.now());
      pausedUntil = until === 'hour' ? host.now() + HOUR : until === 'tomorrow' ? new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 8).getTime() : null;
      host.changed('jobs', 'status');
      return {};
    },
    import_dry_run: ({ tokens, ...asked }) => ({ files: tokens.map((token) => look(token, asked)) }),
    import_start: ({ tokens, me, date_order, meeting }) => ({
      job_ids: tokens.map((token) => {
        const file = look(token, { me, date_order, meeting });
        const size = isChat(token) ? 412_000 : 96_400_000;
        return run('import', file.name, null, [{ stage: 'Checking the file', done: 0, total: size }, ...steps('Reading messages', size, 10)], () => addImport(file, false));
      }),
    }),
    imports_list: () => ({ items: allImports() }),
    import_undo_preview: ({ id }) => ({ ...goneWith(id), shortened: 0 }),
    import_undo({ id }) {
      undone = [...undone, id];
      host.changed('imports', 'messages', 'conversations', 'memories');
      return { ...goneWith(id), is_pending: false, job_id: 'job_undo' };
    },
    sample_load: () => {
      if (isSampled) return load({});
      isSampled = true;
      const job = run('import', 'Sample data', null, steps('Reading messages', 24_000, 4), () => {
        load({});
        return addImport({ name: 'Sample data', kind: 'keepsake', conversations: 6, seen: 35, skipped: [] }, true);
      });
      return { job_ids: [job] };
    },
    sample_remove: () => {
      isSampled = false;
      imports = imports.filter((each) => !each.is_sample);
      return remove({});
    },
    analyze_start({ id, force }) {
      const row = conversation({ id });
      if (row.is_private) return { outcome: 'private' };
      const before = analyses({ id }).items[0];
      if (before && !force) return { outcome: 'nothing_new', analysis_id: before.id };
      if (row.messages < 5 && !force) return { outcome: 'too_short', messages: row.messages, messages_min: 5 };
      const plan = ['Looking for facts', 'Reading the whole conversation', 'Storing'].map((stage, done) => ({ stage, done, total: 3 }));
      const job_id = run('analyze', row.title, id, plan, () => {
        analyze({ id, force: true });
        return { analysis_id: analyses({ id }).items[0]?.id ?? '' };
      });
      return { outcome: 'queued', job_id };
    },
  };
}
