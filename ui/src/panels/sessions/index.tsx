/**
 * Sessions: summaries of conversations with agents, what each agent is served from them (the memory tiers), and the settings of
 * each agent.
 *
 * Every text consists of words from a message and links to that message. Not in this panel: general access rules, which are set
 * in Privacy.
 */
import { useEffect, useRef } from 'react';
import { Segmented } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { useNavTarget } from '../../state/nav';
import { setUiState, useUiState } from '../../state/uiState';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Agents } from './Agents';
import { SessionsTab } from './SessionsTab';
import { Tiers } from './Tiers';

const TABS = ['sessions', 'tiers', 'agents'] as const;
type Tab = (typeof TABS)[number];

export default function Sessions() {
  const [stored, setTab] = useUiState<string>('sessions.tab', 'sessions');
  const target = useNavTarget('sessions');
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target?.session || answered.current === target) return;
    answered.current = target;
    setUiState('sessions.tab', 'sessions');
  }, [target]);
  const tab: Tab = (TABS as readonly string[]).includes(stored) ? (stored as Tab) : 'sessions';
  const show = (next: Tab) => {
    hotkeys.setContext({ cursor: false, selection: false });
    setTab(next);
  };
  useActions('sessions', { 'sessions.tab': () => show(TABS[(TABS.indexOf(tab) + 1) % TABS.length] ?? 'sessions') });
  const tabs = (
    <Segmented
      label={t.sessions.tabs}
      value={tab}
      testId={TESTIDS.sessionsTab}
      choices={[
        { value: 'sessions', label: t.sessions.tabSessions, testId: 'sessions-tab-sessions' },
        { value: 'tiers', label: t.sessions.tabTiers, testId: 'sessions-tab-tiers' },
        { value: 'agents', label: t.sessions.tabAgents, testId: 'sessions-tab-agents' },
      ]}
      onChange={show}
    />
  );
  if (tab === 'tiers') return <Tiers tabs={tabs} />;
  if (tab === 'agents') return <Agents tabs={tabs} />;
  return <SessionsTab tabs={tabs} wanted={target?.session ?? null} />;
}
