/** One agent: what it was served, its settings, and for an agent with a token its channels, its last use and what can be done. */
import { Bot, CirclePause } from 'lucide-react';
import { type AgentAccessView, type AgentRow, call } from '../../api';
import { Badge, Button, Switch, cx, relativeTime } from '../../design';
import { perform, useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Agents.module.css';
import { setPaused } from './access';
import panel from './Sessions.module.css';

function setMemory(name: string, remembers: boolean): void {
  void perform({
    text: t.sessions.memorySet(name, remembers),
    changes: [{ id: name, to: { skips_memory: !remembers }, from: { skips_memory: remembers } }],
    send: () => call('agent_choose', { name, skips_memory: !remembers, holds_goals: null }),
    undo: () => call('agent_choose', { name, skips_memory: remembers, holds_goals: null }),
  });
}

function setGoals(name: string, holds: boolean): void {
  void perform({
    text: t.sessions.goalsSet(name, holds),
    changes: [{ id: name, to: { holds_goals: holds }, from: { holds_goals: !holds } }],
    send: () => call('agent_choose', { name, skips_memory: null, holds_goals: holds }),
    undo: () => call('agent_choose', { name, skips_memory: null, holds_goals: !holds }),
  });
}

interface AgentCardProps {
  readonly agent: AgentRow;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
}

export function AgentCard({ agent, onRenew, onRemove }: AgentCardProps) {
  const now = useNow();
  const words = t.sessions;
  const { access } = agent;
  const last = agent.last_read === null ? '' : relativeTime(agent.last_read, now);
  const isPaused = access?.is_paused ?? false;
  const Icon = isPaused ? CirclePause : Bot;
  return (
    <li className={panel.card} data-testid={TESTIDS.agentCard} data-agent={agent.name} data-paused={isPaused || undefined}>
      <span className={css.icon} data-paused={isPaused || undefined}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <span className={panel.cardWords}>
        <span className={css.name}>
          <span>{agent.name}</span>
          {isPaused ? <Badge tone="warn">{t.agents.paused}</Badge> : null}
        </span>
        <span className={css.hint}>{words.agentFacts(agent.sessions, agent.messages)}</span>
        <span className={css.hint}>{words.agentReads(agent.reads, last)}</span>
        {agent.visibility ? <span className={css.hint}>{nameOf(words.level, agent.visibility)}</span> : null}
        {access ? <Access name={agent.name} access={access} now={now} onRenew={onRenew} onRemove={onRemove} /> : null}
      </span>
      <span className={cx(panel.switches, css.switches)}>
        <span className={panel.switchRow}>
          <span aria-hidden="true">{words.remembers}</span>
          <Switch label={words.remembersOf(agent.name)} checked={!agent.skips_memory} testId={TESTIDS.agentMemory} onChange={(next) => setMemory(agent.name, next)} />
        </span>
        <span className={panel.switchRow}>
          <span aria-hidden="true">{words.goals}</span>
          <Switch label={words.goalsOf(agent.name)} checked={agent.holds_goals} testId={TESTIDS.agentGoals} onChange={(next) => setGoals(agent.name, next)} />
        </span>
        {access ? (
          <span className={panel.switchRow}>
            <span aria-hidden="true">{t.agents.paused}</span>
            <Switch label={t.agents.pausedOf(agent.name)} checked={isPaused} testId={TESTIDS.agentPause} onChange={(next) => setPaused(agent.name, access, next)} />
          </span>
        ) : null}
      </span>
    </li>
  );
}

interface AccessProps {
  readonly name: string;
  readonly access: AgentAccessView;
  readonly now: number;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
}

function Access({ name, access, now, onRenew, onRemove }: AccessProps) {
  const words = t.agents;
  return (
    <span className={css.access} data-testid={TESTIDS.agentAccess}>
      <span className={css.hint}>{words.access(access.talks_with_others, access.channels)}</span>
      <span className={css.hint}>{access.last_used === null ? words.neverUsed : words.lastUsed(relativeTime(access.last_used, now))}</span>
      {access.is_paused ? <span className={css.hint}>{words.pausedText}</span> : null}
      <span className={css.acts}>
        <Button size="s" label={words.renewOf(name)} testId={TESTIDS.agentRenew} onClick={onRenew}>
          {words.renew}
        </Button>
        <Button size="s" tone="danger" label={words.removeOf(name)} testId={TESTIDS.agentRemove} onClick={onRemove}>
          {words.remove}
        </Button>
      </span>
    </span>
  );
}
