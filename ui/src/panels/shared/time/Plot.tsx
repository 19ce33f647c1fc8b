/**
 * Two charts over the same periods: messages by channel, and memories by status.
 *
 * The bars are hidden from assistive technology. In front of them is a list of the periods, which screen readers read: it
 * contains the names and numbers, and handles keys and the pointer. A period without data is empty.
 */
import { Lock } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { TimelineSeries } from '../../../api';
import { cx } from '../../../design';
import { useWidth } from '../../../design/useWidth';
import { number, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { LABEL_PX, type Unit, axisLabels, periodName } from './periods';
import { mostOf, short, stacked, sumAt, ticks } from './scale';
import css from './Time.module.css';

export interface Shown {
  readonly unit: Unit;
  /** One more than the number of periods. */
  readonly edges: readonly number[];
  readonly messages: readonly TimelineSeries[];
  readonly memories: readonly TimelineSeries[];
}

/** A range of periods, both ends included. */
export interface Chosen {
  readonly from: number;
  readonly to: number;
}

const WIDTH_AT_FIRST = 640;
const LEFT = 40;
const RIGHT = 4;
const HEAD = 26;
/** Heights in px, as a section and on its own page. */
const HEIGHTS = { section: { messages: 120, memories: 76 }, page: { messages: 220, memories: 140 } } as const;
const AXIS = 20;
const GAP = 10;
/** Maximum width of a bar. */
const BAR_MAX = 44;

/** The numbers of one period, in words. */
export function stretchWords(shown: Shown, at: number): string {
  const parts = (series: readonly TimelineSeries[]) => series.filter((each) => (each.counts[at] ?? 0) > 0).map((each) => t.time.readPart(each.name, each.counts[at] ?? 0));
  const say = (total: string, series: readonly TimelineSeries[]) => (series.length > 0 ? `${total} (${parts(series).join(', ')})` : total);
  const [messages, memories] = [sumAt(shown.messages, at), sumAt(shown.memories, at)];
  const said = messages > 0 ? say(t.time.readMessages(messages), shown.messages) : '';
  const kept = memories > 0 ? say(t.time.readMemories(memories), shown.memories) : '';
  return [said, kept].filter(Boolean).join(' · ') || t.time.none;
}

export function Plot({ shown, isPage, chosen, onChoose, onOpen }: { shown: Shown; isPage: boolean; chosen: Chosen | null; onChoose: (next: Chosen | null) => void; onOpen: (at: Chosen) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const base = useId();
  const width = useWidth(frame) ?? WIDTH_AT_FIRST;
  const heights = isPage ? HEIGHTS.page : HEIGHTS.section;
  const count = shown.edges.length - 1;
  const inner = Math.max(60, width - LEFT - RIGHT);
  const band = inner / count;
  const [active, setActive] = useState<number | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const anchor = useRef<number | null>(null);
  const hasMemories = shown.memories.some((each) => each.total > 0);
  const memoriesTop = HEAD + heights.messages + GAP;
  const foot = hasMemories ? memoriesTop + HEAD + heights.memories : HEAD + heights.messages;
  const height = foot + AXIS;
  const at = pointed ?? active;
  const labels = axisLabels(shown.unit, shown.edges, inner);
  const nameAt = (index: number) => periodName(shown.unit, shown.edges[index] ?? 0, shown.edges[index + 1] ?? 0);
  const between = (a: number, b: number): Chosen => ({ from: Math.min(a, b), to: Math.max(a, b) });

  const columnAt = (event: React.PointerEvent) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    return Math.max(0, Math.min(count - 1, Math.floor((event.clientX - left) / band)));
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = active ?? count - 1;
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: count - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const next = active === null ? here : Math.max(0, Math.min(count - 1, to));
      if (event.shiftKey) {
        anchor.current ??= here;
        onChoose(between(anchor.current, next));
      } else {
        anchor.current = null;
      }
      setActive(next);
    } else if (event.key === ' ') {
      event.preventDefault();
      anchor.current = here;
      setActive(here);
      onChoose(between(here, here));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      onOpen(chosen ?? between(here, here));
    } else if (event.key === 'Escape' && chosen) {
      event.preventDefault();
      onChoose(null);
    }
  };

  return (
    <div ref={frame} className={css.plot}>
      <div className={css.canvas} style={{ height }}>
        <svg className={css.svg} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
          <defs>
            <pattern id={`${base}hatch`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect className={css.hatch} width="1.6" height="4" />
            </pattern>
          </defs>
          {chosen ? <rect className={css.chosenBand} x={LEFT + chosen.from * band} y={HEAD} width={(chosen.to - chosen.from + 1) * band} height={foot - HEAD} /> : null}
          {at === null ? null : <rect className={css.activeBand} x={LEFT + at * band} y={HEAD} width={band} height={foot - HEAD} />}
          <Bars kind="messages" series={shown.messages} top={HEAD} height={heights.messages} inner={inner} count={count} hatch={`url(#${base}hatch)`} />
          {hasMemories ? <Bars kind="memories" series={shown.memories} top={memoriesTop + HEAD} height={heights.memories} inner={inner} count={count} hatch={`url(#${base}hatch)`} /> : null}
          {labels.map((label) => (
            <g key={label.at}>
              {/* The label is below the bar if there is room; otherwise it begins at the start of the period. */}
              {band >= LABEL_PX ? null : <line className={css.tick} x1={LEFT + label.at * band + 0.5} x2={LEFT + label.at * band + 0.5} y1={foot} y2={foot + 4} />}
              <text className={cx(css.axisText, label.isYear && css.axisYear)} x={LEFT + label.at * band + (band >= LABEL_PX ? band / 2 : 3)} y={foot + 15} textAnchor={band >= LABEL_PX ? 'middle' : 'start'}>
                {label.text}
              </text>
            </g>
          ))}
        </svg>
        <Legend title={t.time.messages} series={shown.messages} kind="messages" top={0} />
        {hasMemories ? <Legend title={t.time.memories} series={shown.memories} kind="memories" top={memoriesTop} /> : null}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role */}
        <div
          className={css.columns}
          style={{ left: LEFT, top: HEAD, width: inner, height: height - HEAD }}
          role="listbox"
          tabIndex={0}
          aria-label={t.time.label}
          aria-orientation="horizontal"
          aria-multiselectable="true"
          aria-describedby={`${base}keys`}
          aria-activedescendant={active === null ? undefined : `${base}${active}`}
          data-testid={TESTIDS.timePlot}
          onKeyDown={onKeyDown}
          onFocus={() => setActive((now) => now ?? chosen?.to ?? count - 1)}
          onBlur={() => setActive(null)}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            const here = columnAt(event);
            event.currentTarget.setPointerCapture(event.pointerId);
            anchor.current = event.shiftKey && active !== null ? active : here;
            setActive(here);
            onChoose(between(anchor.current, here));
          }}
          onPointerMove={(event) => {
            const here = columnAt(event);
            setPointed(here);
            if (event.currentTarget.hasPointerCapture(event.pointerId) && anchor.current !== null) onChoose(between(anchor.current, here));
          }}
          onPointerLeave={() => setPointed(null)}
          onDoubleClick={() => onOpen(chosen ?? between(active ?? 0, active ?? 0))}
        >
          {Array.from({ length: count }, (_, index) => (
            // The list handles keys and the pointer, so a period needs no handlers.
            // oxlint-disable-next-line react/no-array-index-key, jsx-a11y/interactive-supports-focus
            <span key={index} id={`${base}${index}`} className={css.column} role="option" aria-selected={chosen !== null && chosen.from <= index && index <= chosen.to} aria-label={`${nameAt(index)}: ${stretchWords(shown, index)}`} data-testid={TESTIDS.timeStretch} />
          ))}
        </div>
      </div>
      <p className="srOnly" id={`${base}keys`}>
        {t.time.keys}
      </p>
      <p className={css.read} data-testid={TESTIDS.timeRead}>
        {at === null ? (
          <span className={css.muted}>{t.time.hint}</span>
        ) : (
          <>
            <b>{nameAt(at)}</b>
            <span className="num">{stretchWords(shown, at)}</span>
          </>
        )}
      </p>
    </div>
  );
}

type Kind = 'messages' | 'memories';

function Bars({ kind, series, top, height, inner, count, hatch }: { kind: Kind; series: readonly TimelineSeries[]; top: number; height: number; inner: number; count: number; hatch: string }) {
  const marks = ticks(mostOf(series, count), kind === 'messages' ? 3 : 2);
  const most = marks[marks.length - 1] ?? 1;
  const band = inner / count;
  const bar = Math.max(1, Math.min(BAR_MAX, band > 4 ? band - Math.max(1, band * 0.2) : band));
  const y = (value: number) => top + height - (value / most) * height;
  return (
    <g>
      {marks.map((mark) => (
        <g key={mark}>
          <line className={mark === 0 ? css.ground : css.grid} x1={LEFT} x2={LEFT + inner} y1={Math.round(y(mark)) + 0.5} y2={Math.round(y(mark)) + 0.5} />
          <text className={css.axisText} x={LEFT - 7} y={Math.round(y(mark)) + 4} textAnchor="end">
            {short(mark)}
          </text>
        </g>
      ))}
      {stacked(series, count).map((parts, at) => {
        const x = LEFT + at * band + (band - bar) / 2;
        return parts.map((part) => (
          // oxlint-disable-next-line react/no-array-index-key -- stretches of time have no other identity
          <g key={`${at} ${part.series}`} data-part={kind}>
            <rect className={css[`${kind}_${part.series}`]} x={x} y={y(part.to)} width={bar} height={Math.max(0.5, y(part.from) - y(part.to))} />
            {part.offRecord > 0 ? <rect fill={hatch} x={x} y={y(part.from + part.offRecord)} width={bar} height={y(part.from) - y(part.from + part.offRecord)} data-off-record /> : null}
          </g>
        ));
      })}
    </g>
  );
}

function Legend({ title, series, kind, top }: { title: string; series: readonly TimelineSeries[]; kind: Kind; top: number }) {
  const total = series.reduce((sum, each) => sum + each.total, 0);
  const offRecord = series.reduce((sum, each) => sum + each.off_record.reduce((all, count) => all + count, 0), 0);
  return (
    <div className={css.legend} style={{ top }}>
      <span className={css.legendTitle}>
        {title}
        <span className={cx('num', css.muted)}>{number(total)}</span>
      </span>
      {offRecord > 0 ? (
        <span className={css.legendItem} data-testid={TESTIDS.timeOffRecord}>
          <span className={cx(css.swatch, css.swatchHatch)} aria-hidden="true" />
          <Lock size={11} aria-hidden="true" />
          {t.time.offRecord} <span className={cx('num', css.muted)}>{number(offRecord)}</span>
        </span>
      ) : null}
      {series.map((each, index) =>
        each.total === 0 ? null : (
          <span key={each.name} className={css.legendItem}>
            <span className={cx(css.swatch, css[`swatch_${kind}_${index}`])} aria-hidden="true" />
            {each.name} <span className={cx('num', css.muted)}>{number(each.total)}</span>
          </span>
        ),
      )}
    </div>
  );
}
