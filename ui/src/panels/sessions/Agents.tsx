/**
 * The agents: adding one, the settings of each (its token, whether its sessions are summarized, whether it may have goals), their
 * access log, and the roles of people.
 */
import { Plus, User } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AgentRow, type AgentToken, type PersonRoleView, byId, call, useRpc, useWithLayers } from '../../api';
import { Button, ErrorState, LoadingRows, PaneBody, PaneHeader, Segmented } from '../../design';
import { useActions } from '../../keys';
import { go, perform, setUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { AccessLog } from './AccessLog';
import { AddAgent } from './AddAgent';
import { AgentCard } from './AgentCard';
import { AskRemove, AskRenew, TokenDialog } from './AgentDialogs';
import { agentName } from './access';
import added from './Agents.module.css';
import css from './Sessions.module.css';

type Role = 'guest' | 'friend';
const NO_AGENTS: readonly AgentRow[] = [];
const NOBODY: readonly PersonRoleView[] = [];
const ROLES: readonly Role[] = ['guest', 'friend'];

/** The dialog that is open. A token is held only while it is shown. */
type Open = { readonly kind: 'add' } | { readonly kind: 'renew' | 'remove'; readonly name: string } | { readonly kind: 'token'; readonly made: AgentToken; readonly isNew: boolean };

function setRole(person: PersonRoleView, role: Role): void {
  void perform({
    text: t.sessions.roleSet(person.name, nameOf(t.sessions.roles, role)),
    changes: [{ id: person.id, to: { role }, from: { role: person.role } }],
    send: () => call('person_role_set', { id: person.id, role }),
    undo: () => call('person_role_set', { id: person.id, role: person.role }),
  });
}

export function Agents({ tabs }: { tabs: ReactNode }) {
  const { data, error, refetch } = useRpc('agents_overview', {});
  const agents = useWithLayers(data, data?.agents ?? NO_AGENTS, agentName);
  const people = useWithLayers(data, data?.people ?? NOBODY, byId);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const add = () => setOpen({ kind: 'add' });
  useActions('sessions', { 'sessions.addAgent': add });
  const words = t.sessions;
  return (
    <div className={css.panel}>
      <PaneHeader title={t.panels.sessions}>{tabs}</PaneHeader>
      {error && !data ? (
        <ErrorState title={t.app.agentsFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows />
      ) : (
        <PaneBody label={words.agentsTitle}>
          <div className={css.measure}>
            <div className={added.sectionHead}>
              <h2 className={added.sectionTitle}>{words.agentsTitle}</h2>
              <Button action="sessions.addAgent" icon={<Plus size={14} aria-hidden="true" />} testId={TESTIDS.agentNew} onClick={add}>
                {t.agents.add}
              </Button>
            </div>
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
                <AgentCard key={agent.name} agent={agent} onRenew={() => setOpen({ kind: 'renew', name: agent.name })} onRemove={() => setOpen({ kind: 'remove', name: agent.name })} />
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
            <AccessLog reads={data.reads} />
          </div>
        </PaneBody>
      )}
      {open?.kind === 'add' ? <AddAgent agents={agents} onClose={close} onMade={(made) => setOpen({ kind: 'token', made, isNew: true })} /> : null}
      {open?.kind === 'renew' ? <AskRenew name={open.name} onClose={close} onMade={(made) => setOpen({ kind: 'token', made, isNew: false })} /> : null}
      {open?.kind === 'remove' ? <AskRemove name={open.name} onClose={close} /> : null}
      {open?.kind === 'token' ? <TokenDialog made={open.made} isNew={open.isNew} onClose={close} /> : null}
    </div>
  );
}
