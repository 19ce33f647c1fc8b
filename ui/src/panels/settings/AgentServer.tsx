/** Settings → General: whether agents are served over HTTP on this computer, and at which port. Off unless switched on. */
import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type AgentServerChoice, call, rpcKey, useRpc } from '../../api';
import { EntryField, Switch } from '../../design';
import { errorMessage } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Row, Section } from './Rows';
import css from './Settings.module.css';

/** Ports that a program without special rights may use. */
const PORT_MIN = 1024;
const PORT_MAX = 65_535;

export function AgentServer() {
  const client = useQueryClient();
  const { data } = useRpc('agent_server_get', {});
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** What is on its way. A port is saved when its field is left, which may be by clicking the switch. */
  const sent = useRef<AgentServerChoice | null>(null);
  const words = t.agents.server;
  if (!data) return null;
  const { choice, state } = data;
  const save = async (change: Partial<AgentServerChoice>) => {
    setProblem(null);
    const next = { ...(sent.current ?? choice), ...change };
    sent.current = next;
    try {
      client.setQueryData(rpcKey('agent_server_get', {}), await call('agent_server_set', next));
      setTyped(null);
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
    if (sent.current === next) sent.current = null;
  };
  const type = (next: string | null) => {
    setTyped(next);
    setProblem(null);
  };
  const savePort = () => {
    if (typed === null) return;
    const port = Number(typed.trim());
    if (!Number.isInteger(port) || port < PORT_MIN || port > PORT_MAX) setProblem(words.portBad(PORT_MIN, PORT_MAX));
    else if (port === choice.port) setTyped(null);
    else void save({ port });
  };
  return (
    <Section title={words.title}>
      <Row name={words.name} hint={state.kind === 'listening' ? words.listening(state.port) : words.hint} problem={state.kind === 'failed' ? state.problem : undefined}>
        <Switch label={words.name} checked={choice.is_on} testId={TESTIDS.agentServer} onChange={(is_on) => void save({ is_on })} />
      </Row>
      <Row name={words.port} hint={words.portHint} problem={problem ?? undefined}>
        <EntryField className={css.address} inputMode="numeric" name={words.port} typed={typed} stored={String(choice.port)} isBad={problem !== null} testId={TESTIDS.agentServerPort} onType={type} onSave={savePort} />
      </Row>
      <Router port={state.kind === 'listening' ? state.port : null} />
    </Section>
  );
}

/** Whether programs reach the chosen model through Keepsake. Off unless switched on. */
function Router({ port }: { /** Where agents are served; `null` if they are not. */ port: number | null }) {
  const client = useQueryClient();
  const { data } = useRpc('router_settings_get', {});
  const { data: models } = useRpc('models_get', {});
  const [problem, setProblem] = useState<string | null>(null);
  const words = t.agents.router;
  if (!data) return null;
  const save = async (is_on: boolean) => {
    setProblem(null);
    try {
      client.setQueryData(rpcKey('router_settings_get', {}), await call('router_settings_set', { is_on }));
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  const missing = () => {
    if (!data.is_on) return words.hint;
    if (port === null) return words.needsServer;
    if (models && !models.settings.provider) return words.needsModel;
    return words.address(port);
  };
  return (
    <Row name={words.name} hint={missing()} problem={problem ?? undefined}>
      <Switch label={words.name} checked={data.is_on} testId={TESTIDS.router} onChange={(is_on) => void save(is_on)} />
    </Row>
  );
}
