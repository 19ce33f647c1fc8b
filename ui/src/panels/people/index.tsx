/**
 * People: everybody there is, with every handle they are known by, and the pairs of handles that may be one person.
 *
 * Two handles are one person only after the person said so, and unlinking restores every view: a link is an answer and nothing
 * else. Deliberately not here: what a channel may be told in general, which is Privacy's.
 */
import { useEffect, useRef } from 'react';
import { type PeopleResponse, useRpc } from '../../api';
import { Segmented } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { useNavTarget } from '../../state/nav';
import { setUiState, useUiState } from '../../state/uiState';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { LinksTab } from './LinksTab';
import { PeopleTab } from './PeopleTab';

type Tab = 'people' | 'links';

const openOf = (response: PeopleResponse) => response.items.reduce((sum, person) => sum + person.open_links, 0);

export default function People() {
  const [stored, setTab] = useUiState<string>('people.tab', 'people');
  const target = useNavTarget('people');
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target || answered.current === target) return;
    answered.current = target;
    if (target.link) setUiState('people.tab', 'links');
    else if (target.person) setUiState('people.tab', 'people');
  }, [target]);
  const tab: Tab = stored === 'links' ? 'links' : 'people';
  // An open pair stands at both of its people.
  const { data: open = 0 } = useRpc('people_list', {}, { select: openOf });
  const show = (next: Tab) => {
    // The other view says itself whether there is a row to act on.
    hotkeys.setContext({ cursor: false, selection: false });
    setTab(next);
  };
  useActions('people', { 'people.tab': () => show(tab === 'people' ? 'links' : 'people') });
  const tabs = (
    <Segmented
      label={t.people.tabs}
      value={tab}
      testId={TESTIDS.peopleTab}
      choices={[
        { value: 'people', label: t.people.tabPeople, testId: 'people-tab-people' },
        { value: 'links', label: t.people.tabLinks, count: open / 2, testId: 'people-tab-links' },
      ]}
      onChange={show}
    />
  );
  return tab === 'links' ? <LinksTab tabs={tabs} target={target} /> : <PeopleTab tabs={tabs} target={target} />;
}
