/**
 * The status of a conversation in one line: whether it is still going on, the reasons, and open promises. Expanded, it also shows
 * the style, and the summary with the lines it covers. An excluded conversation has no status, because nothing is derived from
 * it.
 */
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { type ConversationRow, type ReasonView, type ConversationStatusView, type ToneView, useRpc } from '../../api';
import { action, ariaKeys, showKey, useActions } from '../../keys';
import { openConversation, useUiState } from '../../state';
import { duration, nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Promises, isOpen } from '../shared/Promises';
import { proposerNames } from '../shared/proposers';
import css from './ConversationStatus.module.css';

const KEYS = action('conversations.status').keys;

/** A reason in words. An unknown kind is shown by its name. */
export function reasonWords({ kind, silence_ms, usual_ms }: Pick<ReasonView, 'kind' | 'silence_ms' | 'usual_ms'>): string {
  const say = t.conversationStatus.reasons[kind];
  const inWords = (ms: number | null) => (ms === null ? null : duration(ms));
  return say ? say(inWords(silence_ms), inWords(usual_ms)) : nameOf({}, kind).toLowerCase();
}

export function toneWords(tone: ToneView): string {
  const words = t.conversationStatus;
  return words.toneOf([...(tone.pace === null ? [] : [nameOf(words.pace, tone.pace)]), words.words(tone.typical_words)]);
}

export function ConversationStatus({ row }: { row: ConversationRow }) {
  return row.is_private ? null : <Line row={row} />;
}

function Line({ row }: { row: ConversationRow }) {
  const { data } = useRpc('conversation_standing', { id: row.id });
  const [isShown, setShown] = useUiState('conversations.standing', false);
  const id = useId();
  const words = t.conversationStatus;
  const status = data ? data.status : row.status;
  useActions('conversations', { 'conversations.status': () => (status === null ? false : setShown(!isShown)) });
  // The status has not been determined yet, so nothing is shown.
  if (status === null) return null;
  const promised = data?.commitments.filter(isOpen).length ?? 0;
  return (
    <section className={css.conversationStatus} data-testid={TESTIDS.conversationStatus} data-status={status}>
      <button
        type="button"
        className={css.toggle}
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        aria-keyshortcuts={ariaKeys(KEYS)}
        title={`${isShown ? words.hide : words.show} (${showKey(KEYS[0] ?? '')})`}
        data-testid={TESTIDS.conversationStatusToggle}
        onClick={() => setShown(!isShown)}
      >
        <span className={css.status} data-status={status}>
          <span className={css.dot} aria-hidden="true" />
          {nameOf(words.status, status)}
        </span>
        <span className={css.why}>{data ? data.reasons.map(reasonWords).join(', ') : ''}</span>
        {promised > 0 ? <span className={css.open}>{words.openPromises(promised)}</span> : null}
        <ChevronDown size={14} className={css.chevron} aria-hidden="true" />
      </button>
      {isShown && data ? <Detail id={id} row={row} view={data} /> : null}
    </section>
  );
}

function Detail({ id, row, view }: { id: string; row: ConversationRow; view: ConversationStatusView }) {
  const { status, reasons, judge, tone, commitments, summary } = view;
  const words = t.conversationStatus;
  const line = (message: string, text: string) => (
    <button type="button" className={css.link} onClick={() => openConversation(row.id, message)}>
      {text}
    </button>
  );
  return (
    // Scrolls separately if there are many promises, so that the lines below stay visible. Focusable, so that it can be scrolled
    // by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div id={id} className={css.scroll} tabIndex={0} role="region" aria-label={words.title}>
      <dl className={css.detail} data-testid={TESTIDS.conversationStatusDetail}>
        <dt>{nameOf(words.status, status ?? '')}</dt>
        <dd>
          {nameOf(words.statusText, status ?? '')}{' '}
          {reasons.length > 0 ? (
            <span className={css.meta}>
              {words.why}:{' '}
              {reasons.map((reason, index) => (
                <span key={reason.kind}>
                  {index > 0 ? ', ' : ''}
                  {reason.place ? line(reason.place.message_id, reasonWords(reason)) : reasonWords(reason)}
                </span>
              ))}
              {judge ? `, ${words.judgedBy(proposerNames([judge]))}` : ''}.
            </span>
          ) : null}
        </dd>
        {tone ? (
          <>
            <dt>{words.tone}</dt>
            <dd>{toneWords(tone)}</dd>
          </>
        ) : null}
        {summary ? (
          <>
            <dt>{words.summary}</dt>
            <dd>
              <p className={css.summary}>{summary.text}</p>
              <p className={css.meta}>
                {words.covers} {line(summary.first_message_id, words.firstLine)} {words.to} {line(summary.last_message_id, words.lastLine)}, {proposerNames([summary.proposer])}
              </p>
            </dd>
          </>
        ) : null}
        {commitments.length > 0 ? (
          <>
            <dt>{t.promises.title}</dt>
            <dd>
              <Promises items={commitments} />
            </dd>
          </>
        ) : null}
      </dl>
    </div>
  );
}
