/**
 * Topics: subjects that recur in many conversations. A list with the growth of each, and the topic under the cursor: decisions,
 * solutions, promises and learnings, each with the line that proves it.
 *
 * Every action has one undo and still applies when topics are derived again. Not in this panel: deciding which messages belong
 * together, which the backend does.
 */
import { Layers, Pin, SearchX } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type TopicListRow, type TopicProposalView, useRpc } from '../../api';
import { byId, useWithLayers } from '../../api/layers';
import { Badge, Button, EmptyState, ErrorState, LoadingRows, PaneBar, PaneHeader, RelativeTime, SearchField, Segmented, SplitPane, VirtualList, cx } from '../../design';
import { useActions } from '../../keys';
import { createListState, moveTo, stepFrom } from '../../state/list';
import { go, useNavTarget } from '../../state/nav';
import { useSettled } from '../../state/settled';
import { useStore } from '../../state/store';
import { number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { focusList } from '../shared/focus';
import { useListCursor } from '../shared/memoryRows';
import { dragged, mergeTopics, pinTopic, splitTopic } from './acts';
import { Sparkline } from './Sparkline';
import { TopicPane } from './TopicPane';
import css from './Topics.module.css';

const ROW_PX = 72;
const QUERY_REST_MS = 120;
/** Longer than the time between two repeats of a held key. */
const REST_MS = 100;
const rowHeight = () => ROW_PX;
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
  const target = useNavTarget('topics');
  const topics = useWithLayers(data, data?.items ?? NONE, byId);
  const proposals = useWithLayers(data, data?.proposals ?? NO_PROPOSALS, byId);
  const [filter, setFilter] = useState<Filter>('all');
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim(), QUERY_REST_MS);
  const suggested = useMemo(() => new Set(proposals.flatMap((proposal) => [proposal.topic_id, proposal.other_id])), [proposals]);
  const shown = useMemo(() => topics.filter((topic) => (filter === 'all' || suggested.has(topic.id)) && matches(topic, asked)), [topics, filter, suggested, asked]);
  const ids = useMemo(() => shown.map((topic) => topic.id), [shown]);
  const want = useListCursor(list, ids);
  const answered = useRef<typeof target>(null);
  useEffect(() => {
    if (!target?.topic || answered.current === target || topics.length === 0) return;
    answered.current = target;
    want(target.topic);
  }, [target, topics, want]);

  const cursor = useStore(list, (state) => state.cursor);
  const here = shown.find((topic) => topic.id === cursor);
  const rested = useSettled(cursor, REST_MS);
  const drag = useStore(dragged, (now) => now);
  const move = (to: string | null) => list.update((state) => moveTo(state, to));
  useActions('topics', {
    'topics.next': () => move(stepFrom(ids, list.get().cursor, 1)),
    'topics.previous': () => move(stepFrom(ids, list.get().cursor, -1)),
    'topics.first': () => move(ids[0] ?? null),
    'topics.last': () => move(ids[ids.length - 1] ?? null),
    'topics.pin': () => {
      const topic = topics.find((each) => each.id === list.get().cursor);
      if (!topic) return false;
      void pinTopic(topic);
      return true;
    },
  });
  const keyOf = useCallback((index: number) => ids[index] ?? '', [ids]);
  const drop = (onto: TopicListRow) => {
    const what = dragged.get();
    dragged.set(null);
    const from = what?.kind === 'topic' ? topics.find((topic) => topic.id === what.id) : undefined;
    if (from && from.id !== onto.id) void mergeTopics(onto, from);
  };

  return (
    <SplitPane
      name="topics"
      list={
        <>
          <PaneHeader title={t.panels.topics} count={data ? number(shown.length) : undefined} />
          <PaneBar>
            <SearchField label={t.topics.search} value={query} onChange={setQuery} testId={TESTIDS.topicsSearch} onLeave={() => focusList(TESTIDS.topicsList)} />
          </PaneBar>
          {proposals.length > 0 ? (
            <PaneBar>
              <Segmented
                label={t.topics.filter}
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
          <div className={css.body}>
            {error && !data ? (
              <ErrorState title={t.topics.loadFailed} text={t.topics.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
            ) : !data ? (
              <LoadingRows height={ROW_PX} />
            ) : topics.length === 0 && !data.is_ready ? (
              <EmptyState icon={<Layers size={18} />} title={t.topics.readingTitle} text={t.topics.readingText} action={<Button onClick={() => go('activity')}>{t.topics.readingAction}</Button>} />
            ) : topics.length === 0 ? (
              <EmptyState icon={<Layers size={18} />} title={t.topics.emptyTitle} text={t.topics.emptyText} action={<Button onClick={() => go('sources')}>{t.topics.emptyAction}</Button>} />
            ) : shown.length === 0 ? (
              <EmptyState
                icon={<SearchX size={18} />}
                title={t.topics.noMatchTitle}
                text={t.topics.noMatchText}
                action={
                  <Button
                    onClick={() => {
                      setQuery('');
                      setFilter('all');
                    }}
                  >
                    {t.topics.clear}
                  </Button>
                }
              />
            ) : (
              <VirtualList
                label={t.topics.list}
                testId={TESTIDS.topicsList}
                rowTestId={TESTIDS.topicRow}
                count={shown.length}
                keyOf={keyOf}
                heightOf={rowHeight}
                activeIndex={cursor === null ? -1 : ids.indexOf(cursor)}
                autoFocus
                onPick={(index) => move(ids[index] ?? null)}
                render={(index) => {
                  const topic = shown[index];
                  return topic ? <Row topic={topic} isSuggested={suggested.has(topic.id)} isTarget={drag?.kind === 'topic' && drag.id !== topic.id} onDrop={drop} /> : null;
                }}
              />
            )}
          </div>
          <p className="srOnly" role="status">
            {data ? t.topics.live(shown.length) : ''}
          </p>
        </>
      }
      detail={
        here ? (
          <TopicPane key={here.id} topic={here} topics={topics} proposals={proposals} isRested={rested === here.id} onShow={want} />
        ) : data && topics.length > 0 ? (
          <EmptyState icon={<Layers size={20} />} title={t.topics.pickTitle} text={t.topics.pickText} />
        ) : (
          <div className={css.nothing} />
        )
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
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={cx(css.row, isOver && isTarget && css.over)}
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
      <div className={css.line}>
        {topic.is_pinned ? (
          <span className={css.pin} title={t.topics.pinned}>
            <Pin size={13} aria-hidden="true" />
            <span className="srOnly">{t.topics.pinned}</span>
          </span>
        ) : null}
        <span className={css.name}>{topic.title}</span>
        <span className={css.date}>
          <RelativeTime time={topic.last} date />
        </span>
      </div>
      <div className={css.line}>
        <span className={css.lead}>{topic.lead}</span>
      </div>
      <div className={css.line}>
        <span className={cx('num', css.meta)}>{t.topics.messages(topic.messages)}</span>
        {isSuggested ? <Badge tone="accent">{t.topics.hasSuggestion}</Badge> : null}
        <Sparkline counts={topic.growth} />
      </div>
    </div>
  );
});
