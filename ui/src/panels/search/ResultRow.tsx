/** One result: its kind, its place, the matching words, and why it matches. */
import { Layers, Library, MessageSquare, UserRound } from 'lucide-react';
import { memo } from 'react';
import type { SearchHit } from '../../api';
import { Marked, RelativeTime } from '../../design';
import { nameOf, t } from '../../strings';
import css from './Search.module.css';
import { excerptOf, firstLine } from './excerpt';

const ICONS = { message: MessageSquare, memory: Library, topic: Layers, person: UserRound } as const;

/** Maximum length of a line shown with a hit. */
const LINE_CHARS = 120;

export function KindIcon({ kind }: { kind: string }) {
  const Icon = ICONS[kind as keyof typeof ICONS] ?? MessageSquare;
  return (
    <span className={css.kind} title={nameOf(t.search.kindOne, kind)}>
      <Icon size={14} aria-hidden="true" />
      <span className="srOnly">{nameOf(t.search.kindOne, kind)}</span>
    </span>
  );
}

function Why({ hit }: { hit: SearchHit }) {
  // Matches by filter or name need no explanation.
  const said = hit.why.filter((why) => why !== 'filter' && why !== 'name').map((why) => nameOf(t.search.whyShort, why));
  return said.length === 0 ? null : <span className={css.whyShort}>{said.join(', ')}</span>;
}

/** The neighboring line because of which a message matches. */
function telling(hit: SearchHit) {
  return hit.why.includes('neighbour') ? hit.lines.find((line) => line.highlights.length > 0) : undefined;
}

export const ResultRow = memo(function ResultRow({ hit }: { hit: SearchHit }) {
  if (hit.kind === 'person') {
    return (
      <div className={css.row} data-kind="person" data-hit={hit.id}>
        <div className={css.rowLine}>
          <KindIcon kind="person" />
          <span className={css.rowTitle}>
            <Marked text={hit.text} ranges={hit.highlights} />
          </span>
          <span className={css.rowHandles}>{hit.handles.map((handle) => nameOf(t.channel, handle.split(':')[0] ?? '')).join(', ')}</span>
        </div>
      </div>
    );
  }
  const isTopic = hit.kind === 'topic';
  const title = isTopic ? firstLine(hit.text, hit.highlights) : null;
  const beside = telling(hit);
  const where = [hit.author, hit.conversation_title].filter((part) => part !== '').join(' · ');
  const shown = isTopic ? hit.lines[0] : hit;
  const excerpt = shown ? excerptOf(shown.text, shown.highlights, beside ? LINE_CHARS : undefined) : null;
  return (
    <div className={css.row} data-kind={hit.kind} data-hit={hit.id}>
      <div className={css.rowLine}>
        <KindIcon kind={hit.kind} />
        {title ? (
          <span className={css.rowTitle}>
            <Marked text={title.text} ranges={title.ranges} />
          </span>
        ) : (
          <span className={css.rowWhere}>{where}</span>
        )}
        <Why hit={hit} />
        <span className={css.rowDate}>
          <RelativeTime time={hit.time} date />
        </span>
      </div>
      {beside ? (
        <p className={css.beside}>
          <span className={css.besideWho}>{beside.author}: </span>
          <Marked {...excerptOf(beside.text, beside.highlights, LINE_CHARS)} />
        </p>
      ) : null}
      {excerpt ? (
        <p className={beside ? css.lineOne : css.excerpt}>
          <Marked text={excerpt.text} ranges={excerpt.ranges} />
        </p>
      ) : null}
    </div>
  );
});
