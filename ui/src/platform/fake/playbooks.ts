/** The fake host's playbooks: some to decide on, with the lifecycle and the undo of real ones. */
import type { PlaybookDetail, PlaybookListRow } from '../../api/schema';
import { RpcError } from '../types';
import type { World } from './data';
import type { Handlers, Host } from './index';

const DAY_MS = 24 * 60 * 60 * 1000;

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

const INVENTED: readonly Invented[] = [
  {
    id: 'pbk_release',
    title: 'gh release create after Edit, cargo test and git tag',
    steps: [
      ['Edit', 'Edit', 'Edit CHANGELOG.md Cargo.toml'],
      ['cargo test', 'cargo', 'cargo test'],
      ['git tag', 'git', 'git tag {version}'],
      ['gh release create', 'gh', 'gh release create {version} --notes-file {notes_file}'],
    ],
    parameters: [
      ['version', [3, 4], 6],
      ['notes_file', [4], 2],
    ],
    confidence: 'high',
    status: 'candidate',
    occurrences: 6,
    against: ['failed'],
  },
  {
    id: 'pbk_review',
    title: 'Write after gh pr checkout, npm run test and Grep',
    steps: [
      ['gh pr checkout', 'gh', 'gh pr checkout {number}'],
      ['npm run test', 'npm', 'npm run test'],
      ['Grep', 'Grep', 'Grep pattern={pattern}'],
      ['Write', 'Write', 'Write review.md'],
    ],
    parameters: [
      ['number', [1], 4],
      ['pattern', [3], 4],
    ],
    confidence: 'medium',
    status: 'candidate',
    occurrences: 4,
    against: ['ended_otherwise', 'other_order'],
  },
  {
    id: 'pbk_deploy',
    title: 'kubectl apply after docker build, docker push and Edit',
    steps: [
      ['docker build', 'docker', 'docker build -t app:{version} .'],
      ['docker push', 'docker', 'docker push app:{version}'],
      ['Edit', 'Edit', 'Edit deploy/app.yaml'],
      ['kubectl apply', 'kubectl', 'kubectl apply -f deploy/app.yaml'],
    ],
    parameters: [['version', [1, 2], 3]],
    confidence: 'medium',
    status: 'approved',
    occurrences: 3,
    against: [],
    words: { when: 'When a new version of the app is deployed: build and push its image, then apply the deployment.', purposes: ['Build the image of the version', 'Push the image', null, 'Apply the deployment'] },
  },
];

export function playbookCommands(world: World, host: Host): Handlers {
  const status = new Map(INVENTED.map((each) => [each.id, each.status]));
  const decisions = new Map<string, { id: string; from: string }>();
  let drawn = 0;
  let webhook: string | null = null;

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
    found: host.now() - 3 * DAY_MS,
    last: host.now() - DAY_MS,
    version: each.words ? 2 : 1,
  });
  const ORDER = ['candidate', 'approved', 'rejected', 'parked'];
  const rows = () => (world.conversations.length === 0 ? [] : INVENTED.map(rowOf).toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)));
  const find = (id: string): Invented => {
    const found = INVENTED.find((each) => each.id === id);
    if (!found) throw new RpcError('not_found', `there is no playbook ${id}`);
    return found;
  };
  const session = (at: number, against: string | null) => {
    const conversation = world.conversations[at % world.conversations.length];
    const messages = (world.messages.get(conversation?.id ?? '') ?? []).slice(0, against === null ? 4 : 1);
    return { conversation_id: conversation?.id ?? '', title: conversation?.title ?? '', message_ids: messages.map((each) => each.id), time: host.now() - (at + 1) * DAY_MS, against };
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
      if (from === to || (from === 'rejected' && to !== 'candidate')) throw new RpcError('refused', `a playbook that is ${from} cannot become ${to}; restore it first`);
      drawn += 1;
      decisions.set(`pbd_${drawn}`, { id: each.id, from });
      status.set(each.id, to);
      host.changed('playbooks');
      return { decision_id: `pbd_${drawn}` };
    },
    playbook_undo: ({ id }) => {
      const decision = decisions.get(id);
      if (!decision) throw new RpcError('not_found', `there is no decision ${id}`);
      status.set(decision.id, decision.from);
      decisions.delete(id);
      host.changed('playbooks');
      return {};
    },
    playbook_export: ({ id, dir }) => {
      if (status.get(find(id).id) !== 'approved') throw new RpcError('refused', 'this playbook is not approved');
      if (!dir.startsWith('/')) throw new RpcError('refused', 'the path of the folder is not absolute; enter the full path');
      return { path: `${dir}/${id.replace('pbk_', '')}/SKILL.md` };
    },
    playbooks_refresh: () => ({}),
    playbook_settings_get: () => ({ webhook }),
    playbook_settings_set(next) {
      webhook = next.webhook;
      host.changed('settings');
      return { webhook };
    },
  };
}

/** Number of playbooks that are waiting for a decision. */
export const playbooksWaiting = (handlers: Handlers): number => handlers.playbooks_list?.({}).items.filter((each) => each.status === 'candidate').length ?? 0;
