/** The filters with live counts, and a button to clear them. They are shown even if nothing matches. */
import { ArrowDownUp } from 'lucide-react';
import type { MemoriesListResponse } from '../../api';
import { Button, CategoryIcon, Facet, IconButton, Menu, PaneBar, SearchField, facetValues, focusList } from '../../design';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { type Filters, SAID, type Sort, isNarrowed } from './filters';

const STATUSES = ['active', 'pending', 'archived', 'rejected', 'superseded', 'quarantined'];

const categoryIcon = (name: string) => <CategoryIcon category={name} />;

export interface FilterBarProps {
  filters: Filters;
  query: string;
  response: MemoriesListResponse | undefined;
  onFilters: (next: Filters) => void;
  onQuery: (next: string) => void;
  onClear: () => void;
}

export function FilterBar({ filters, query, response, onFilters, onQuery, onClear }: FilterBarProps) {
  const set = (change: Partial<Filters>) => onFilters({ ...filters, ...change });
  const categories = facetValues(response?.by_category ?? [], filters.category, (name) => nameOf(t.category, name), Object.keys(t.category));
  return (
    <>
      <PaneBar>
        <SearchField label={t.memories.search} value={query} onChange={onQuery} testId={TESTIDS.memoriesSearch} onLeave={() => focusList(TESTIDS.memoriesList)} />
        <Menu
          align="end"
          trigger={
            <IconButton label={`${t.memories.sort}: ${t.memories.sorts[filters.sort]}`}>
              <ArrowDownUp size={16} />
            </IconButton>
          }
          entries={Object.entries(t.memories.sorts).map(([sort, label]) => ({ id: sort, label, checked: filters.sort === sort, isRadio: true, run: () => set({ sort: sort as Sort }) }))}
        />
      </PaneBar>
      <PaneBar>
        <Facet label={t.memories.status} values={facetValues(response?.by_status ?? [], filters.status, (name) => nameOf(t.status, name), STATUSES)} chosen={filters.status} onChange={(status) => set({ status })} testId="facet-status" />
        <Facet label={t.memories.category} values={categories} chosen={filters.category} onChange={(category) => set({ category })} iconOf={categoryIcon} testId="facet-category" />
        <Facet label={t.memories.subject} values={facetValues(response?.by_subject ?? [], filters.subject, (name) => t.subject[name] ?? name)} chosen={filters.subject} onChange={(subject) => set({ subject })} testId="facet-subject" />
        <Facet label={t.app.channelName} values={facetValues(response?.by_channel ?? [], filters.channel, (name) => nameOf(t.channel, name))} chosen={filters.channel} onChange={(channel) => set({ channel })} testId="facet-channel" />
        <Facet
          label={t.memories.confidence}
          isSingle
          values={['0.95', '0.9', '0.8'].map((name) => ({ name, label: nameOf(t.memories.confidenceBands, name) }))}
          chosen={filters.confidence === 'any' ? [] : [filters.confidence]}
          onChange={([confidence = 'any']) => set({ confidence })}
          testId="facet-confidence"
        />
        <Facet
          label={t.memories.source}
          isSingle
          values={[
            { name: 'only', label: t.memories.privateOnly },
            { name: 'without', label: t.memories.privateWithout },
          ]}
          chosen={filters.privateSource === 'any' ? [] : [filters.privateSource]}
          onChange={([privateSource = 'any']) => set({ privateSource: privateSource as Filters['privateSource'] })}
          testId="facet-source"
        />
        <Facet
          label={t.memories.said}
          isSingle
          values={facetValues(response?.by_said ?? [], filters.said === 'any' ? [] : [filters.said], (name) => nameOf(t.memories.saidBands, name), SAID)}
          chosen={filters.said === 'any' ? [] : [filters.said]}
          onChange={([said = 'any']) => set({ said: said as Filters['said'] })}
          testId="facet-said"
        />
        <Facet
          label={t.memories.conflict}
          isSingle
          values={[{ name: 'only', label: t.memories.onlyConflicting }]}
          chosen={filters.onlyConflicting ? ['only'] : []}
          onChange={([only]) => set({ onlyConflicting: only !== undefined })}
          testId="facet-conflict"
        />
        {filters.conversation === null ? null : (
          <Facet label={t.memories.onlyConversation} isSingle values={[{ name: filters.conversation, label: t.memories.onlyConversation }]} chosen={[filters.conversation]} onChange={() => set({ conversation: null })} />
        )}
        {isNarrowed(filters, query) ? (
          <Button size="s" tone="quiet" testId={TESTIDS.memoriesClear} onClick={onClear}>
            {t.app.clearFilters}
          </Button>
        ) : null}
      </PaneBar>
    </>
  );
}
