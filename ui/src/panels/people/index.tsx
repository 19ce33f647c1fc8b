/**
 * People: everyone, with all their handles and what is known about them; pairs of handles that may belong to one person; and
 * capability gaps.
 *
 * Two handles count as one person only after the user has confirmed it. A link is only an answer, so unlinking restores the
 * previous state everywhere. Not in this panel: what a channel may see in general (Privacy).
 */
import { type GapsResponse, type PeopleResponse, useRpc } from '../../api';
import { setUiState, useAnswer, useNavTarget } from '../../state';
import { t } from '../../strings';
import { EraseDialog } from '../shared/EraseDialog';
import { usePanelTabs } from '../shared/PanelTabs';
import { GapsTab } from './GapsTab';
import { isToDecide } from './gaps';
import { LinksTab } from './LinksTab';
import { PeopleTab } from './PeopleTab';

const openOf = (response: PeopleResponse) => response.items.reduce((sum, person) => sum + person.open_links, 0);
const toDecideOf = (response: GapsResponse) => response.items.filter(isToDecide).length;

export default function People() {
  const target = useNavTarget('people');
  useAnswer(target, ({ gap, link, person }) => {
    if (gap ?? link ?? person) setUiState('people.tab', gap ? 'gaps' : link ? 'links' : 'people');
  });
  // An open pair counts for both of its people.
  const { data: open = 0 } = useRpc('people_list', {}, { select: openOf });
  const { data: toDecide = 0 } = useRpc('gaps_list', {}, { select: toDecideOf });
  const { tab, tabs } = usePanelTabs('people', [
    { value: 'people', label: t.people.tabPeople },
    { value: 'links', label: t.people.tabLinks, count: open / 2 },
    { value: 'gaps', label: t.gaps.tab, count: toDecide },
  ]);
  return (
    <>
      {tab === 'links' ? <LinksTab tabs={tabs} target={target} /> : tab === 'gaps' ? <GapsTab tabs={tabs} target={target} /> : <PeopleTab tabs={tabs} target={target} />}
      <EraseDialog />
    </>
  );
}
