/** The result under the cursor: the whole text, the lines around it, and why it matches. */
import { CornerDownRight } from 'lucide-react';
import type { SearchHit, SearchLine } from '../../api';
import { Badge, Button, Marked, PaneBody, PaneFoot, PaneHeader, RelativeTime } from '../../design';
import { actOn, useActions } from '../../keys';
import { goFromResults } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { useMemoryDetail } from '../shared/detail';
import { MemoryBody } from '../shared/MemoryBody';
import css from './Search.module.css';
import { firstLine } from './excerpt';

/**
 * Maximum length shown. A longer text, such as a pasted page, would hide the lines around it, so it is read in its conversation.
 */
const SHOWN_CHARS_MAX = 4_000;

const OPENS: Readonly<Record<string, string>> = { message: t.app.openInConversation, memory: t.search.openMemory, topic: t.search.openTopic, person: t.search.openPerson };

const titleOf = (hit: SearchHit): string => (hit.kind === 'message' ? hit.conversation_title : nameOf(t.search.kindOne, hit.kind));

interface PreviewProps {
  hit: SearchHit;
  onOpen: () => void;
}

export function Preview({ hit, onOpen }: PreviewProps) {
  return (
    <div className={css.preview} data-testid={TESTIDS.searchDetail} data-hit={hit.id}>
      <PaneHeader level={2} title={titleOf(hit)}>
        {hit.kind === 'message' ? <Badge>{nameOf(t.channel, hit.channel_type)}</Badge> : null}
      </PaneHeader>
      <PaneBody label={t.search.detail} of={`${hit.kind} ${hit.id}`}>
        <div className={css.previewBody} data-kind={hit.kind}>
          <Body hit={hit} />
          {/* One of the nearest messages may have no reason at all. */}
          {hit.why.length > 0 ? (
            <section className={css.why} aria-label={t.search.why} data-testid={TESTIDS.searchWhy}>
              <h3 className={css.whyTitle}>{t.search.why}</h3>
              <ul>
                {hit.why.map((why) => (
                  <li key={why}>{nameOf(t.search.whyLong, why)}</li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
      </PaneBody>
      <PaneFoot label={t.search.detail}>
        <Button tone="primary" action="search.open" icon={<CornerDownRight size={14} aria-hidden="true" />} testId={TESTIDS.searchOpen} onClick={onOpen}>
          {OPENS[hit.kind] ?? t.app.openInConversation}
        </Button>
      </PaneFoot>
    </div>
  );
}

function Body({ hit }: { hit: SearchHit }) {
  if (hit.kind === 'memory') return <Memory hit={hit} />;
  if (hit.kind === 'topic') return <Topic hit={hit} />;
  if (hit.kind === 'person') return <Person hit={hit} />;
  const before = hit.lines.filter((line) => line.offset < 0);
  const after = hit.lines.filter((line) => line.offset > 0);
  return (
    <div className={css.around} role="group" aria-label={t.search.around} data-testid={TESTIDS.searchAround}>
      {before.map((line) => (
        <Beside key={line.message_id} line={line} />
      ))}
      <Said author={hit.author} time={hit.time} text={hit.text} ranges={hit.highlights} isHit />
      {after.map((line) => (
        <Beside key={line.message_id} line={line} />
      ))}
    </div>
  );
}

const Beside = ({ line }: { line: SearchLine }) => <Said author={line.author} time={line.time} text={line.text} ranges={line.highlights} />;

function Said({ author, time, text, ranges, isHit = false }: { author: string; time: number; text: string; ranges: SearchHit['highlights']; isHit?: boolean }) {
  const points = Array.from(text);
  const isCut = points.length > SHOWN_CHARS_MAX;
  return (
    <div className={isHit ? css.saidHit : css.said} data-hit={isHit || undefined}>
      <div className={css.who}>
        <span className={css.author}>{author}</span>
        <RelativeTime time={time} absolute />
      </div>
      <p className={css.text}>
        <Marked text={isCut ? points.slice(0, SHOWN_CHARS_MAX).join('') : text} ranges={ranges} />
        {isCut ? <span className={css.cut}> … {t.memory.cut}</span> : null}
      </p>
    </div>
  );
}

/** Details are loaded once the cursor rests, as everywhere; until then, the data of the hit is shown. */
function Memory({ hit }: { hit: SearchHit }) {
  const { data: detail } = useMemoryDetail(hit.id, null);
  const proof = detail?.evidence[0];
  useActions('search', { 'search.source': () => actOn(proof, ({ conversation_id, interaction_id }) => goFromResults('conversations', { conversation: conversation_id, message: interaction_id })) });
  if (detail) return <MemoryBody row={detail.row} detail={detail} statementTestId={TESTIDS.memoryStatement} sourceAction="search.source" />;
  return (
    <p className={css.statement}>
      <Marked text={hit.text} ranges={hit.highlights} />
    </p>
  );
}

function Topic({ hit }: { hit: SearchHit }) {
  const title = firstLine(hit.text, hit.highlights);
  return (
    <>
      <h2 className={css.statement}>
        <Marked text={title.text} ranges={title.ranges} />
      </h2>
      <div className={css.around} role="group" aria-label={t.search.topicLines}>
        {hit.lines.map((line) => (
          <Beside key={line.message_id + line.text} line={line} />
        ))}
      </div>
    </>
  );
}

function Person({ hit }: { hit: SearchHit }) {
  return (
    <>
      <h2 className={css.statement}>
        <Marked text={hit.text} ranges={hit.highlights} />
      </h2>
      <h3 className={css.whyTitle}>{t.search.handles}</h3>
      <ul className={css.handles}>
        {hit.handles.map((handle) => {
          const [channel = '', ...rest] = handle.split(':');
          return (
            <li key={handle}>
              {nameOf(t.channel, channel)} <span className={css.handle}>{rest.join(':')}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
