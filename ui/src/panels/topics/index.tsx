/**
 * Topics: subjects that recur in many conversations. A list with the growth of each, and the topic under the cursor: decisions,
 * solutions, promises and learnings, each with the line that proves it.
 *
 * Every action has one undo and still applies when topics are derived again. Not in this panel: deciding which messages belong
 * together, which the backend does.
 */
import { Layers, Pin } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { type TopicListRow, type TopicProposalView, byId, useRpc, useWithLayers } from '../../api';
import { Badge, Button, EmptyState, PaneBar, RelativeTime, SearchField, Segmented, cx, focusList } from '../../design';
import { actOn, useActions } from '../../keys';
import { createListState, go, useAnswer, useNavTarget, useSettled, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ListDetail, useListRows } from '../shared/ListDetail';
import { ListRow, RowAside, RowLine, RowMeta, RowTitle, TALL_ROW_PX } from '../shared/ListPane';
import { dragged, mergeTopics, pinTopic, splitTopic } from './acts';
import { Sparkline } from './Sparkline';
import { TopicPane } from './TopicPane';
import css from './Topics.module.css';

const QUERY_REST_MS = 120;
const NONE: readonly TopicListRow[] = [];
const NO_PROPOSALS: readonly TopicProposalView[] = [];

type Filter = 'all' | 'suggested';

const list = createListState();

/** Whether a topic contains the words in its title, its lead or its entities. */
export function matches(topic: TopicListRow, query: string): boolean {
  const hay = [topic.title, topic.lead, ...topic.entities.people, ...topic.entities.projects, ...topic.entities.technologies].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}

export default function Topics() {
  const { data, error, refetch } = useRpc('topics_list', {});
  const topics = useWithLayers(data, data?.items ?? NONE, byId);
  const proposals = useWithLayers(data, data?.proposals ?? NO_PROPOSALS, byId);
  const [filter, setFilter] = useState<Filter>('all');
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim(), QUERY_REST_MS);
  const suggested = useMemo(() => new Set(proposals.flatMap((proposal) => [proposal.topic_id, proposal.other_id])), [proposals]);
  const shown = useMemo(() => topics.filter((topic) => (filter === 'all' || suggested.has(topic.id)) && matches(topic, asked)), [topics, filter, suggested, asked]);
  const rows = useListRows('topics', list, shown, byId);
  useAnswer(useNavTarget('topics'), ({ topic }) => {
    if (!topic || topics.length === 0) return false;
    rows.want(topic);
    return true;
  });
  const drag = useStore(dragged, (now) => now);
  useActions('topics', {
    'topics.pin': () => actOn(rows.current(), pinTopic),
  });
  const drop = (onto: TopicListRow) => {
    const what = dragged.get();
    dragged.set(null);
    const from = what?.kind === 'topic' ? topics.find((topic) => topic.id === what.id) : undefined;
    if (from && from.id !== onto.id) void mergeTopics(onto, from);
  };

  const clear = () => {
    setQuery('');
    setFilter('all');
  };
  const isReading = data !== undefined && topics.length === 0 && !data.is_ready;

  return (
    <ListDetail
      name="topics"
      words={t.topics}
      icon={Layers}
      rows={rows}
      all={data && topics}
      error={error}
      onRetry={refetch}
      testId={TESTIDS.topicsList}
      rowTestId={TESTIDS.topicRow}
      height={TALL_ROW_PX}
      renderRow={(topic) => <Row topic={topic} isSuggested={suggested.has(topic.id)} isTarget={drag?.kind === 'topic' && drag.id !== topic.id} onDrop={drop} />}
      renderDetail={(topic) => <TopicPane key={topic.id} topic={topic} topics={topics} proposals={proposals} isRested={rows.isRested} onShow={rows.want} />}
      onClear={clear}
      empty={isReading ? <EmptyState icon={<Layers size={18} />} title={t.topics.readingTitle} text={t.topics.readingText} action={<Button onClick={() => go('activity')}>{t.topics.readingAction}</Button>} /> : undefined}
      bars={
        <>
        <PaneBar>
          <SearchField label={t.topics.search} value={query} onChange={setQuery} testId={TESTIDS.topicsSearch} onLeave={() => focusList(TESTIDS.topicsList)} />
        </PaneBar>
        {proposals.length > 0 ? (
          <PaneBar>
            <Segmented
              value={filter}
              choices={[
                { value: 'all', label: t.topics.all, testId: 'topics-all' },
                { value: 'suggested', label: t.topics.suggested, count: proposals.length, testId: 'topics-suggested' },
              ]}
              onChange={setFilter}
            />
          </PaneBar>
        ) : null}
        {drag?.kind === 'messages' ? (
          // The button next to the selected lines does the same by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
          <div
            className={css.dropZone}
            data-testid={TESTIDS.topicDrop}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              dragged.set(null);
              const topic = topics.find((each) => each.id === drag.topic);
              if (topic) void splitTopic(topic, drag.ids);
            }}
          >
            {t.topics.dropSplit(drag.ids.length)}
          </div>
        ) : null}
        </>
      }
    />
  );
}

interface RowProps {
  topic: TopicListRow;
  isSuggested: boolean;
  isTarget: boolean;
  onDrop: (onto: TopicListRow) => void;
}

const Row = memo(function Row({ topic, isSuggested, isTarget, onDrop }: RowProps) {
  const [isOver, setOver] = useState(false);
  return (
    // Dragging is only an alternative: the keys and the buttons next to it do the same.
    <ListRow
      className={cx(isOver && isTarget && css.over)}
      data-topic={topic.id}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', topic.title);
        dragged.set({ kind: 'topic', id: topic.id });
      }}
      onDragEnd={() => dragged.set(null)}
      onDragOver={(event) => {
        if (!isTarget) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop(topic);
      }}
    >
      <RowLine>
        {topic.is_pinned ? (
          <span className={css.pin} title={t.topics.pinned}>
            <Pin size={13} aria-hidden="true" />
            <span className="srOnly">{t.topics.pinned}</span>
          </span>
        ) : null}
        <RowTitle>{topic.title}</RowTitle>
        <RowAside>
          <RelativeTime time={topic.last} date />
        </RowAside>
      </RowLine>
      <RowLine>
        <RowMeta>{topic.lead}</RowMeta>
      </RowLine>
      <RowLine>
        <RowAside>{t.app.messages(topic.messages)}</RowAside>
        {isSuggested ? <Badge tone="accent">{t.topics.hasSuggestion}</Badge> : null}
        <Sparkline counts={topic.growth} />
      </RowLine>
    </ListRow>
  );
});
