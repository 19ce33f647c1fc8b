/**
 * Privacy: who may see the knowledge from each channel, the access level of each agent, and the exact context that an agent would
 * be served.
 *
 * Whether a conversation is used for memory at all is a separate setting, in Conversations.
 */
import { useEffect, useRef } from 'react';
import { Segmented } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { useNavTarget } from '../../state/nav';
import { setUiState, useUiState } from '../../state/uiState';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Agents } from './Agents';
import { Channels } from './Channels';
import { ViewAs } from './ViewAs';

const TABS = ['channels', 'agents', 'view'] as const;
type Tab = (typeof TABS)[number];

export default function Privacy() {
  const [stored, setTab] = useUiState<string>('privacy.tab', 'channels');
  const target = useNavTarget('privacy');
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target?.viewAs || answered.current === target) return;
    answered.current = target;
    setUiState('privacy.tab', 'view');
    setUiState('privacy.view', target.viewAs);
  }, [target]);
  const tab: Tab = (TABS as readonly string[]).includes(stored) ? (stored as Tab) : 'channels';
  const show = (next: Tab) => {
    hotkeys.setContext({ cursor: false, selection: false });
    setTab(next);
  };
  useActions('privacy', { 'privacy.tab': () => show(TABS[(TABS.indexOf(tab) + 1) % TABS.length] ?? 'channels') });
  const tabs = (
    <Segmented
      label={t.privacy.tabs}
      value={tab}
      testId={TESTIDS.privacyTab}
      choices={[
        { value: 'channels', label: t.privacy.tabChannels, testId: 'privacy-tab-channels' },
        { value: 'agents', label: t.privacy.tabAgents, testId: 'privacy-tab-agents' },
        { value: 'view', label: t.privacy.tabView, testId: 'privacy-tab-view' },
      ]}
      onChange={show}
    />
  );
  if (tab === 'agents') return <Agents tabs={tabs} />;
  if (tab === 'view') return <ViewAs tabs={tabs} />;
  return <Channels tabs={tabs} />;
}
