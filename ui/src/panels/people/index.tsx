/**
 * People: everyone, with all their handles and what is known about them; pairs of handles that may belong to one person; and
 * capability gaps.
 *
 * Two handles count as one person only after the user has confirmed it. A link is only an answer, so unlinking restores the
 * previous state everywhere. Not in this panel: what a channel may see in general (Privacy).
 */
import { useEffect, useRef } from 'react';
import { type GapsResponse, type PeopleResponse, useRpc } from '../../api';
import { Segmented } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { useNavTarget } from '../../state/nav';
import { setUiState, useUiState } from '../../state/uiState';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { EraseDialog } from '../shared/EraseDialog';
import { GapsTab } from './GapsTab';
import { isToDecide } from './gaps';
import { LinksTab } from './LinksTab';
import { PeopleTab } from './PeopleTab';

const TABS = ['people', 'links', 'gaps'] as const;
type Tab = (typeof TABS)[number];

const openOf = (response: PeopleResponse) => response.items.reduce((sum, person) => sum + person.open_links, 0);
const toDecideOf = (response: GapsResponse) => response.items.filter(isToDecide).length;

export default function People() {
  const [stored, setTab] = useUiState<string>('people.tab', 'people');
  const target = useNavTarget('people');
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target || answered.current === target) return;
    answered.current = target;
    if (target.gap) setUiState('people.tab', 'gaps');
    else if (target.link) setUiState('people.tab', 'links');
    else if (target.person) setUiState('people.tab', 'people');
  }, [target]);
  const tab: Tab = (TABS as readonly string[]).includes(stored) ? (stored as Tab) : 'people';
  // An open pair counts for both of its people.
  const { data: open = 0 } = useRpc('people_list', {}, { select: openOf });
  const { data: toDecide = 0 } = useRpc('gaps_list', {}, { select: toDecideOf });
  const show = (next: Tab) => {
    // Reset here; the other view sets whether there is a row to act on.
    hotkeys.setContext({ cursor: false, selection: false });
    setTab(next);
  };
  useActions('people', { 'people.tab': () => show(TABS[(TABS.indexOf(tab) + 1) % TABS.length] ?? 'people') });
  const tabs = (
    <Segmented
      label={t.people.tabs}
      value={tab}
      testId={TESTIDS.peopleTab}
      choices={[
        { value: 'people', label: t.people.tabPeople, testId: 'people-tab-people' },
        { value: 'links', label: t.people.tabLinks, count: open / 2, testId: 'people-tab-links' },
        { value: 'gaps', label: t.gaps.tab, count: toDecide, testId: 'people-tab-gaps' },
      ]}
      onChange={show}
    />
  );
  return (
    <>
      {tab === 'links' ? <LinksTab tabs={tabs} target={target} /> : tab === 'gaps' ? <GapsTab tabs={tabs} target={target} /> : <PeopleTab tabs={tabs} target={target} />}
      <EraseDialog />
    </>
  );
}
