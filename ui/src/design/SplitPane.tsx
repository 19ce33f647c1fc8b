/** A list next to a detail, with a divider that can be dragged or moved by keys. The width is remembered. */
import { type ReactNode, useRef } from 'react';
import { useUiState } from '../state/uiState';
import { t } from '../strings';
import css from './SplitPane.module.css';

const LIST_MIN = 280;
const LIST_MAX = 560;
const STEP = 16;

const clampWidth = (width: number) => Math.round(Math.max(LIST_MIN, Math.min(LIST_MAX, width)));

/** `name` is the key under which the width is remembered, one per panel. */
export function SplitPane({ name, list, detail, initial = 380 }: { name: string; list: ReactNode; detail: ReactNode; initial?: number }) {
  const [width, setWidth] = useUiState(`pane.${name}`, initial);
  const frame = useRef<HTMLDivElement>(null);
  const drag = (event: React.PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const left = frame.current?.getBoundingClientRect().left ?? 0;
    setWidth(clampWidth(event.clientX - left));
  };
  const key = (event: React.KeyboardEvent) => {
    const to = { ArrowLeft: width - STEP, ArrowRight: width + STEP, Home: LIST_MIN, End: LIST_MAX }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setWidth(clampWidth(to));
  };
  return (
    <div ref={frame} className={css.split} style={{ '--list': `${clampWidth(width)}px` } as React.CSSProperties}>
      <section className={css.list}>{list}</section>
      {/* A movable divider is an interactive control (in ARIA, a separator with a value). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
      <div
        className={css.divider}
        role="separator"
        aria-orientation="vertical"
        aria-label={t.app.resize}
        aria-valuemin={LIST_MIN}
        aria-valuemax={LIST_MAX}
        aria-valuenow={clampWidth(width)}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => setWidth(initial)}
        onKeyDown={key}
      />
      <section className={css.detail}>{detail}</section>
    </div>
  );
}
