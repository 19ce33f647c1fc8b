/** The fake host's playbooks: some to decide on, with the lifecycle and the undo of real ones. */
import type { PlaybookDetail, PlaybookListRow } from '../../api/schema';
import playbooks from './data/playbooks.json';
import type { Handlers, Host } from './index';
import { settingsOf } from './system';
import { DAY, type World, found, messagesOf, refused } from './world';

interface Invented {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly (readonly [name: string, tool: string, text: string])[];
  readonly parameters: readonly (readonly [name: string, steps: readonly number[], values: number])[];
  readonly confidence: string;
  readonly status: string;
  readonly occurrences: number;
  readonly against: readonly string[];
  /** The wording by a model. */
  readonly words?: { readonly when: string; readonly purposes: readonly (string | null)[] };
}

const INVENTED = playbooks as unknown as readonly Invented[];
const ORDER = ['candidate', 'approved', 'rejected', 'parked'];

export function playbookCommands(world: World, host: Host): Handlers {
  const status = new Map(INVENTED.map((each) => [each.id, each.status]));
  const decisions = new Map<string, { id: string; from: string }>();
  let drawn = 0;
  const settings = settingsOf<{ webhook: string | null }>(host, { webhook: null }, 'settings');

  const rowOf = (each: Invented): PlaybookListRow => ({
    id: each.id,
    title: each.title,
    tools: [...new Set(each.steps.map(([, tool]) => tool))],
    steps: each.steps.length,
    occurrences: each.occurrences,
    against: each.against.length,
    confidence: each.confidence,
    status: status.get(each.id) ?? 'candidate',
    is_parked_by_age: false,
    found: host.now() - 3 * DAY,
    last: host.now() - DAY,
    version: each.words ? 2 : 1,
  });
  const rows = () => (world.conversations.length === 0 ? [] : INVENTED.map(rowOf).toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)));
  const find = (id: string) => found(INVENTED.find((each) => each.id === id), 'playbook');
  const session = (at: number, against: string | null) => {
    const conversation = world.conversations[at % world.conversations.length];
    const messages = messagesOf(world, conversation?.id ?? '').slice(0, against === null ? 4 : 1);
    return { conversation_id: conversation?.id ?? '', title: conversation?.title ?? '', message_ids: messages.map((each) => each.id), time: host.now() - (at + 1) * DAY, against };
  };

  return {
    playbooks_list: () => ({ items: rows() }),
    playbook_get: ({ id }): PlaybookDetail => {
      const each = find(id);
      return {
        row: rowOf(each),
        description: each.words?.when ?? null,
        steps: each.steps.map(([name, tool, text], at) => ({ name, tool, text, purpose: each.words?.purposes[at] ?? null })),
        parameters: each.parameters.map(([name, steps, values]) => ({ name, steps: [...steps], values })),
        supporting: Array.from({ length: each.occurrences }, (_, at) => session(at, null)),
        contradicting: each.against.map((why, at) => session(at, why)),
        proposer: each.words ? 'llama3.2:3b playbook/1' : 'builtin/playbooks/2',
      };
    },
    playbook_decide: ({ id, status: to }) => {
      const each = find(id);
      const from = status.get(each.id) ?? 'candidate';
      if (from === to || (from === 'rejected' && to !== 'candidate')) throw refused(`a playbook that is ${from} cannot become ${to}; restore it first`);
      drawn += 1;
      decisions.set(`pbd_${drawn}`, { id: each.id, from });
      status.set(each.id, to);
      host.changed('playbooks');
      return { decision_id: `pbd_${drawn}` };
    },
    playbook_undo: ({ id }) => {
      const decision = found(decisions.get(id), 'decision');
      status.set(decision.id, decision.from);
      decisions.delete(id);
      host.changed('playbooks');
      return {};
    },
    playbook_export: ({ id, dir }) => {
      if (status.get(find(id).id) !== 'approved') throw refused('this playbook is not approved');
      if (!dir.startsWith('/')) throw refused('the path of the folder is not absolute; enter the full path');
      return { path: `${dir}/${id.replace('pbk_', '')}/SKILL.md` };
    },
    playbook_settings_get: settings.get,
    playbook_settings_set: settings.set,
  };
}
