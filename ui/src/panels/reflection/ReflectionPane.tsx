/** One clean-up proposal: before and after, the reason, the lines it is based on, and the answers. */
import { Archive, Check, RotateCcw, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { type ReflectionDetail, type ReflectionListRow, type ReflectionSide, type ReflectionSource, useRpc } from '../../api';
import { Badge, Button, ErrorState, LoadingRows, PaneBody, PaneFoot, fullTime, shownStatement } from '../../design';
import { useActions } from '../../keys';
import { openConversation, openMemory } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { VisibilityMark } from '../shared/Visibility';
import { type Status, decide, mayBecome } from './acts';
import css from './Reflection.module.css';

export function ReflectionPane({ row, isRested }: { row: ReflectionListRow; isRested: boolean }) {
  const { data: detail, error, refetch } = useRpc('reflection_get', { id: row.id }, { enabled: isRested });
  useActions('reflection', {
    'reflection.open': () => {
      const first = detail?.sources[0];
      if (!first) return false;
      openConversation(first.conversation_id, first.message_id);
      return true;
    },
  });
  const answer = (to: Status) => () => void decide([row], to);
  return (
    <>
      <PaneBody label={t.reflection.detail} of={row.id} testId={TESTIDS.reflectionDetail}>
        <article className={css.detail}>
          <header className={css.head}>
            <h2 className={css.title} data-testid={TESTIDS.reflectionTitle}>
              {nameOf(t.reflection.title, row.kind)}
            </h2>
            <Badge tone={row.status === 'accepted' ? 'accent' : undefined}>{nameOf(t.reflection.statuses, row.status)}</Badge>
            <VisibilityMark visibility={row.visibility} />
          </header>
          <p className={css.reason}>{row.is_parked_by_age ? `${row.reason} ${t.reflection.byAge}.` : row.reason}</p>
          {error && !detail ? (
            <ErrorState title={t.reflection.detailFailed} text={t.reflection.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : detail ? (
            <Known detail={detail} />
          ) : (
            <LoadingRows rows={4} />
          )}
        </article>
      </PaneBody>
      <PaneFoot label={t.reflection.detail}>
        {mayBecome(row, 'accepted') ? (
          <Button tone="primary" icon={<Check size={15} aria-hidden="true" />} action="reflection.accept" testId={TESTIDS.reflectionAccept} onClick={answer('accepted')}>
            {t.reflection.accept}
          </Button>
        ) : null}
        {mayBecome(row, 'refused') ? (
          <Button icon={<X size={15} aria-hidden="true" />} action="reflection.refuse" testId={TESTIDS.reflectionRefuse} onClick={answer('refused')}>
            {t.reflection.refuse}
          </Button>
        ) : null}
        {mayBecome(row, 'parked') ? (
          <Button tone="quiet" icon={<Archive size={15} aria-hidden="true" />} action="reflection.park" testId={TESTIDS.reflectionPark} onClick={answer('parked')}>
            {t.reflection.park}
          </Button>
        ) : null}
        {mayBecome(row, 'open') ? (
          <Button tone="quiet" icon={<RotateCcw size={15} aria-hidden="true" />} action="reflection.restore" testId={TESTIDS.reflectionRestore} onClick={answer('open')}>
            {t.reflection.restore}
          </Button>
        ) : null}
      </PaneFoot>
    </>
  );
}

function Known({ detail }: { detail: ReflectionDetail }) {
  return (
    <>
      <p className={css.reason} data-testid={TESTIDS.reflectionMadeBy}>
        {t.reflection.madeBy(isBuiltIn(detail.proposer) ? t.reflection.rules : proposerName(detail.proposer))}
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
            <button type="button" className={css.line} title={t.reflection.openLine} data-testid={TESTIDS.reflectionSource} onClick={() => openConversation(source.conversation_id, source.message_id)}>
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
