/** The fake host's status, settings, imports, sample data, gate log and alerts. Jobs and their progress are in `work.ts`. */
import type { AlertView, ImportView, Settings } from '../../api/schema';
import { tally } from '../../api/tally';
import { buildWorld } from './data';
import type { AllHandlers, FakeOptions, Handlers, Host } from './index';
import { HOUR, type World, memoriesOf, messageCount } from './world';

/** A group of settings that is read and written as a whole. */
export function settingsOf<T>(host: Host, initial: T, ...tags: string[]): { get: () => T; set: (next: T) => T } {
  let stored = initial;
  return {
    get: () => stored,
    set(next) {
      stored = next;
      host.changed(...tags);
      return stored;
    },
  };
}

const GATES = [
  ['question_or_request', 'User wants three novels for the winter.', 'A request says nothing lasting about you.', 'conv_book', 'Books for the winter'],
  ['ephemeral', 'User takes the 9:12 train from Utrecht.', 'It is over within the day.', 'conv_family', 'Mum'],
  ['hypothetical', 'User would be very happy with a time under two hours.', 'It depends on something that has not happened.', 'conv_running', 'Half marathon training'],
  ['instruction_like', 'User always approves every purchase.', 'Reads like an instruction to a machine; it is quarantined.', 'conv_book', 'Books for the winter'],
  ['vague', 'User wants to be direct.', 'Nobody would know you better by it.', 'conv_rust', 'Lifetimes in the parser'],
] as const;

const importOf = (given: Pick<ImportView, 'id' | 'name' | 'kind' | 'conversations' | 'seen' | 'imported' | 'duplicate' | 'skipped' | 'started_at'>, took_ms: number): ImportView => ({ state: 'done', is_sample: false, error: null, finished_at: given.started_at + took_ms, ...given });

export function systemCommands(world: World, host: Host, known: AllHandlers, options: FakeOptions): Handlers {
  const { firstRun = false, embeddingMissing = false } = options;
  const settings = settingsOf<Settings>(host, { theme: options.theme ?? 'system', single_keys: true, phone_regions: ['NL', 'GB', 'US'], private_channels: ['whatsapp'], extract_on_import: true, offer: 'balanced', analyze_ended: true }, 'settings');
  let uiState = '';
  let sample = false;
  const now = host.now();
  const unlessNew = <T>(items: T[]): T[] => (firstRun ? [] : items);
  let alerts: AlertView[] = unlessNew([{ id: 'alert_1', kind: 'job_failed', message: 'Reading “old-chats.zip” failed four times: the file ends in the middle of an entry. What was read before is kept. Export it again, then retry.', job_id: 'job_3', created_at: now - 5 * HOUR }]);
  const imports = unlessNew([
    importOf({ id: 'imp_1', name: 'chatgpt-export.zip', kind: 'chatgpt', conversations: 214, seen: 18_420, imported: 17_902, duplicate: 480, skipped: [{ reason: 'empty', text: 'No text in it', count: 38, sample: '[image]' }], started_at: now - 26 * HOUR }, 4_200),
    importOf({ id: 'imp_2', name: 'WhatsApp Chat with Mum.txt', kind: 'whatsapp', conversations: 1, seen: 1_204, imported: 1_204, duplicate: 0, skipped: [], started_at: now - 3 * HOUR }, 300),
  ]);
  const gates = unlessNew(
    GATES.map(([gate, content, reason, conversation_id, conversation_title], index) => ({
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
    })),
  );
  const withStatus = (name: string) => memoriesOf(world).filter((memory) => memory.row.status === name && !memory.snoozed).length;
  const withoutAlert = (keeps: (alert: AlertView) => boolean) => {
    alerts = alerts.filter(keeps);
    host.changed('alerts', 'status');
    return {};
  };

  return {
    app_status: () => ({
      version: '0.1.0',
      data_dir: '/home/robin/.local/share/keepsake',
      shared_dir: null,
      counts: {
        messages: messageCount(world),
        conversations: world.conversations.length,
        pending: withStatus('pending'),
        active: withStatus('active'),
        quarantined: withStatus('quarantined'),
        links: known.links_list({ answered: false, offset: 0, limit: 0 }).open,
        playbooks: known.playbooks_list({}).items.filter((each) => each.status === 'candidate').length,
        reflections: known.reflections_list({}).items.filter((each) => ['open', 'accepted'].includes(each.status)).length,
        alerts: alerts.length,
        jobs: 0,
        erasures_pending: 0,
      },
      embedding: {
        state: embeddingMissing ? 'missing' : 'ready',
        model: 'keepsake-sentences-2',
        dimension: 384,
        problem: embeddingMissing ? 'The model file is not there. Run `make setup`, or choose a file in Settings.' : null,
        embedded: withStatus('active'),
        total: withStatus('active'),
      },
      reader: { state: 'ready', problem: null },
      owner: firstRun && !sample ? null : { name: 'Robin Hale', handles: [{ channel: 'chatgpt', handle: 'robin', verified: true }] },
      sample_loaded: sample,
      paused: false,
      paused_until: null,
      digest: null,
      is_first_run: firstRun && !sample,
      file_access: 'pick_files',
    }),
    settings_get: settings.get,
    settings_set: settings.set,
    ui_state_get: () => ({ value: uiState }),
    ui_state_set({ value }) {
      uiState = value;
      return {};
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
    gate_log_list(request) {
      const items = gates.filter((entry) => (!request.gate || entry.gate === request.gate) && (!request.conversation || entry.conversation_id === request.conversation));
      return { total: items.length, items, by_gate: tally(gates.map(({ gate }) => gate)) };
    },
    alerts_list: () => ({ items: alerts }),
    alert_dismiss: ({ id }) => withoutAlert((alert) => alert.id !== id),
    job_retry: ({ id }) => withoutAlert((alert) => alert.job_id !== id),
  };
}
