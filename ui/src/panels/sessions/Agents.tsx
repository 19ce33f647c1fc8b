/**
 * The settings of agents (whether their sessions are summarized, whether they may have goals), their access log, and the roles of
 * people.
 */
import { Bot, User } from 'lucide-react';
import type { ReactNode } from 'react';
import { type AgentRow, type PersonRoleView, call, useRpc } from '../../api';
import { byId, useLaid } from '../../api/laid';
import { Button, ErrorState, LoadingRows, PaneBody, PaneHeader, Segmented, Switch, fullTime, relativeTime } from '../../design';
import { useNow } from '../../state/clock';
import { perform } from '../../state/decisions';
import { go } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Sessions.module.css';

type Role = 'guest' | 'friend';
const NO_AGENTS: readonly AgentRow[] = [];
const NOBODY: readonly PersonRoleView[] = [];
const ROLES: readonly Role[] = ['guest', 'friend'];

const agentName = (agent: { readonly name: string }): string => agent.name;

function setMemory(name: string, remembers: boolean): void {
  void perform({
    text: t.sessions.memorySet(name, remembers),
    changes: [{ id: name, to: { skips_memory: !remembers }, from: { skips_memory: remembers } }],
    send: () => call('agent_choose', { name, skips_memory: !remembers, holds_goals: null }),
    takeBack: () => call('agent_choose', { name, skips_memory: remembers, holds_goals: null }),
  });
}

function setGoals(name: string, holds: boolean): void {
  void perform({
    text: t.sessions.goalsSet(name, holds),
    changes: [{ id: name, to: { holds_goals: holds }, from: { holds_goals: !holds } }],
    send: () => call('agent_choose', { name, skips_memory: null, holds_goals: holds }),
    takeBack: () => call('agent_choose', { name, skips_memory: null, holds_goals: !holds }),
  });
}

function setRole(person: PersonRoleView, role: Role): void {
  void perform({
    text: t.sessions.roleSet(person.name, nameOf(t.sessions.roles, role)),
    changes: [{ id: person.id, to: { role }, from: { role: person.role } }],
    send: () => call('person_role_set', { id: person.id, role }),
    takeBack: () => call('person_role_set', { id: person.id, role: person.role }),
  });
}

export function Agents({ tabs }: { tabs: ReactNode }) {
  const { data, error, refetch } = useRpc('agents_overview', {});
  const agents = useLaid(data, data?.agents ?? NO_AGENTS, agentName);
  const people = useLaid(data, data?.people ?? NOBODY, byId);
  const words = t.sessions;
  return (
    <div className={css.panel}>
      <PaneHeader title={t.panels.sessions}>{tabs}</PaneHeader>
      {error && !data ? (
        <ErrorState title={words.agentsFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows />
      ) : (
        <PaneBody label={words.agentsTitle}>
          <div className={css.measure}>
            <h2 className={css.heading}>{words.agentsTitle}</h2>
            <p className={css.hint}>
              {words.agentsText}{' '}
              <Button
                size="s"
                tone="quiet"
                onClick={() => {
                  setUiState('privacy.tab', 'agents');
                  go('privacy');
                }}
              >
                {words.toPrivacy}
              </Button>
            </p>
            <ul className={css.cards}>
              {agents.map((agent) => (
                <Card key={agent.name} agent={agent} />
              ))}
              {agents.length === 0 ? <li className={css.none}>{words.agentsNone}</li> : null}
            </ul>
            <h2 className={css.heading}>{words.peopleTitle}</h2>
            <p className={css.hint}>{words.peopleText}</p>
            <ul className={css.cards}>
              {people.map((person) => (
                <li key={person.id} className={css.card} data-testid={TESTIDS.personRole} data-person={person.id}>
                  <User size={16} aria-hidden="true" />
                  <span className={css.cardName}>{person.name}</span>
                  <Segmented<Role>
                    label={words.roleOf(person.name)}
                    value={person.role === 'friend' ? 'friend' : 'guest'}
                    choices={ROLES.map((value) => ({ value, label: nameOf(words.roles, value) }))}
                    onChange={(role) => {
                      if (role !== person.role) setRole(person, role);
                    }}
                  />
                </li>
              ))}
              {people.length === 0 ? <li className={css.none}>{words.peopleNone}</li> : null}
            </ul>
            <h2 className={css.heading}>{words.readsTitle}</h2>
            <p className={css.hint}>{words.readsText}</p>
            <ul className={css.cards}>
              {data.reads.map((read) => (
                <li key={read.id} className={css.read} data-testid={TESTIDS.agentRead}>
                  <span className={css.cardName}>{read.agent || words.readNobody}</span>
                  <span>{nameOf(words.readKinds, read.kind)}</span>
                  {read.person ? <span>{words.readWith(read.person)}</span> : null}
                  <span className="num">{words.read(number(read.chars), read.items)}</span>
                  <span className="num">{fullTime(read.at)}</span>
                </li>
              ))}
              {data.reads.length === 0 ? <li className={css.none}>{words.readsNone}</li> : null}
            </ul>
          </div>
        </PaneBody>
      )}
    </div>
  );
}

function Card({ agent }: { agent: AgentRow }) {
  const now = useNow();
  const words = t.sessions;
  const last = agent.last_read === null ? '' : relativeTime(agent.last_read, now);
  return (
    <li className={css.card} data-testid={TESTIDS.agentCard} data-agent={agent.name}>
      <Bot size={16} aria-hidden="true" />
      <span className={css.cardWords}>
        <span className={css.cardName}>{agent.name}</span>
        <span className={css.hint}>{words.agentFacts(agent.sessions, agent.messages)}</span>
        <span className={css.hint}>{words.agentReads(agent.reads, last)}</span>
        {agent.visibility ? <span className={css.hint}>{nameOf(words.level, agent.visibility)}</span> : null}
      </span>
      <span className={css.switches}>
        <span className={css.switchRow}>
          <span aria-hidden="true">{words.remembers}</span>
          <Switch label={words.remembersOf(agent.name)} checked={!agent.skips_memory} testId={TESTIDS.agentMemory} onChange={(next) => setMemory(agent.name, next)} />
        </span>
        <span className={css.switchRow}>
          <span aria-hidden="true">{words.goals}</span>
          <Switch label={words.goalsOf(agent.name)} checked={agent.holds_goals} testId={TESTIDS.agentGoals} onChange={(next) => setGoals(agent.name, next)} />
        </span>
      </span>
    </li>
  );
}
