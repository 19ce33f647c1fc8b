/** Shown instead of results: before the first query, how to search; if nothing was found, suggestions. */
import { SearchX } from 'lucide-react';
import { type AppStatus, useRpc } from '../../api';
import { Button, EmptyState } from '../../design';
import { go, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Search.module.css';
import { OPERATORS, isNarrowed, withOperator, wordsOf } from './operators';
import { recent } from './state';

/** The operators that narrow a search, and the text each puts into the box. */
export const HELP: readonly { readonly of: keyof typeof t.search.help; readonly put: (text: string) => string }[] = [
  { of: 'phrase', put: (text) => `${text.trimEnd()} "`.trimStart() },
  { of: 'prefix', put: (text) => `${text.trimEnd()}*` },
  ...OPERATORS.map((operator) => ({ of: operator, put: (text: string) => withOperator(text, operator) })),
];

export function focusBox(): void {
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLInputElement>(`[data-testid="${TESTIDS.searchBox}"]`);
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  });
}

const isEmptyStore = (status: AppStatus): boolean => status.counts.conversations === 0;
const isWithoutModel = (status: AppStatus): boolean => status.embedding.state !== 'ready';

interface BlankProps {
  query: string;
  onQuery: (next: string) => void;
}

export function Beginning({ query, onQuery }: BlankProps) {
  const { data: isEmpty = false } = useRpc('app_status', {}, { select: isEmptyStore });
  const before = useStore(recent, (queries) => queries);
  if (isEmpty) {
    return <EmptyState icon={<SearchX size={18} />} title={t.search.nothingYetTitle} text={t.search.nothingYetText} action={<Button onClick={() => go('sources')}>{t.app.addSource}</Button>} testId={TESTIDS.searchEmpty} />;
  }
  return (
    <div className={css.blank} data-testid={TESTIDS.searchHelp}>
      <h2 className={css.blankTitle}>{t.search.emptyTitle}</h2>
      <p className={css.blankText}>{t.search.emptyText}</p>
      {before.length > 0 ? (
        <>
          <h3 className={css.blankHead}>{t.search.recent}</h3>
          <ul>
            {before.map((each) => (
              <li key={each}>
                <button type="button" className={css.recent} data-testid={TESTIDS.searchRecent} onClick={() => onQuery(each)}>
                  {each}
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <h3 className={css.blankHead}>{t.search.narrow}</h3>
      <Operators query={query} onQuery={onQuery} />
    </div>
  );
}

function Operators({ query, onQuery }: BlankProps) {
  return (
    <ul className={css.operators}>
      {HELP.map(({ of, put }) => (
        <li key={of}>
          <button
            type="button"
            className={css.operator}
            onClick={() => {
              onQuery(put(query));
              focusBox();
            }}
          >
            <code className={css.code}>{t.search.help[of].example}</code>
            <span className={css.operatorText}>{t.search.help[of].text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function NothingFound({ query, onQuery }: BlankProps) {
  const { data: isWordsOnly = false } = useRpc('app_status', {}, { select: isWithoutModel });
  const isNarrow = isNarrowed(query);
  const words = wordsOf(query);
  const text = [isNarrow ? t.search.noneNarrowText : t.search.noneText, isWordsOnly ? t.search.noneWordsOnly : ''].filter(Boolean).join(' ');
  return (
    <EmptyState
      icon={<SearchX size={18} />}
      title={t.search.noneTitle(query)}
      text={text}
      testId={TESTIDS.searchEmpty}
      action={isNarrow && words !== '' ? <Button onClick={() => onQuery(words)}>{t.app.clearFilters}</Button> : <Button onClick={() => onQuery('')}>{t.app.clear}</Button>}
    />
  );
}
