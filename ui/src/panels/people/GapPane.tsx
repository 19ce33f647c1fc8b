/** One capability gap: the request, how often and by whom it was made, all lines that show it, its task, and the decision. */
import { Check, X } from 'lucide-react';
import type { GapView, PersonView } from '../../api';
import { Badge, Button, PaneBody, PaneFoot, RelativeTime, shortDate } from '../../design';
import { useActions } from '../../keys';
import { openLine, openPerson, useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Fact } from '../shared/DetailPane';
import { PositionHeader } from '../shared/PaneSteps';
import { Quotes } from '../shared/Quote';
import { personName } from './clues';
import { isToDecide, needWords, personOf } from './gaps';
import css from './Gaps.module.css';
import { Section } from './parts';
import people from './People.module.css';

/** Number of lines shown at first. A gap has only a few lines, and each matters for the decision. */
const LINES = 8;

export const GAP_TONES: Readonly<Record<string, 'accent' | 'warn' | 'ok' | 'plain'>> = { detected: 'accent', reopened: 'warn', resolved: 'ok' };

export function GapPane({ gap, known, at, of }: { gap: GapView; known: readonly PersonView[]; at: number; of: number }) {
  const person = personOf(gap, known);
  useActions('people', { 'people.open': () => openLine(gap.lines[0]) });
  return (
    <>
      <PositionHeader scope="people" at={at} of={of} />
      <PaneBody label={t.gaps.detail} of={gap.id}>
        <article className={people.detail}>
          <h2 className={people.title} data-testid={TESTIDS.gapNeed}>
            {needWords(gap)}
          </h2>
          <p className={people.facts}>
            <Badge tone={GAP_TONES[gap.status] ?? 'plain'}>{nameOf(t.gaps.states, gap.status)}</Badge>
            <span title={gap.description}>{t.gaps.wanted(gap.frequency)}</span>
          </p>
          <Task gap={gap} />
          <dl className={css.facts}>
            <Fact name={t.gaps.with}>
              {person ? (
                <button type="button" className={css.person} onClick={() => openPerson(person.id)}>
                  {person.is_owner ? t.people.you : personName(person)}
                </button>
              ) : (
                t.gaps.several
              )}
            </Fact>
            <Fact name={t.gaps.first}>
              <RelativeTime time={gap.first_seen} date />
            </Fact>
            <Fact name={t.gaps.last}>
              <RelativeTime time={gap.last_seen} date />
            </Fact>
          </dl>
          <Section title={t.gaps.evidence}>{gap.lines.length === 0 ? <p className={people.hint}>{t.app.linesErased}</p> : <Quotes lines={gap.lines} shown={LINES} />}</Section>
        </article>
      </PaneBody>
      {isToDecide(gap) ? (
        <PaneFoot label={t.gaps.detail}>
          <Button tone="primary" icon={<Check size={16} aria-hidden="true" />} action="people.confirm" testId={TESTIDS.gapConfirm}>
            {gap.status === 'reopened' ? t.gaps.confirmAgain : t.gaps.confirm}
          </Button>
          <Button icon={<X size={16} aria-hidden="true" />} action="people.dismiss" testId={TESTIDS.gapDismiss}>
            {t.gaps.dismiss}
          </Button>
        </PaneFoot>
      ) : null}
    </>
  );
}

/** The task: its file, and whether its box is checked. */
function Task({ gap }: { gap: GapView }) {
  const now = useNow();
  if (!gap.task) return null;
  const resolved = gap.resolved === null ? null : shortDate(gap.resolved, now);
  const said =
    gap.status === 'reopened' ? (resolved === null ? t.gaps.cameBackUndated : t.gaps.cameBack(resolved)) : gap.task.status === 'resolved' ? t.gaps.taskDone(resolved) : t.gaps.taskOpen;
  return (
    <div className={css.task} data-status={gap.status} data-testid={TESTIDS.gapTask}>
      <p>{said}</p>
      {gap.task.file === null ? null : (
        <p>
          {t.gaps.taskIn} <span className={css.path}>{gap.task.file}</span>
        </p>
      )}
    </div>
  );
}
