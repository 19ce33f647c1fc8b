/** Suggestions for an empty search, from the person's own data. A click searches for the suggestion. */
import { Search as SearchIcon } from 'lucide-react';
import { type PeopleResponse, type TopicsResponse, useRpc } from '../../api';
import { EmptyState } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusBox } from './Blank';
import css from './Search.module.css';
import { withValues } from './operators';

/** Maximum suggestions of each kind, as many as can be read at a glance. */
const OFFERED_MAX = 5;

/** The topics with the latest messages. */
export const topicsToOffer = (response: TopicsResponse): string[] =>
  response.items
    .toSorted((a, b) => b.last - a.last)
    .slice(0, OFFERED_MAX)
    .map((topic) => topic.title);

/** The people with the most messages, except the owner and programs. */
export const peopleToOffer = (response: PeopleResponse): string[] =>
  response.items
    .filter((person) => !person.is_owner && person.type === 'person' && person.messages > 0)
    .toSorted((a, b) => b.messages - a.messages)
    .slice(0, OFFERED_MAX)
    .map((person) => person.name);

export function Suggest({ onQuery }: { onQuery: (next: string) => void }) {
  const { data: topics = [] } = useRpc('topics_list', {}, { select: topicsToOffer });
  const { data: people = [] } = useRpc('people_list', {}, { select: peopleToOffer });
  const look = (query: string) => {
    onQuery(query);
    focusBox();
  };
  return (
    <div className={css.suggest} data-testid={TESTIDS.searchSuggest}>
      <EmptyState icon={<SearchIcon size={20} />} title={t.search.suggestTitle} text={topics.length + people.length > 0 ? t.search.suggestText : t.search.suggestNothingText} />
      <Offered title={t.search.kind['topic'] ?? ''} names={topics} onPick={look} />
      <Offered title={t.search.kind['person'] ?? ''} names={people} onPick={(name) => look(withValues('', 'person', [name]))} />
    </div>
  );
}

function Offered({ title, names, onPick }: { title: string; names: readonly string[]; onPick: (name: string) => void }) {
  if (names.length === 0) return null;
  return (
    <section className={css.offered} aria-label={title}>
      <h3 className={css.blankHead}>{title}</h3>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <button type="button" className={css.recent} data-testid={TESTIDS.searchOffered} onClick={() => onPick(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
