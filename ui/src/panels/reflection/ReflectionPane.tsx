/** One cleanup proposal: before and after, the reason, the lines it is based on, and the answers. */
import { Archive, Check, RotateCcw, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { type ReflectionDetail, type ReflectionListRow, type ReflectionSide, type ReflectionSource, useRpc } from '../../api';
import { Badge, Button, fullTime, shownStatement } from '../../design';
import { useActions } from '../../keys';
import { openConversation, openLine, openMemory } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { DetailPane, type RowAnswer, RowAnswers } from '../shared/DetailPane';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { VisibilityMark } from '../shared/Visibility';
import { type Status, mayBecome } from './acts';
import css from './Reflection.module.css';

const ANSWERS: readonly RowAnswer<Status>[] = [
  { to: 'accepted', action: 'reflection.accept', label: t.reflection.accept, icon: Check, tone: 'primary', testId: TESTIDS.reflectionAccept },
  { to: 'refused', action: 'reflection.refuse', label: t.reflection.refuse, icon: X, testId: TESTIDS.reflectionRefuse },
  { to: 'parked', action: 'reflection.park', label: t.reflection.park, icon: Archive, tone: 'quiet', testId: TESTIDS.reflectionPark },
  { to: 'open', action: 'reflection.restore', label: t.reflection.restore, icon: RotateCcw, tone: 'quiet', testId: TESTIDS.reflectionRestore },
];

export function ReflectionPane({ row, isRested }: { row: ReflectionListRow; isRested: boolean }) {
  const answer = useRpc('reflection_get', { id: row.id }, { enabled: isRested });
  useActions('reflection', { 'reflection.open': () => openLine(answer.data?.sources[0]) });
  return (
    <DetailPane
      className={css.detail}
      label={t.reflection.detail}
      of={row.id}
      testId={TESTIDS.reflectionDetail}
      title={nameOf(t.reflection.title, row.kind)}
      titleTestId={TESTIDS.reflectionTitle}
      marks={
        <>
          <Badge tone={row.status === 'accepted' ? 'accent' : undefined}>{nameOf(t.reflection.statuses, row.status)}</Badge>
          <VisibilityMark visibility={row.visibility} />
        </>
      }
      first={<p className={css.reason}>{row.is_parked_by_age ? `${row.reason} ${t.reflection.byAge}.` : row.reason}</p>}
      answer={answer}
      words={t.reflection}
      foot={<RowAnswers answers={ANSWERS} isPossible={(to) => mayBecome(row, to)} />}
    >
      {(detail) => <Known detail={detail} />}
    </DetailPane>
  );
}

function Known({ detail }: { detail: ReflectionDetail }) {
  return (
    <>
      <p className={css.reason} data-testid={TESTIDS.reflectionMadeBy}>
        {t.reflection.madeBy(isBuiltIn(detail.proposer) ? t.app.builtInEngine : proposerName(detail.proposer))}
      </p>
      <div className={css.sides}>
        <Sides title={t.reflection.before} testId={TESTIDS.reflectionBefore}>
          {detail.before.map((side) => (
            <Side key={side.memory_id} side={side} state={null} />
          ))}
        </Sides>
        <Sides title={t.reflection.after} testId={TESTIDS.reflectionAfter}>
          {detail.after.map((side) => (
            <Side key={side.memory_id} side={side} state={nameOf(t.reflection.states, side.state)} />
          ))}
        </Sides>
      </div>
      <Sources sources={detail.sources} />
    </>
  );
}

function Sources({ sources }: { sources: readonly ReflectionSource[] }) {
  const id = useId();
  return (
    <section className={css.part} aria-labelledby={id}>
      <h3 id={id} className={css.heading}>
        {t.reflection.restsTitle}
      </h3>
      <ul className={css.lines}>
        {sources.map((source) => (
          <li key={`${source.memory_id} ${source.message_id} ${source.quote}`}>
            <button type="button" className={css.line} title={t.app.openInConversation} data-testid={TESTIDS.reflectionSource} onClick={() => openConversation(source.conversation_id, source.message_id)}>
              <span className={css.quote}>{`“${source.quote}”`}</span>
              <span className={css.meta}>
                {source.author}, {fullTime(source.time)}, {source.title}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sides({ title, testId, children }: { title: string; testId: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} data-testid={testId}>
      <h3 id={id} className={css.heading}>
        {title}
      </h3>
      <ul className={css.cards}>{children}</ul>
    </section>
  );
}

/** A memory before or after the action, with the effect in words. */
function Side({ side, state }: { side: ReflectionSide; state: string | null }) {
  const isGone = side.state !== 'in_use';
  return (
    <li className={css.card} data-gone={isGone || undefined}>
      <p className={css.content}>{shownStatement(side.content)}</p>
      <p className={css.facts}>
        {state === null ? null : <span className={css.state}>{state}</span>}
        {isGone ? null : <span>{t.reflection.sources(side.sources)}</span>}
        {state === null ? (
          <Button size="s" tone="quiet" onClick={() => openMemory(side.memory_id)}>
            {t.audit.open}
          </Button>
        ) : null}
      </p>
    </li>
  );
}
