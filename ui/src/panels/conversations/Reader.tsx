/** One conversation: its header with visibility and Analyze, and its messages. */
import { Globe, GlobeLock, History, Lock, LockOpen } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { type ConversationRow, useRpc } from '../../api';
import { Badge, Button, ErrorState, LoadingRows, PaneHeader, Tooltip, cx, hatched, shortDate } from '../../design';
import { useActions } from '../../keys';
import { go, openConversation, rememberWords, reviewConversation, showToast, useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { EraseMenu } from '../shared/EraseMenu';
import { AnalysisDialog } from './AnalysisDialog';
import { AnalyzeBar, AnalyzeButton, useAnalyze } from './Analyze';
import { Messages } from './Messages';
import { PrivacyDialog } from './PrivacyDialog';
import { ConversationStatus } from './ConversationStatus';
import { selectedWords } from './selectedWords';
import { VisibilityDialog } from './VisibilityDialog';
import { UnidentifiedSpeakersBar, UnidentifiedSpeakersButton, UnidentifiedSpeakersDialog, useUnidentifiedSpeakers } from './UnidentifiedSpeakers';
import css from './Reader.module.css';
import type { ReaderPart } from './index';

interface ReaderProps {
  id: string;
  message: string | null;
  onGone: (id: string) => void;
  /** Called when a part is loaded and its keys act on this conversation. */
  onReady: (part: ReaderPart, id: string) => void;
}

export function Reader({ id, message, onGone, onReady }: ReaderProps) {
  const { data: row, error, refetch } = useRpc('conversation_get', { id });
  // The conversation was erased, or removed with the sample data, since it was last open.
  const isGone = error?.code === 'not_found';
  useEffect(() => {
    if (!isGone) return;
    // A notice is shown only if a message was requested. A remembered conversation is dropped silently.
    if (message !== null) showToast({ text: t.conversations.gone, replaces: 'gone' });
    onGone(id);
  }, [isGone, id, message, onGone]);
  if (isGone) return null;
  if (error) {
    return <ErrorState title={t.conversations.readFailed} text={t.conversations.readFailedText} detail={error.message} onRetry={() => void refetch()} />;
  }
  if (!row) return <LoadingRows rows={6} height={88} />;
  return <Opened row={row} message={message} onReady={onReady} />;
}

const countOf = (response: { items: readonly unknown[] }) => response.items.length;

function Opened({ row, message, onReady }: { row: ConversationRow; message: string | null; onReady: ReaderProps['onReady'] }) {
  const [privacyOpen, setPrivacyOpen] = useState(false);
  const [privateTimeOpen, setPrivateTimeOpen] = useState(false);
  const [visibilityOpen, setVisibilityOpen] = useState(false);
  const [speakersOpen, setSpeakersOpen] = useState(false);
  const speakers = useUnidentifiedSpeakers(row);
  const [results, setResults] = useState<{ analysis: string | null } | null>(null);
  const analyze = useAnalyze(row, (analysis) => setResults({ analysis }));
  const { data: analyses = 0, isPending: isCounting } = useRpc('analyses_list', { id: row.id }, { select: countOf });
  const now = useNow();
  useActions('conversations', {
    'conversations.visibility': () => setVisibilityOpen(true),
    'conversations.private': () => setPrivacyOpen(true),
    'conversations.analyze': () => analyze.start(false),
    'conversations.remember': () => {
      const chosen = selectedWords(window.getSelection());
      if (!chosen) return showToast({ text: t.conversations.selectFirst, replaces: 'decision' });
      return rememberWords(chosen.message, chosen.start, chosen.end);
    },
    'conversations.results': () => (analyses > 0 ? setResults({ analysis: null }) : false),
  });
  // Runs after this component's own handlers are registered, so that a held key reaches them.
  useEffect(() => onReady('head', row.id), [onReady, row.id]);
  useEffect(() => {
    if (!isCounting) onReady('results', row.id);
  }, [isCounting, onReady, row.id]);
  const onMessages = useCallback(() => onReady('messages', row.id), [onReady, row.id]);
  const from = shortDate(row.first, now);
  const to = shortDate(row.last, now);
  return (
    <div className={cx(css.reader, row.is_private && hatched)} data-conversation={row.id} data-private={row.is_private}>
      <PaneHeader title={row.title} level={1}>
        {analyses > 0 ? (
          <Tooltip text={t.conversations.resultsLabel(analyses)} keys="R">
            <Button
              size="s"
              tone="quiet"
              className={css.compact}
              icon={<History size={14} aria-hidden="true" />}
              label={t.conversations.resultsLabel(analyses)}
              testId={TESTIDS.analysesOpen}
              onClick={() => setResults({ analysis: null })}
            >
              {t.conversations.results}
            </Button>
          </Tooltip>
        ) : null}
        <Button
          size="s"
          tone="quiet"
          className={css.compact}
          icon={row.visibility === 'public' ? <Globe size={14} aria-hidden="true" /> : <GlobeLock size={14} aria-hidden="true" />}
          action="conversations.visibility"
          title={`${t.privacy.whoSees}: ${nameOf(t.privacy.visibilityLong, row.visibility)}`}
          testId={TESTIDS.visibilityOpen}
          onClick={() => setVisibilityOpen(true)}
        >
          {nameOf(t.privacy.visibility, row.visibility)}
          <span className="srOnly"> – {t.privacy.whoSees.toLowerCase()}</span>
        </Button>
        <Button
          size="s"
          tone={row.is_private ? 'plain' : 'quiet'}
          className={css.compact}
          icon={row.is_private ? <Lock size={14} aria-hidden="true" /> : <LockOpen size={14} aria-hidden="true" />}
          action="conversations.private"
          title={row.is_private ? t.conversations.makeNotPrivateHint : undefined}
          aria-pressed={row.is_private}
          testId={TESTIDS.privacyToggle}
          onClick={() => setPrivacyOpen(true)}
        >
          {row.is_private ? t.conversations.makeNotPrivate : t.conversations.makePrivate}
        </Button>
        <AnalyzeButton analyze={analyze} />
        <EraseMenu label={t.erase.menuConversation} target={{ kind: 'conversation', id: row.id, name: row.title }} testId={TESTIDS.conversationMore} />
      </PaneHeader>
      <div className={css.facts}>
        <span className={css.fact}>{nameOf(t.channel, row.channel_type)}</span>
        <span className={cx(css.fact, css.people)} title={t.conversations.participants(row.participants)}>
          {t.conversations.participants(row.participants)}
        </span>
        <span className={cx(css.fact, 'num')}>{t.app.messages(row.messages)}</span>
        <span className={cx(css.fact, 'num')}>
          {row.is_time_inferred ? '≈ ' : ''}
          {from === to ? from : `${from} – ${to}`}
        </span>
        {row.is_sample ? (
          <span className={css.sample}>
            <Badge>{t.conversations.sample}</Badge>
          </span>
        ) : null}
        <span className={css.space} />
        <UnidentifiedSpeakersButton meeting={speakers} onAsk={() => setSpeakersOpen(true)} />
        {row.memories_pending > 0 ? (
          <button type="button" className={css.link} onClick={() => reviewConversation(row.id)}>
            {t.conversations.memoriesPending(row.memories_pending)}
          </button>
        ) : null}
        {row.memories_active > 0 ? (
          <button type="button" className={css.link} onClick={() => go('memories', { onlyConversation: row.id })}>
            {t.app.memories(row.memories_active)}
          </button>
        ) : null}
      </div>
      {row.is_private ? (
        <div className={css.private}>
          <Lock size={13} aria-hidden="true" />
          {t.conversations.privateLine}
        </div>
      ) : row.has_private_time ? (
        <div className={css.private}>
          <Lock size={13} aria-hidden="true" />
          {t.conversations.privateTimeLine}
          <button type="button" className={css.link} data-testid={TESTIDS.privacyTime} onClick={() => setPrivateTimeOpen(true)}>
            {t.conversations.privateTimeOpen}
          </button>
        </div>
      ) : null}
      <ConversationStatus row={row} />
      <UnidentifiedSpeakersBar meeting={speakers} onAsk={() => setSpeakersOpen(true)} />
      <AnalyzeBar analyze={analyze} onResults={(analysis) => setResults({ analysis })} />
      <Messages row={row} target={message} onReady={onMessages} />
      {visibilityOpen ? <VisibilityDialog row={row} onClose={() => setVisibilityOpen(false)} /> : null}
      {speakersOpen ? <UnidentifiedSpeakersDialog row={row} onClose={() => setSpeakersOpen(false)} /> : null}
      {privateTimeOpen ? <PrivacyDialog row={row} offersPrivateTime onClose={() => setPrivateTimeOpen(false)} /> : null}
      {privacyOpen ? <PrivacyDialog row={row} onClose={() => setPrivacyOpen(false)} /> : null}
      {results ? (
        <AnalysisDialog
          row={row}
          analysis={results.analysis}
          onClose={() => setResults(null)}
          onLine={(line) => {
            setResults(null);
            openConversation(row.id, line);
          }}
        />
      ) : null}
    </div>
  );
}
