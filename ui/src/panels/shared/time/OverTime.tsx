/**
 * Messages and memories over time: all of them, or those of one person or topic. A chart, and a table with the same numbers. A
 * period links to its conversations.
 *
 * The chart is SVG instead of a canvas, so that it follows the theme and the text size, and periods can be reached by keyboard.
 */
import { ChartColumn, MessagesSquare, ZoomIn } from 'lucide-react';
import { useState } from 'react';
import { type TimelineResponse, useRpc } from '../../../api';
import { Button, EmptyState, ErrorState, LoadingRows, Segmented } from '../../../design';
import { go, useUiState } from '../../../state';
import { listed, nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { isUnit, spanName, weekStart, zoneName } from './periods';
import { type Chosen, Plot, type Shown } from './Plot';
import { folded, sumAt } from './scale';
import { TimeTable } from './TimeTable';
import css from './Time.module.css';

/** Number of channels with their own color, as many as fit next to each other. The others are combined into one. */
const CHANNELS = { section: 4, page: 5 } as const;

export interface OverTimeProps {
  person?: string;
  topic?: string;
  /** True if the chart has its own page, false if it is a section. */
  isPage?: boolean;
}

/** The answer with display names, and with at most `most` series, because people cannot distinguish more. */
export function shownOf(data: TimelineResponse, most: number): Shown {
  const named = data.messages.map((each) => ({ ...each, name: nameOf(t.channel, each.name) }));
  return {
    unit: isUnit(data.unit) ? data.unit : 'day',
    edges: data.edges,
    messages: folded(named, most, t.time.other),
    memories: data.memories.map((each) => ({ ...each, name: nameOf(t.time.states, each.name) })),
  };
}

export function OverTime({ person, topic, isPage = false }: OverTimeProps) {
  const [view, setView] = useUiState<string>('time.view', 'chart');
  const [byDecision, setByDecision] = useUiState<boolean>('time.byDecision', false);
  const [unit, setUnit] = useState<string | null>(null);
  const [zoom, setZoom] = useState<{ from: number; to: number } | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const request = { person: person ?? null, topic: topic ?? null, from: zoom?.from ?? null, to: zoom?.to ?? null, unit, week_start: weekStart(), by_decision: byDecision };
  const { data, error, refetch } = useRpc('timeline', request, { keepPrevious: true });
  if (error && !data) return <ErrorState title={t.time.loadFailed} text={t.time.loadFailedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={4} />;
  if (data.edges.length < 2) {
    if (!isPage) return null;
    return <EmptyState icon={<ChartColumn size={18} />} title={t.time.emptyTitle} text={t.time.emptyText} action={<Button onClick={() => go('sources')}>{t.app.addSource}</Button>} />;
  }
  const shown = shownOf(data, isPage ? CHANNELS.page : CHANNELS.section);
  const isTable = view === 'table';
  const outside = zoom ? 0 : data.messages_outside + data.memories_outside;
  const look = (next: { from: number; to: number } | null) => {
    setChosen(null);
    setUnit(null);
    setZoom(next);
  };
  return (
    <div className={css.time} data-testid={TESTIDS.time}>
      <div className={css.bar}>
        {data.units.length > 1 ? (
          <Segmented
            label={t.time.unit}
            value={data.unit}
            testId={TESTIDS.timeUnit}
            choices={data.units.map((each) => ({ value: each, label: nameOf(t.time.units, each), testId: `time-unit-${each}` }))}
            onChange={(next) => {
              setChosen(null);
              setUnit(next);
            }}
          />
        ) : null}
        <Segmented
          label={t.time.clock}
          value={byDecision ? 'decided' : 'said'}
          testId={TESTIDS.timeClock}
          choices={[
            { value: 'said', label: t.time.bySaid, testId: 'time-said' },
            { value: 'decided', label: t.time.byDecided, testId: 'time-decided' },
          ]}
          onChange={(next) => setByDecision(next === 'decided')}
        />
        <span className={css.space} />
        {zoom ? (
          <Button size="s" tone="quiet" testId={TESTIDS.timeBack} onClick={() => look(null)}>
            {t.app.showAll}
          </Button>
        ) : null}
        <Segmented
          label={t.time.show}
          value={isTable ? 'table' : 'chart'}
          testId={TESTIDS.timeView}
          choices={[
            { value: 'chart', label: t.time.chart, testId: 'time-picture' },
            { value: 'table', label: t.time.table, testId: 'time-table' },
          ]}
          onChange={setView}
        />
      </div>
      {isTable ? <TimeTable shown={shown} /> : <Plot key={`${shown.edges[0] ?? 0} ${shown.unit}`} shown={shown} isPage={isPage} chosen={chosen} onChoose={setChosen} onOpen={(at) => openPeriod(shown, at, { person, topic })} />}
      {chosen && !isTable ? <ChosenBar shown={shown} chosen={chosen} of={{ person, topic }} onLook={look} onClear={() => setChosen(null)} /> : null}
      <p className={css.note}>
        {t.time.zone(zoneName())}
        {outside > 0 ? ` ${t.time.outside(outside)}` : ''}
      </p>
    </div>
  );
}

interface Of {
  person?: string;
  topic?: string;
}

/** Opens the conversations with messages in a period, limited to the person or topic of the chart. */
function openPeriod(shown: Shown, { from, to }: Chosen, of: Of): void {
  const [begin, end] = [shown.edges[from] ?? 0, shown.edges[to + 1] ?? 0];
  go('conversations', { period: { from: begin, to: end, name: spanName(shown.unit, begin, end, to - from + 1), ...of } });
}

function ChosenBar({ shown, chosen, of, onLook, onClear }: { shown: Shown; chosen: Chosen; of: Of; onLook: (next: { from: number; to: number }) => void; onClear: () => void }) {
  const [begin, end] = [shown.edges[chosen.from] ?? 0, shown.edges[chosen.to + 1] ?? 0];
  const sum = (series: Shown['messages']) => Array.from({ length: chosen.to - chosen.from + 1 }, (_, at) => sumAt(series, chosen.from + at)).reduce((all, each) => all + each, 0);
  const messages = sum(shown.messages);
  // A day is the shortest period.
  const canLook = shown.unit !== 'day' && end - begin < (shown.edges[shown.edges.length - 1] ?? 0) - (shown.edges[0] ?? 0);
  return (
    <div className={css.chosen} data-testid={TESTIDS.timeChosen}>
      <span className={css.chosenWords}>
        <b>{spanName(shown.unit, begin, end, chosen.to - chosen.from + 1)}</b>
        <span className={css.muted}>{listed([t.time.readMessages(messages), t.time.readMemories(sum(shown.memories))])}</span>
      </span>
      <Button size="s" icon={<MessagesSquare size={14} aria-hidden="true" />} disabled={messages === 0} testId={TESTIDS.timeOpen} onClick={() => openPeriod(shown, chosen, of)}>
        {t.time.open}
      </Button>
      {canLook ? (
        <Button size="s" tone="quiet" icon={<ZoomIn size={14} aria-hidden="true" />} testId={TESTIDS.timeCloser} onClick={() => onLook({ from: begin, to: end })}>
          {t.time.closer}
        </Button>
      ) : null}
      <Button size="s" tone="quiet" onClick={onClear}>
        {t.time.clear}
      </Button>
    </div>
  );
}
