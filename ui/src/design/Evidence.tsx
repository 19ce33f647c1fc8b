/** Lines of a conversation in which the words that prove a memory are highlighted. */
import type { Line } from '../api/schema';
import { nameOf, t } from '../strings';
import { type CodePointSpan, segmentsOf } from './codePoints';
import { cx } from './cx';
import css from './Evidence.module.css';
import { RelativeTime } from './RelativeTime';

/** A text with highlighted ranges. Offsets are code points. */
export function Marked({ text, ranges }: { text: string; ranges: readonly CodePointSpan[] }) {
  return (
    <>
      {segmentsOf(text, ranges).map((segment) =>
        segment.spans.length > 0 ? (
          <mark key={segment.start} className={css.mark}>
            {segment.text}
          </mark>
        ) : (
          <span key={segment.start}>{segment.text}</span>
        ),
      )}
    </>
  );
}

/** A text with one highlighted span. */
export function Highlighted({ text, start, end }: { text: string; start: number; end: number }) {
  return <Marked text={text} ranges={[{ start, end }]} />;
}

/** One line: author, time, text. `span` marks the line of evidence; the others are context. */
export function EvidenceLine({ line, span }: { line: Line; span?: { start: number; end: number } }) {
  const name = line.role === 'owner' ? t.role.owner : line.author || nameOf(t.role, line.role);
  return (
    <div className={cx(css.line, span ? css.said : css.context)}>
      <div className={css.who}>
        <span className={css.author} data-role={line.role}>
          {name ?? line.author}
        </span>
        <RelativeTime time={line.time} absolute />
      </div>
      <p className={css.text}>
        {span ? <Highlighted text={line.text} start={span.start} end={span.end} /> : line.text}
        {line.is_cut ? <span className={css.cut}> … {t.memory.cut}</span> : null}
      </p>
    </div>
  );
}
