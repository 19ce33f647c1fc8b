/** Lines with the relevant words highlighted. Each opens its message. */
import { useState } from 'react';
import type { LineView } from '../../api';
import { Button, Highlighted, PrivateLock, fullTime } from '../../design';
import { openConversation } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Quote.module.css';
import { VisibilityMark } from './Visibility';

/** Number of lines shown at first, enough to be convincing. */
const QUOTES = 3;

export function Quote({ line }: { line: LineView }) {
  return (
    <button type="button" className={css.quote} title={t.app.openInConversation} data-testid={TESTIDS.quote} onClick={() => openConversation(line.conversation_id, line.message_id)}>
      <span className={css.meta}>
        <span className={css.author}>{line.author}</span>
        <span className="num">{fullTime(line.time)}</span>
        <span className={css.where}>{line.conversation_title}</span>
        <span>{nameOf(t.channel, line.channel)}</span>
        {line.is_private ? <PrivateLock /> : <VisibilityMark visibility={line.visibility} bare />}
      </span>
      <span className={css.text}>{line.end > line.start ? <Highlighted text={line.text} start={line.start} end={line.end} /> : line.text}</span>
    </button>
  );
}

/** Some of the lines, and all of them on request. */
export function Quotes({ lines, shown = QUOTES }: { lines: readonly LineView[]; shown?: number }) {
  const [isWhole, setWhole] = useState(false);
  const all = isWhole ? lines : lines.slice(0, shown);
  return (
    <>
      {all.map((line) => (
        <Quote key={`${line.message_id} ${line.start}`} line={line} />
      ))}
      {lines.length > all.length ? (
        <Button size="s" tone="quiet" className={css.more} onClick={() => setWhole(true)}>
          {t.people.showMore(lines.length - all.length)}
        </Button>
      ) : null}
    </>
  );
}
