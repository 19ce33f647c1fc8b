/** The fake host's cleanup proposals: some of each kind, with the lifecycle, runs and undo of real ones. */
import type { ReflectionDetail, ReflectionListRow, ReflectionSide } from '../../api/schema';
import type { AllHandlers, Handlers, Host } from './index';
import { settingsOf } from './system';
import { DAY, type World, found, messagesOf } from './world';

interface Invented {
  readonly id: string;
  readonly kind: 'archive' | 'merge';
  readonly reason: string;
  readonly contents: readonly string[];
  readonly keep?: number;
}

const INVENTED: readonly Invented[] = [
  { id: 'rfl_marathon', kind: 'archive', reason: 'The year it was planned for is over.', contents: ['User wants to run the Porto marathon in 2024'] },
  { id: 'rfl_tired', kind: 'archive', reason: 'It was how somebody felt that day.', contents: ['User is really tired'] },
  { id: 'rfl_hiking', kind: 'merge', reason: 'Both say the same; the more detailed one is kept.', contents: ['User enjoys hiking', 'User loves weekend hiking trips'], keep: 1 },
];

const STATE = { archive: 'set_aside', merge: 'folded' } as const;

export function reflectionCommands(world: World, host: Host, known: AllHandlers): Handlers {
  const status = new Map(INVENTED.map((each) => [each.id, 'open']));
  let run: { id: string; summary: string; at: number; before: Map<string, string> } | null = null;
  let drawn = 0;
  const settings = settingsOf<{ automatic: string[] }>(host, { automatic: [] }, 'settings');

  const rowOf = (each: Invented): ReflectionListRow => ({
    id: each.id,
    kind: each.kind,
    status: status.get(each.id) ?? 'open',
    is_parked_by_age: false,
    title: each.contents[each.keep ?? 0] ?? '',
    memories: each.contents.length,
    reason: each.reason,
    visibility: 'private',
    found: host.now() - DAY,
    changed: host.now() - DAY,
  });
  const find = (id: string) => found(INVENTED.find((each) => each.id === id), 'proposal');
  const source = (each: Invented, at: number) => {
    const conversation = world.conversations[at % world.conversations.length];
    const message = messagesOf(world, conversation?.id ?? '')[0];
    return {
      memory_id: `mem_${each.id}_${at}`,
      conversation_id: conversation?.id ?? '',
      title: conversation?.title ?? '',
      message_id: message?.id ?? '',
      author: 'Robin',
      time: host.now() - (at + 2) * DAY,
      quote: each.contents[at]?.replace('User ', 'I ') ?? '',
    };
  };
  const undo = () => {
    if (!run) return { summary: null };
    for (const [id, was] of run.before) status.set(id, was);
    const { summary } = run;
    run = null;
    host.changed('reflections', 'memories');
    return { summary: `Undid: ${summary}` };
  };

  const undoMemories = known.undo;
  return {
    // A run of reflection is an operation like any other.
    undo: (request) => (request.operation_id?.startsWith('op_tidy') ? { operation_id: request.operation_id, summary: undo().summary ?? '', restored: [] } : undoMemories(request)),
    reflections_list: () => ({
      items: world.conversations.length === 0 ? [] : INVENTED.map(rowOf),
      run: run ? { operation_id: run.id, summary: run.summary, at: run.at } : null,
      job_id: null,
    }),
    reflection_get: ({ id }): ReflectionDetail => {
      const each = find(id);
      const before: ReflectionSide[] = each.contents.map((content, at) => ({ memory_id: `mem_${each.id}_${at}`, content, sources: 1, state: 'in_use' }));
      const after: ReflectionSide[] = before.map((side, at) => ({
        ...side,
        sources: at === each.keep ? before.length : 1,
        state: at === each.keep ? 'in_use' : STATE[each.kind],
      }));
      return {
        row: rowOf(each),
        before,
        after,
        sources: each.contents.map((_, at) => source(each, at)),
        proposer: 'builtin-reflection/1',
        operation_id: null,
      };
    },
    reflections_decide: ({ ids, status: to }) => {
      const needs_look = ids.filter((id) => status.get(id) === 'applied').map((id) => ({ id, reason: `a proposal that is applied cannot become ${to}` }));
      for (const id of ids) if (status.get(find(id).id) !== 'applied') status.set(id, to);
      host.changed('reflections');
      return { needs_look };
    },
    reflections_apply: ({ ids }) => {
      const chosen = (ids ?? INVENTED.filter((each) => status.get(each.id) === 'accepted').map((each) => each.id)).filter((id) => ['open', 'accepted'].includes(status.get(id) ?? ''));
      if (chosen.length === 0) return { operation_id: null, summary: '', applied: 0, needs_look: [] };
      drawn += 1;
      run = { id: `op_tidy_${drawn}`, summary: `Cleanup (${chosen.length} changes)`, at: host.now(), before: new Map(chosen.map((id) => [id, status.get(id) ?? 'open'])) };
      for (const id of chosen) status.set(id, 'applied');
      host.changed('reflections', 'memories');
      return { operation_id: run.id, summary: run.summary, applied: chosen.length, needs_look: [] };
    },
    reflections_undo: undo,
    reflections_look: () => ({ job_id: 'job_reflect' }),
    reflection_settings_get: settings.get,
    reflection_settings_set: settings.set,
  };
}
