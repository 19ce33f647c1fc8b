/** One session: each field of its summary, with the line that proves it. */
import { type SessionDetail, type SessionItemView, type SessionListRow, useRpc } from '../../api';
import { Badge, Button, cx, fullTime, shortDate } from '../../design';
import { useActions } from '../../keys';
import { openConversation, useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { DetailPane, Fact, SaidLine, Section } from '../shared/DetailPane';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { Significance } from './Significance';
import css from './Sessions.module.css';

/** The maker of a summary, for use within a sentence. */
const madeBy = (proposer: string) => (isBuiltIn(proposer) ? t.app.builtInEngine : proposerName(proposer));

/** Fields in the order in which readers want them. */
const FIELDS = [
  'intent',
  'outcome',
  'facts_learned',
  'knowledge_learned',
  'preferences_noted',
  'active_goals',
  'follow_ups',
  'errors_encountered',
  'tools_used',
  'did',
  'heard',
  'said',
  'relationship_notes',
  'user_mood',
  'technical_depth',
] as const;

export function SessionPane({ session, isRested }: { session: SessionListRow; isRested: boolean }) {
  const now = useNow();
  const answer = useRpc('session_get', { id: session.id }, { enabled: isRested });
  const { data: detail } = answer;
  const words = t.sessions;
  useActions('sessions', {
    'sessions.open': () => {
      const first = detail?.items.find((item) => item.field === 'intent') ?? detail?.items[0];
      openConversation(session.conversation_id, first?.line.message_id);
      return true;
    },
  });
  // Mood and depth are shown only if a line proves them.
  const isShown = (field: string) => detail?.items.some((item) => item.field === field) ?? false;
  return (
    <DetailPane
      className={css.detail}
      label={words.detail}
      of={session.id}
      testId={TESTIDS.sessionDetail}
      title={session.intent || words.noIntent}
      titleTestId={TESTIDS.sessionTitle}
      facts={
        <>
          <span>{words.with(session.user, session.agent)}</span>
          <span>{shortDate(session.last, now)}</span>
          <span>{t.app.messages(session.messages)}</span>
          {session.is_distilled ? null : <Badge>{words.waiting}</Badge>}
        </>
      }
      first={
        <>
          <dl className={css.values}>
            <Fact name={words.fields['outcome'] ?? ''}>{nameOf(words.outcomes, session.outcome)}</Fact>
            <Fact name={words.significance(session.significance)}>
              <Significance level={session.significance} />
            </Fact>
            {isShown('user_mood') ? <Fact name={words.mood}>{nameOf(words.moods, session.user_mood)}</Fact> : null}
            {isShown('technical_depth') ? <Fact name={words.depth}>{nameOf(words.depths, session.technical_depth)}</Fact> : null}
          </dl>
          <p className={css.madeBy} data-testid={TESTIDS.sessionMadeBy}>
            {words.madeBy(madeBy(session.proposer))}
          </p>
        </>
      }
      answer={answer}
      words={words}
      foot={<Button action="sessions.open">{t.app.openInConversation}</Button>}
    >
      {(loaded) => <Known detail={loaded} />}
    </DetailPane>
  );
}

function Known({ detail }: { detail: SessionDetail }) {
  const now = useNow();
  return (
    <>
      {FIELDS.map((field) => {
        const own = detail.items.filter((item) => item.field === field);
        return own.length === 0 ? null : (
          <Section key={field} field={field} title={nameOf(t.sessions.fields, field)}>
            <ul className={css.lines}>
              {own.map((item) => (
                <li key={`${item.line.message_id} ${item.line.start} ${item.name ?? ''}`}>
                  <Line item={item} />
                </li>
              ))}
            </ul>
          </Section>
        );
      })}
      {detail.versions.length > 1 ? (
        <Section title={t.sessions.earlier} hint={t.sessions.earlierText}>
          <ul className={css.lines}>
            {detail.versions
              .filter((version) => !version.is_current)
              .map((version) => (
                <li key={version.id} className={cx('num', css.version)} data-testid={TESTIDS.sessionVersion}>
                  {t.sessions.version(version.messages, shortDate(version.made, now), madeBy(version.proposer))}
                </li>
              ))}
          </ul>
        </Section>
      ) : null}
    </>
  );
}

function Line({ item }: { item: SessionItemView }) {
  const { line } = item;
  const isNamed = item.name !== null && (item.field === 'tools_used' || item.field === 'knowledge_learned' || item.field === 'errors_encountered');
  const name = item.field === 'knowledge_learned' ? nameOf(t.sessions.kinds, item.name ?? '') : t.sessions.uses(item.name ?? '', item.uses);
  return (
    <SaidLine conversation={line.conversation_id} message={line.message_id} testId={TESTIDS.sessionItem} title={`${line.conversation_title} · ${fullTime(line.time)}`} author={line.author} tag={isNamed ? name : undefined}>
      {item.text}
    </SaidLine>
  );
}
