/** Agents and their access levels. */
import { Bot } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AgentView, call, useRpc, useWithLayers } from '../../api';
import { Button, ErrorState, LoadingRows, PaneBody, PaneHeader, Segmented } from '../../design';
import { perform } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Privacy.module.css';

type Level = 'public' | 'private';
const NONE: readonly AgentView[] = [];
const LEVELS: readonly Level[] = ['private', 'public'];

const agentName = (agent: AgentView): string => agent.name;

function setLevel(name: string, visibility: Level, before: string): void {
  void perform({
    text: t.privacy.agentSet(name, nameOf(t.privacy.levels, visibility)),
    undone: t.privacy.agentBack(name),
    changes: [{ id: name, to: { visibility }, from: { visibility: before } }],
    send: () => call('agent_set', { name, visibility }),
    undo: () => call('agent_set', { name, visibility: before }),
  });
}

export function Agents({ tabs }: { tabs: ReactNode }) {
  const { data, error, refetch } = useRpc('agents_list', {});
  const agents = useWithLayers(data, data?.items ?? NONE, agentName);
  const [name, setName] = useState('');
  const wanted = name.trim();
  const words = t.privacy;
  const isKnown = data?.items.some((each) => each.name === wanted) ?? false;
  return (
    <div className={css.panel}>
      <PaneHeader title={words.title}>{tabs}</PaneHeader>
      {error && !data ? (
        <ErrorState title={t.app.agentsFailed} text={t.app.nothingChanged} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows />
      ) : (
        <PaneBody label={words.agentsTitle}>
          <div className={css.measure}>
            <h2 className={css.heading}>{words.agentsTitle}</h2>
            <p className={css.hint}>{words.agentsText}</p>
            <ul className={css.agents}>
              {agents.map((agent) => (
                <li key={agent.name} className={css.agent} data-testid={TESTIDS.agentRow} data-agent={agent.name}>
                  <Bot size={16} aria-hidden="true" />
                  <span className={css.agentWords}>
                    <span className={css.agentName}>{agent.name}</span>
                    <span className={css.hint}>{nameOf(words.levelText, agent.visibility)}</span>
                  </span>
                  <Segmented
                    label={words.level(agent.name)}
                    value={agent.visibility === 'public' ? 'public' : 'private'}
                    choices={LEVELS.map((value) => ({ value, label: nameOf(words.levels, value), testId: `agent-${agent.name}-${value}` }))}
                    onChange={(next) => {
                      if (next !== agent.visibility) setLevel(agent.name, next, agent.visibility);
                    }}
                  />
                </li>
              ))}
              {agents.length === 0 ? <li className={css.agentsNone}>{words.agentsNone}</li> : null}
            </ul>
            <form
              className={css.agentForm}
              onSubmit={(event) => {
                event.preventDefault();
                if (wanted === '' || isKnown) return;
                setLevel(wanted, 'public', 'private');
                setName('');
              }}
            >
              <input className={css.field} aria-label={words.agentName} placeholder={words.agentName} value={name} spellCheck={false} autoComplete="off" data-testid={TESTIDS.agentName} onChange={(event) => setName(event.target.value)} />
              <Button
                disabled={wanted === '' || isKnown}
                testId={TESTIDS.agentAdd}
                onClick={(event) => event.currentTarget.form?.requestSubmit()}
              >
                {words.agentAdd}
              </Button>
            </form>
          </div>
        </PaneBody>
      )}
    </div>
  );
}
