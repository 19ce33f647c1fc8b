/** The fake host's audit: one finding of each kind, about memories in use. */
import type { AuditFindingView } from '../../api/schema';
import type { World } from './data';
import type { Handlers, Host } from './index';

export function auditCommands(world: World, host: Host): Handlers {
  const finding = (fault: string, proposal: string, at: number, reason: string, isPair: boolean): AuditFindingView | null => {
    const active = [...world.memories.values()].filter((memory) => memory.row.status === 'active');
    const memory = active[at % Math.max(1, active.length)];
    const other = active[(at + 1) % Math.max(1, active.length)];
    if (!memory || (isPair && !other)) return null;
    const after = proposal === 'archive' ? null : isPair ? (other?.row.content ?? null) : memory.row.content;
    return {
      fault,
      memory_id: memory.row.id,
      before: memory.row.content,
      after,
      other_id: isPair ? (other?.row.id ?? null) : null,
      other: isPair ? (other?.row.content ?? null) : null,
      reason,
      proposal,
      quotes: fault === 'unsupported' ? [] : ['I said so on the way home.'],
    };
  };
  return {
    audit_run: () => {
      const memories = [...world.memories.values()].filter((memory) => memory.row.status === 'active').length;
      const findings = [
        finding('unsupported', 'archive', 0, 'None of its source messages exists any more.', false),
        finding('contradiction', 'correct', 1, 'Both cannot be true at the same time.', true),
        finding('duplicate', 'merge', 3, 'Another memory says the same.', true),
        finding('stale', 'reconfirm', 5, 'It was about a situation that nobody has mentioned for half a year.', false),
      ].filter((each) => each !== null);
      const share = (fault: string, count: number) => ({ fault, count, low: count === 0 ? 0 : 0.004, high: count === 0 ? 0.018 : 0.031 });
      const of = (fault: string) => share(fault, findings.filter((each) => each.fault === fault).length);
      return {
        memories: memories === 0 ? 0 : memories + 900,
        sampled: Math.min(200, memories === 0 ? 0 : memories + 900),
        seed: 1,
        at: host.now(),
        any: { ...share('any', findings.length), high: 0.056 },
        shares: ['unsupported', 'echoed', 'contradiction', 'duplicate', 'stale'].map(of),
        findings,
      };
    },
  };
}
