/**
 * Sessions: summaries of conversations with agents, what each agent is served from them (the memory tiers), and the settings of
 * each agent.
 *
 * Every text consists of words from a message and links to that message. Not in this panel: general access rules, which are set
 * in Privacy.
 */
import { setUiState, useAnswer, useNavTarget } from '../../state';
import { t } from '../../strings';
import { usePanelTabs } from '../shared/PanelTabs';
import { Agents } from './Agents';
import { SessionsTab } from './SessionsTab';
import { Tiers } from './Tiers';

export default function Sessions() {
  const target = useNavTarget('sessions');
  useAnswer(target, ({ session }) => session && setUiState('sessions.tab', 'sessions'));
  const { tab, tabs } = usePanelTabs('sessions', [
    { value: 'sessions', label: t.sessions.tabSessions },
    { value: 'tiers', label: t.sessions.tabTiers },
    { value: 'agents', label: t.sessions.tabAgents },
  ]);
  if (tab === 'tiers') return <Tiers tabs={tabs} />;
  if (tab === 'agents') return <Agents tabs={tabs} />;
  return <SessionsTab tabs={tabs} target={target} />;
}
