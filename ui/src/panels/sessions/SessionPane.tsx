/** One session: each field of its summary, with the line that proves it. */
import { type SessionDetail, type SessionItemView, type SessionListRow, useRpc } from '../../api';
import { Badge, Button, ErrorState, LoadingRows, PaneBody, PaneFoot, cx, fullTime, shortDate } from '../../design';
import { useActions } from '../../keys';
import { openConversation, useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { Significance } from './Significance';
import css from './Sessions.module.css';

/** The maker of a summary, for use within a sentence. */
const madeBy = (proposer: string) => (isBuiltIn(proposer) ? t.sessions.rules : proposerName(proposer));

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
  const { data: detail, error, refetch } = useRpc('session_get', { id: session.id }, { enabled: isRested });
  const words = t.sessions;
  const open = () => {
    const first = detail?.items.find((item) => item.field === 'intent') ?? detail?.items[0];
    openConversation(session.conversation_id, first?.line.message_id);
    return true;
  };
  useActions('sessions', { 'sessions.open': open });
  // Mood and depth are shown only if a line proves them.
  const isShown = (field: string) => detail?.items.some((item) => item.field === field) ?? false;
  return (
    <>
      <PaneBody label={words.detail} of={session.id} testId={TESTIDS.sessionDetail}>
        <article className={css.detail}>
          <h2 className={css.title} data-testid={TESTIDS.sessionTitle}>
            {session.intent || words.noIntent}
          </h2>
          <p className={cx('num', css.facts)}>
            <span>{words.with(session.user, session.agent)}</span>
            <span>{shortDate(session.last, now)}</span>
            <span>{words.messages(session.messages)}</span>
            {session.is_distilled ? null : <Badge>{words.waiting}</Badge>}
          </p>
          <dl className={css.values}>
            <div>
              <dt>{words.fields['outcome']}</dt>
              <dd>{nameOf(words.outcomes, session.outcome)}</dd>
            </div>
            <div>
              <dt>{words.significance(session.significance)}</dt>
              <dd>
                <Significance level={session.significance} />
              </dd>
            </div>
            {isShown('user_mood') ? (
              <div>
                <dt>{words.mood}</dt>
                <dd>{nameOf(words.moods, session.user_mood)}</dd>
              </div>
            ) : null}
            {isShown('technical_depth') ? (
              <div>
                <dt>{words.depth}</dt>
                <dd>{nameOf(words.depths, session.technical_depth)}</dd>
              </div>
            ) : null}
          </dl>
          <p className={css.madeBy} data-testid={TESTIDS.sessionMadeBy}>
            {words.madeBy(madeBy(session.proposer))}
          </p>
          {error && !detail ? (
            <ErrorState title={words.detailFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : detail ? (
            <Known detail={detail} />
          ) : (
            <LoadingRows rows={4} />
          )}
        </article>
      </PaneBody>
      <PaneFoot label={words.detail}>
        <Button action="sessions.open" onClick={open}>
          {t.people.openLine}
        </Button>
      </PaneFoot>
    </>
  );
}

function Known({ detail }: { detail: SessionDetail }) {
  const now = useNow();
  return (
    <>
      {FIELDS.map((field) => {
        const own = detail.items.filter((item) => item.field === field);
        return own.length === 0 ? null : (
          <section key={field} className={css.section} data-field={field}>
            <h3 className={css.heading}>{nameOf(t.sessions.fields, field)}</h3>
            <ul className={css.lines}>
              {own.map((item) => (
                <li key={`${item.line.message_id} ${item.line.start} ${item.name ?? ''}`}>
                  <Line item={item} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {detail.versions.length > 1 ? (
        <section className={css.section}>
          <h3 className={css.heading}>{t.sessions.earlier}</h3>
          <p className={css.hint}>{t.sessions.earlierText}</p>
          <ul className={css.lines}>
            {detail.versions
              .filter((version) => !version.is_current)
              .map((version) => (
                <li key={version.id} className={cx('num', css.version)} data-testid={TESTIDS.sessionVersion}>
                  {t.sessions.version(version.messages, shortDate(version.made, now), madeBy(version.proposer))}
                </li>
              ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Line({ item }: { item: SessionItemView }) {
  const { line } = item;
  const isNamed = item.name !== null && (item.field === 'tools_used' || item.field === 'knowledge_learned' || item.field === 'errors_encountered');
  const name = item.field === 'knowledge_learned' ? nameOf(t.sessions.kinds, item.name ?? '') : t.sessions.uses(item.name ?? '', item.uses);
  return (
    <button type="button" className={css.said} data-testid={TESTIDS.sessionItem} title={`${line.conversation_title} · ${fullTime(line.time)}`} onClick={() => openConversation(line.conversation_id, line.message_id)}>
      <span className={css.author}>
        {line.author}
        {isNamed ? <span className={css.tag}>{name}</span> : null}
      </span>
      <span className={css.words}>{item.text}</span>
    </button>
  );
}
