/**
 * Simulated long work: imports, the sample data and analyses run as jobs with stages, progress and cancellation.
 *
 * It wraps the commands that finish immediately, so that their effect happens when the job is done.
 */
import type { DryRunFile, ImportChannelView, ImportView, JobView, LeftOutView } from '../../api/schema';
import { RpcError } from '../types';
import type { Handlers, Host } from './index';

const DAY = 86_400_000;

interface Step {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

const steps = (stage: string, total: number, count: number): Step[] => Array.from({ length: count }, (_, index) => ({ stage, done: Math.round((total * (index + 1)) / count), total }));

const need = <T>(handler: T | undefined): T => {
  if (!handler) throw new RpcError('unknown_command', 'The invented host lacks a command.');
  return handler;
};

const channelOf = (channel_type: string, channel_id: string, title: string, messages: number, names: readonly string[] = []): ImportChannelView => ({ channel_type, channel_id, title, conversations: 1, messages, people: names.length, names: names.slice(0, 3), is_known: false, visibility: 'private' });

/** The rooms of a large invented workspace, some of which are known. */
const ROOMS: ImportChannelView[] = [
  ...Array.from({ length: 180 }, (_, index) => channelOf('slack', `C${index + 1}`, `project-${index + 1}`, 900 - index, ['Noor Aziz', 'Ben', 'Cleo', 'Ines'])),
  { ...channelOf('slack', 'C900', 'announcements', 4), is_known: true, visibility: 'public' },
  { ...channelOf('slack', 'C901', 'board', 0), is_known: true },
];

/** What is left out of the invented folder of exports. */
const LEFT_OUT: LeftOutView[] = [
  { reason: 'unknown', text: 'not a format that Keepsake can read', may_be_an_export: true, count: 1, paths: ['old/chats.pst'] },
  { reason: 'media', text: 'a photo, video or other attachment', may_be_an_export: false, count: 412, paths: ['IMG-0001.jpg', 'IMG-0002.jpg'] },
];

export function workCommands(host: Host, base: Handlers, pace_ms: number): Handlers {
  const [list, cancel, analyze, analyses, conversation, importsOf, load, remove, status] = [
    need(base.jobs_list),
    need(base.job_cancel),
    need(base.analyze_start),
    need(base.analyses_list),
    need(base.conversation_get),
    need(base.imports_list),
    need(base.sample_load),
    need(base.sample_remove),
    need(base.app_status),
  ];
  let live: JobView[] = [];
  let imports: ImportView[] = [];
  /** Ids of the imports that were undone. */
  let undone: string[] = [];
  let isSampled = false;
  let last = 0;

  const change = (id: string, patch: Partial<JobView>) => {
    live = live.map((job) => (job.id === id ? { ...job, ...patch } : job));
  };
  const isPaused = () => list({}).paused;

  /** Runs a job step by step; `finish` applies its effect and returns its result. */
  function run(kind: string, title: string, conversation_id: string | null, plan: readonly Step[], finish: () => Record<string, string>): string {
    last += 1;
    const id = `job_work_${last}`;
    const blank = { is_cancelling: false, stage: null, done: 0, total: 0, attempts: 0, attempts_max: 4, retry_at: null, error: null, result: null, started_at: null, finished_at: null };
    live = [{ ...blank, id, kind, title, conversation_id, state: 'queued', created_at: host.now() }, ...live];
    host.changed('jobs', 'status');
    const at = (step: number): void => {
      const job = live.find((each) => each.id === id);
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
      const result = JSON.stringify(finish());
      change(id, { state: 'done', result, finished_at: host.now() });
      host.changed('jobs', 'status', 'imports', 'memories', 'analyses', 'conversations');
    };
    setTimeout(() => at(0), pace_ms);
    return id;
  }

  const fileName = (token: string) => token.replace(/^file:/, '');
  const isChat = (token: string) => /whatsapp/i.test(token);
  const isExport = (token: string) => /^file:Keepsake \d{4}-/.test(token);
  const look = (token: string, me: string | null, order: string | null, meeting: string | null, zone?: string): DryRunFile => {
    const now = host.now();
    const blank: DryRunFile = { token, name: fileName(token), kind: null, error: null, conversations: 0, seen: 0, imported: 0, duplicate: 0, skipped: [], first: null, last: null, participants: [], channels: [], more_channels: 0, needs_owner: false, date_questions: [], needs_meeting: false, export: null, parts: [], left_out: [], may_be: [] };
    if (token === 'file:Exports') return { ...blank, parts: [{ token: 'file:conversations.zip', name: 'Exports', size: 0 }, { token: 'file:WhatsApp Chat with Noor.txt', name: 'Exports', size: 0 }], left_out: LEFT_OUT };
    if (token === 'file:memories.txt') return { ...blank, error: 'memories.txt is not a conversation export that Keepsake can read. Nothing was changed.', may_be: [{ kind: 'chatgpt', file: { token: 'file:memories.txt-chatgpt', name: 'memories.txt', size: 900 } }] };
    if (token === 'file:memories.txt-chatgpt') return { ...blank, name: 'memories.txt', kind: 'chatgpt', conversations: 1, seen: 12, imported: 12, first: now - DAY, last: now - DAY };
    if (/\.(pdf|png|docx)$/i.test(token)) return { ...blank, error: `${fileName(token)} is not a conversation export that Keepsake can read. Nothing was changed. See “How to get an export” for what it reads.` };
    if (isExport(token)) {
      const { items } = importsOf({});
      const is_first = imports.length + items.length === 0;
      return { ...blank, kind: 'keepsake', conversations: 6, seen: 1_830, imported: is_first ? 1_830 : 240, duplicate: is_first ? 0 : 1_590, first: now - 700 * DAY, last: now - DAY, export: { messages: 1_830, conversations: 6, memories: 41, is_first } };
    }
    if (/\.vtt$/i.test(token)) {
      return { ...blank, kind: 'transcript', conversations: 1, seen: 82, imported: 82, first: now - 40 * DAY, last: now - 40 * DAY, participants: [{ name: 'Robin', handle: 'Robin', messages: 40, sample: 'Shall we begin?', received: 0 }], needs_meeting: meeting === null };
    }
    if (/slack/i.test(token)) {
      return { ...blank, kind: 'slack', conversations: 182, seen: 90_000, imported: 90_000, first: now - 300 * DAY, last: now - DAY, channels: ROOMS };
    }
    if (isChat(token)) {
      return {
        ...blank,
        kind: 'whatsapp',
        channels: [channelOf('whatsapp', 'Noor Aziz', 'Noor Aziz', 1_095, ['Noor Aziz'])],
        zone: zone ?? 'Europe/Amsterdam',
        conversations: 1,
        seen: 1_204,
        imported: 1_095,
        duplicate: 48,
        skipped: [{ reason: 'media_placeholder', text: 'a photo, video or file that is not included in the export', count: 61, sample: '‎IMG-20260304-WA0007.jpg (file attached)' }],
        first: now - 260 * DAY,
        last: now - DAY,
        participants: [
          { name: 'Noor Aziz', handle: 'Noor Aziz', messages: 655, sample: 'Are you still coming on the 28th?', received: 0 },
          { name: 'Robin', handle: 'Robin', messages: 488, sample: 'Yes, we take the 9:12 from Utrecht.', received: 0 },
        ],
        needs_owner: me === null,
        date_questions: order
          ? []
          : [
              { written: '03/04/2026, 18:20', day_first: '3 April 2026', month_first: '4 March 2026' },
              { written: '05/04/2026, 08:02', day_first: '5 April 2026', month_first: '4 May 2026' },
            ],
      };
    }
    return {
      ...blank,
      kind: 'chatgpt',
      channels: [{ ...channelOf('chatgpt', 'chatgpt', 'chatgpt', 17_033), conversations: 214, is_known: true }],
      conversations: 214,
      seen: 18_420,
      imported: 17_033,
      duplicate: 737,
      skipped: [
        { reason: 'hidden', text: 'hidden by the service and never shown to you', count: 612, sample: 'Original custom instructions no longer available' },
        { reason: 'empty', text: 'empty message', count: 38, sample: '' },
      ],
      first: now - 700 * DAY,
      last: now - DAY / 12,
      participants: [{ name: 'Robin Hale', handle: 'user', messages: 9_120, sample: 'Can you look at my training week?', received: 0 }],
    };
  };

  const addImport = (file: Pick<DryRunFile, 'name' | 'kind' | 'conversations' | 'seen' | 'skipped'>, isSample: boolean): Record<string, string> => {
    const skipped = file.skipped.reduce((sum, each) => sum + each.count, 0);
    const duplicate = isSample ? 0 : Math.round(file.seen * 0.04);
    const id = `imp_work_${imports.length + 1}`;
    imports = [
      {
        id,
        name: file.name,
        kind: file.kind ?? 'keepsake',
        state: 'done',
        is_sample: isSample,
        conversations: file.conversations,
        seen: file.seen,
        imported: file.seen - skipped - duplicate,
        duplicate,
        skipped: file.skipped,
        error: null,
        started_at: host.now() - 4_000,
        finished_at: host.now(),
      },
      ...imports,
    ];
    return { import_id: id };
  };

  const allImports = (): ImportView[] => [...imports, ...importsOf({}).items].map((each) => (undone.includes(each.id) ? { ...each, state: 'undone' } : each));

  return {
    jobs_list: () => {
      const rest = list({});
      return { ...rest, items: [...live, ...rest.items], queued: rest.queued + live.filter((job) => job.state === 'queued').length };
    },
    job_cancel({ id }) {
      const job = live.find((each) => each.id === id);
      if (!job) return cancel({ id });
      change(id, job.state === 'queued' ? { state: 'cancelled', finished_at: host.now() } : { is_cancelling: true });
      host.changed('jobs', 'status');
      return {};
    },
    app_status: () => {
      const now = status({});
      const open = live.filter((job) => job.state === 'queued' || job.state === 'running').length;
      return { ...now, counts: { ...now.counts, jobs: now.counts.jobs + open } };
    },
    import_dry_run: ({ tokens, me, date_order, meeting, zone }) => ({ files: tokens.map((token) => look(token, me, date_order, meeting, zone)) }),
    import_start: ({ tokens, me, date_order, meeting }) => ({
      job_ids: tokens.map((token) => {
        const file = look(token, me, date_order, meeting);
        const size = isChat(token) ? 412_000 : 96_400_000;
        return run('import', file.name, null, [{ stage: 'Checking the file', done: 0, total: size }, ...steps('Reading messages', size, 10)], () => addImport(file, false));
      }),
    }),
    imports_list: () => ({ items: allImports() }),
    import_undo_preview({ id }) {
      const row = allImports().find((each) => each.id === id);
      return { messages: row?.imported ?? 0, conversations: row?.conversations ?? 0, shortened: 0, memories: 3 };
    },
    import_undo({ id }) {
      const row = allImports().find((each) => each.id === id);
      undone = [...undone, id];
      host.changed('imports', 'messages', 'conversations', 'memories');
      return { messages: row?.imported ?? 0, conversations: row?.conversations ?? 0, memories: 3, is_pending: false, job_id: 'job_undo' };
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
