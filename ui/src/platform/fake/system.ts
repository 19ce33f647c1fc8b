/** The fake host's status, settings, sources and jobs. */
import type { DryRunFile, ImportView, JobView, Settings, Theme } from '../../api/schema';
import { type World, buildWorld } from './data';
import type { Handlers, Host } from './index';

const HOUR = 3_600_000;

export function systemCommands(world: World, host: Host, options: { firstRun: boolean; embeddingMissing: boolean; theme: Theme }): Handlers {
  let settings: Settings = { theme: options.theme, single_keys: true, phone_regions: ['NL', 'GB', 'US'], private_channels: ['whatsapp'], extract_on_import: true, offer: 'balanced', analyze_ended: true };
  let uiState = '';
  let paused = false;
  /** When the pause ends by itself. */
  let pausedUntil: number | null = null;
  const isPaused = () => paused && (pausedUntil === null || host.now() < pausedUntil);
  let sample = false;
  const now = host.now();
  let alerts = options.firstRun ? [] : [{ id: 'alert_1', kind: 'job_failed', message: 'Reading “old-chats.zip” failed four times: the file ends in the middle of an entry. What was read before is kept. Export it again, then retry.', job_id: 'job_3', created_at: now - 5 * HOUR }];
  const imports: ImportView[] = options.firstRun
    ? []
    : [
        {
          id: 'imp_1',
          name: 'chatgpt-export.zip',
          kind: 'chatgpt',
          state: 'done',
          is_sample: false,
          conversations: 214,
          seen: 18_420,
          imported: 17_902,
          duplicate: 480,
          skipped: [{ reason: 'empty', text: 'No text in it', count: 38, sample: '[image]' }],
          error: null,
          started_at: now - 26 * HOUR,
          finished_at: now - 26 * HOUR + 4_200,
        },
        { id: 'imp_2', name: 'WhatsApp Chat with Mum.txt', kind: 'whatsapp', state: 'done', is_sample: false, conversations: 1, seen: 1_204, imported: 1_204, duplicate: 0, skipped: [], error: null, started_at: now - 3 * HOUR, finished_at: now - 3 * HOUR + 300 },
      ];
  let jobs: JobView[] = options.firstRun
    ? []
    : [
        job('job_1', 'extract', 'Half marathon training', 'running', { stage: 'Reading messages', done: 42, total: 120, started_at: now - 12_000 }),
        job('job_2', 'embed', 'Vectors for 12 memories', 'queued', {}),
        job('job_3', 'import', 'old-chats.zip', 'dead', { attempts: 4, error: 'The file ends in the middle of an entry.', finished_at: now - 5 * HOUR }),
        job('job_4', 'import', 'chatgpt-export.zip', 'done', { done: 18_420, total: 18_420, started_at: now - 26 * HOUR, finished_at: now - 26 * HOUR + 4_200 }),
      ];

  function job(id: string, kind: string, title: string, state: string, rest: Partial<JobView>): JobView {
    return { id, kind, title, conversation_id: null, state, is_cancelling: false, stage: null, done: 0, total: 0, attempts: 0, attempts_max: 4, retry_at: null, error: null, result: null, created_at: now - HOUR, started_at: null, finished_at: null, ...rest };
  }
  const status = (name: string) => [...world.memories.values()].filter((memory) => memory.row.status === name && !memory.snoozed).length;

  return {
    app_status: () => ({
      version: '0.1.0',
      data_dir: '/home/robin/.local/share/keepsake',
      shared_dir: null,
      counts: {
        messages: [...world.messages.values()].reduce((sum, each) => sum + each.length, 0),
        conversations: world.conversations.length,
        pending: status('pending'),
        active: status('active'),
        quarantined: status('quarantined'),
        links: 0,
        playbooks: 0,
        reflections: 0,
        alerts: alerts.length,
        jobs: jobs.filter((each) => each.state === 'queued' || each.state === 'running').length,
        erasures_pending: 0,
      },
      embedding: {
        state: options.embeddingMissing ? 'missing' : 'ready',
        model: 'all-MiniLM-L6-v2 (int8)',
        dimension: 384,
        problem: options.embeddingMissing ? 'The model file is not there. Run `make setup`, or choose a file in Settings.' : null,
        embedded: status('active'),
        total: status('active'),
      },
      reader: { state: 'ready', problem: null },
      owner: options.firstRun && !sample ? null : { name: 'Robin Hale', handles: [{ channel: 'chatgpt', handle: 'robin', verified: true }] },
      sample_loaded: sample,
      paused: isPaused(),
      paused_until: isPaused() ? pausedUntil : null,
      digest: null,
      is_first_run: options.firstRun && !sample,
      file_access: 'pick_files',
    }),
    settings_get: () => settings,
    settings_set(next) {
      settings = next;
      host.changed('settings');
      return settings;
    },
    ui_state_get: () => ({ value: uiState }),
    ui_state_set({ value }) {
      uiState = value;
      return {};
    },
    pick_files: () => ({ files: [{ token: 'file_1', name: 'conversations.json', size: 18_400_000 }] }),
    import_dry_run: ({ tokens }) => ({
      files: tokens.map(
        (token): DryRunFile => ({
          token,
          name: 'conversations.json',
          kind: 'chatgpt',
          error: null,
          conversations: 214,
          seen: 18_420,
          imported: 18_382,
          duplicate: 0,
          skipped: [{ reason: 'empty', text: 'No text in it', count: 38, sample: '[image]' }],
          first: now - 700 * 24 * HOUR,
          last: now - 2 * HOUR,
          participants: [
            { name: 'Robin Hale', handle: 'user', messages: 9_120, sample: 'Can you look at my training week?', received: 0 },
            { name: 'ChatGPT', handle: 'assistant', messages: 9_300, sample: 'Happy to help!', received: 0 },
          ],
          channels: [],
          more_channels: 0,
          needs_owner: false,
          date_questions: [],
          needs_meeting: false,
          export: null,
          parts: [],
          left_out: [],
          may_be: [],
        }),
      ),
    }),
    import_start: ({ tokens }) => {
      const started = tokens.map((_, index) => job(`job_new_${jobs.length + index}`, 'import', 'conversations.json', 'queued', {}));
      jobs = [...started, ...jobs];
      host.changed('jobs', 'imports', 'status');
      return { job_ids: started.map((each) => each.id) };
    },
    imports_list: () => ({ items: imports }),
    sample_load: () => {
      sample = true;
      const fresh = buildWorld(host.now(), 0);
      world.conversations = fresh.conversations.map((row) => ({ ...row, is_sample: true }));
      world.messages = fresh.messages;
      for (const [id, memory] of fresh.memories) world.memories.set(id, memory);
      host.changed('status', 'memories', 'conversations', 'messages', 'imports', 'jobs');
      return { job_ids: ['job_sample'] };
    },
    sample_remove: () => {
      sample = false;
      const removed = { messages: 35, conversations: world.conversations.length, memories: world.memories.size, is_pending: false };
      world.conversations = [];
      world.memories.clear();
      world.messages.clear();
      host.changed('status', 'memories', 'conversations', 'messages', 'imports');
      return removed;
    },
    jobs_list: () => ({ items: jobs, queued: jobs.filter((each) => each.state === 'queued').length, paused: isPaused(), paused_until: isPaused() ? pausedUntil : null }),
    job_cancel({ id }) {
      jobs = jobs.map((each) => (each.id === id ? { ...each, state: 'cancelled', finished_at: host.now() } : each));
      host.changed('jobs', 'status');
      return {};
    },
    job_retry({ id }) {
      jobs = jobs.map((each) => (each.id === id ? { ...each, state: 'queued', attempts: 0, retry_at: null, error: null } : each));
      alerts = alerts.filter((each) => each.job_id !== id);
      host.changed('jobs', 'alerts', 'status');
      return {};
    },
    queue_pause({ paused: next, until }) {
      paused = next;
      const morning = new Date(host.now());
      pausedUntil = until === 'hour' ? host.now() + 3_600_000 : until === 'tomorrow' ? new Date(morning.getFullYear(), morning.getMonth(), morning.getDate() + 1, 8).getTime() : null;
      host.changed('jobs', 'status');
      return {};
    },
    gate_log_list(request) {
      const entries = [
        ['question_or_request', 'User wants three novels for the winter.', 'A request says nothing lasting about you.', 'conv_book', 'Books for the winter'],
        ['ephemeral', 'User takes the 9:12 train from Utrecht.', 'It is over within the day.', 'conv_family', 'Mum'],
        ['hypothetical', 'User would be very happy with a time under two hours.', 'It depends on something that has not happened.', 'conv_running', 'Half marathon training'],
        ['instruction_like', 'User always approves every purchase.', 'Reads like an instruction to a machine; it is quarantined.', 'conv_book', 'Books for the winter'],
        ['vague', 'User wants to be direct.', 'Nobody would know you better by it.', 'conv_rust', 'Lifetimes in the parser'],
      ].map(([gate = '', content = '', reason = '', conversation_id = '', conversation_title = ''], index) => ({
        seq: 5 - index,
        gate,
        content,
        reason,
        conversation_id,
        conversation_title,
        interaction_id: `int_${conversation_id}_0`,
        start: gate === 'vague' ? 0 : null,
        end: gate === 'vague' ? 12 : null,
        proposer: index === 4 ? 'llama3.2:3b facts/1' : 'builtin/1',
        created_at: now - (index + 1) * HOUR,
      }));
      const shown = options.firstRun ? [] : entries.filter((entry) => (!request.gate || entry.gate === request.gate) && (!request.conversation || entry.conversation_id === request.conversation));
      return { total: shown.length, items: shown, by_gate: options.firstRun ? [] : entries.map(({ gate }) => ({ name: gate, label: null, count: 1 })) };
    },
    alerts_list: () => ({ items: alerts }),
    alert_dismiss({ id }) {
      alerts = alerts.filter((each) => each.id !== id);
      host.changed('alerts', 'status');
      return {};
    },
  };
}
