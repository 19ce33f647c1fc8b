/**
 * Privacy: who may see the knowledge from each channel, the access level of each agent, and the exact context that an agent would
 * be served.
 *
 * Whether a conversation is used for memory at all is a separate setting, in Conversations.
 */
import { setUiState, useAnswer, useNavTarget } from '../../state';
import { t } from '../../strings';
import { usePanelTabs } from '../shared/PanelTabs';
import { Agents } from './Agents';
import { Channels } from './Channels';
import { ViewAs } from './ViewAs';

export default function Privacy() {
  useAnswer(useNavTarget('privacy'), ({ viewAs }) => {
    if (!viewAs) return;
    setUiState('privacy.tab', 'view');
    setUiState('privacy.view', viewAs);
  });
  const { tab, tabs } = usePanelTabs('privacy', [
    { value: 'channels', label: t.privacy.tabChannels },
    { value: 'agents', label: t.privacy.tabAgents },
    { value: 'view', label: t.privacy.tabView },
  ]);
  if (tab === 'agents') return <Agents tabs={tabs} />;
  if (tab === 'view') return <ViewAs tabs={tabs} />;
  return <Channels tabs={tabs} />;
}
