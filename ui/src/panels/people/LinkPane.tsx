/** One suggested or answered link: both handles, the evidence with its lines, the effect, and the answers as buttons. */
import { Check, CircleHelp, Minus, Plus, Undo2, Unlink, X } from 'lucide-react';
import type { ClueView, LineView, LinkView, PersonHandle } from '../../api';
import { Button, PaneBody, PaneFoot, RelativeTime } from '../../design';
import { useActions } from '../../keys';
import { openConversation, openLine } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { PositionHeader } from '../shared/PaneSteps';
import { Quote } from '../shared/Quote';
import { clueWords, handleName, handleWithChannel } from './clues';
import { LinkPreview, usePreview } from './LinkPreview';
import { Section, Strength } from './parts';
import css from './People.module.css';

type Known = ReadonlyMap<string, PersonHandle>;

export function LinkPane({ link, handles, at, of }: { link: LinkView; handles: Known; at: number; of: number }) {
  const preview = usePreview(link.a.id, link.b.id);
  const isSame = link.status === 'same';
  const obstacle = isSame ? null : (preview.data?.obstacle ?? null);
  useActions('people', {
    'people.open': () => openLine([...link.for, ...link.against].flatMap((clue) => clue.lines)[0] ?? link.a_lines[0] ?? link.b_lines[0]),
    // If the link is not possible, the reason is shown and nothing is sent.
    ...(obstacle === null ? {} : { 'people.same': () => true }),
  });
  const given = t.people.answerGiven[link.status];
  return (
    <>
      <PositionHeader scope="people" at={at} of={of} />
      <PaneBody label={t.people.linkDetail} of={link.id}>
        <article className={css.detail}>
          <div className={css.head}>
            <h2 className={css.title} data-testid={TESTIDS.linkQuestion}>
              {t.people.question(handleName(link.a), handleName(link.b))}
            </h2>
          </div>
          <p className={css.facts}>
            <Strength strength={link.strength} />
            <span>{nameOf(t.people.strengthText, link.strength)}</span>
          </p>
          {given ? (
            <p className={css.given}>
              {given} {link.decided === null ? null : <RelativeTime time={link.decided} absolute />}
            </p>
          ) : null}
          <div className={css.sides}>
            <Side handle={link.a} lines={link.a_lines} />
            <Side handle={link.b} lines={link.b_lines} />
          </div>
          <Clues title={t.people.speaksFor} none={t.people.nothingFor} clues={link.for} link={link} handles={handles} isFor testId={TESTIDS.linkFor} />
          <Clues title={t.people.speaksAgainst} none={t.people.nothingAgainst} clues={link.against} link={link} handles={handles} testId={TESTIDS.linkAgainst} />
          <Section title={isSame ? t.people.whatNow : t.people.whatSame}>
            <LinkPreview preview={preview} isMade={isSame} />
          </Section>
        </article>
      </PaneBody>
      <PaneFoot label={t.people.linkDetail}>
        {isSame ? null : (
          <Button tone="primary" icon={<Check size={16} aria-hidden="true" />} action="people.same" testId={TESTIDS.linkSame} disabled={obstacle !== null} title={obstacle ?? undefined}>
            {t.people.same}
          </Button>
        )}
        {link.status === 'different' ? null : (
          <Button icon={<X size={16} aria-hidden="true" />} action="people.different" testId={TESTIDS.linkDifferent}>
            {t.people.different}
          </Button>
        )}
        {link.status === 'unsure' ? null : (
          <Button icon={<CircleHelp size={16} aria-hidden="true" />} action="people.unsure" testId={TESTIDS.linkUnsure}>
            {t.people.unsure}
          </Button>
        )}
        <span className={css.space} />
        {link.status === 'open' ? null : (
          <Button
            tone="quiet"
            icon={isSame ? <Unlink size={15} aria-hidden="true" /> : <Undo2 size={15} aria-hidden="true" />}
            action="people.undoAnswer"
            testId={TESTIDS.linkUndo}
           
          >
            {isSame ? t.people.unlink : t.people.undoAnswer}
          </Button>
        )}
      </PaneFoot>
    </>
  );
}

function Side({ handle, lines }: { handle: PersonHandle; lines: readonly LineView[] }) {
  return (
    <section className={css.side} aria-label={handleWithChannel(handle)}>
      <h3 className={css.sideName}>{handleName(handle)}</h3>
      <p className={css.sideMeta}>
        {nameOf(t.channel, handle.channel)}
        {handle.handle === handle.display_name ? null : <code className={css.address}>{handle.handle}</code>}
      </p>
      <dl className={css.sideFacts}>
        <div>
          <dt>{t.people.firstSeen}</dt>
          <dd>{handle.first === null ? '–' : <RelativeTime time={handle.first} date />}</dd>
        </div>
        <div>
          <dt>{t.people.lastSeen}</dt>
          <dd>{handle.last === null ? '–' : <RelativeTime time={handle.last} date />}</dd>
        </div>
        <div>
          <dt>{t.people.written}</dt>
          <dd className="num">{t.app.messages(handle.messages)}</dd>
        </div>
      </dl>
      {lines.length === 0 ? <p className={css.hint}>{t.app.noMessages}</p> : null}
      <ul className={css.samples} aria-label={t.people.sampleLines} hidden={lines.length === 0}>
        {lines.map((line) => (
          <li key={line.message_id}>
            <button type="button" className={css.sample} title={`${t.app.openInConversation}: ${line.conversation_title}`} onClick={() => openConversation(line.conversation_id, line.message_id)}>
              {line.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface CluesProps {
  title: string;
  none: string;
  clues: readonly ClueView[];
  link: LinkView;
  handles: Known;
  isFor?: boolean;
  testId: string;
}

function Clues({ title, none, clues, link, handles, isFor = false, testId }: CluesProps) {
  const Sign = isFor ? Plus : Minus;
  return (
    <Section title={title} testId={testId}>
      {clues.length === 0 ? <p className={css.hint}>{none}</p> : null}
      <ul className={css.clues}>
        {clues.map((clue, index) => {
          const words = clueWords(clue, link, handles);
          return (
            // oxlint-disable-next-line react/no-array-index-key -- reasons have no identity of their own
            <li key={`${clue.kind} ${index}`} className={css.clue}>
              <p className={css.clueText}>
                <Sign size={14} aria-hidden="true" />
                <span>
                  {words.text}.{words.more ? <span className={css.clueMore}> {words.more}</span> : null}
                </span>
                {words.conversation && clue.lines.length === 0 ? (
                  <Button size="s" tone="quiet" onClick={() => openConversation(words.conversation ?? '')}>
                    {t.app.openInConversation}
                  </Button>
                ) : null}
              </p>
              <div className={css.clueLines}>
                {clue.lines.map((line) => (
                  <Quote key={`${line.message_id} ${line.start}`} line={line} />
                ))}
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
