/** The Analyze button, and the line below the header with its state. */
import { CircleAlert, CircleCheck, Info, Lock, ScanSearch, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type ConversationRow, type JobView, call, useRpc } from '../../api';
import { Button, IconButton, Tooltip, momentAhead } from '../../design';
import { showError } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { JobProgress } from '../shared/JobProgress';
import { cancelJob, resultOf, retryJob } from '../shared/jobs';
import css from './Analyze.module.css';
import { type AnalyzeState, type Answer, analyzeState } from './analysis';

export interface Analyze {
  readonly state: AnalyzeState;
  readonly paused: boolean;
  readonly pausedUntil: number | null;
  readonly start: (force: boolean) => void;
  /** Hides a notice. */
  readonly clear: () => void;
}

const analysisOf = (job: JobView) => resultOf(job, 'analysis_id');

/** `onDone` is called once when an analysis started here has ended. */
export function useAnalyze(row: ConversationRow, onDone: (analysis: string) => void): Analyze {
  const { data } = useRpc('jobs_list', {});
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isDismissed, setDismissed] = useState(false);
  const notified = useRef<string | null>(null);
  const full = analyzeState(row, data?.items ?? [], answer, analysisOf);
  const finished = full.kind === 'done' && answer?.outcome === 'queued' ? full.analysis : null;
  useEffect(() => {
    if (finished === null || notified.current === finished) return;
    notified.current = finished;
    onDone(finished);
  }, [finished, onDone]);
  const start = (force: boolean) => {
    if (full.kind === 'private' || full.kind === 'queued' || full.kind === 'running' || full.kind === 'cancelling') return;
    setDismissed(false);
    call('analyze_start', { id: row.id, force }).then((outcome) => setAnswer(outcome.outcome === 'private' ? null : outcome), showError);
  };
  return {
    state: isDismissed && full.kind === 'failed' ? { kind: 'ready' } : full,
    paused: data?.paused ?? false,
    pausedUntil: data?.paused_until ?? null,
    start,
    clear: () => {
      setAnswer(null);
      setDismissed(true);
    },
  };
}

export function AnalyzeButton({ analyze: { state, start } }: { analyze: Analyze }) {
  const { kind } = state;
  const isBusy = kind === 'queued' || kind === 'running' || kind === 'cancelling';
  const words = { queued: t.conversations.queued, running: t.conversations.running, cancelling: t.conversations.cancelling }[kind as string] ?? t.conversations.analyze;
  const button = (
    <Button
      size="s"
      tone="primary"
      icon={kind === 'private' ? <Lock size={14} aria-hidden="true" /> : <ScanSearch size={14} aria-hidden="true" />}
      action={kind === 'private' || isBusy ? undefined : 'conversations.analyze'}
      disabled={kind === 'private' || isBusy}
      aria-describedby={kind === 'private' ? 'analyze-reason' : undefined}
      data-state={kind}
      testId={TESTIDS.analyze}
      onClick={() => start(false)}
    >
      {words}
    </Button>
  );
  if (kind !== 'private') return button;
  return (
    <Tooltip text={t.conversations.analyzePrivate}>
      <span>
        {button}
        <span id="analyze-reason" className="srOnly">
          {t.conversations.analyzePrivate}
        </span>
      </span>
    </Tooltip>
  );
}

export function AnalyzeBar({ analyze, onResults }: { analyze: Analyze; onResults: (analysis: string) => void }) {
  const { state, start, clear, paused, pausedUntil } = analyze;
  const pausedText = pausedUntil === null ? t.conversations.queuedPaused : t.conversations.queuedPausedUntil(momentAhead(pausedUntil));
  switch (state.kind) {
    case 'running':
    case 'cancelling':
      return (
        <Bar state={state.kind}>
          <div className={css.progress} title={state.kind === 'cancelling' ? t.conversations.cancellingText : undefined}>
            <JobProgress job={state.job} />
          </div>
          <Button size="s" disabled={state.kind === 'cancelling'} testId={TESTIDS.analyzeCancel} onClick={() => cancelJob(state.job.id)}>
            {t.app.cancel}
          </Button>
        </Bar>
      );
    case 'queued':
      return (
        <Bar state="queued" icon={<Info size={14} aria-hidden="true" />} text={paused ? pausedText : state.job.error ? t.conversations.queuedRetry(state.job.error) : t.conversations.queuedText}>
          <Button size="s" testId={TESTIDS.analyzeCancel} onClick={() => cancelJob(state.job.id)}>
            {t.app.cancel}
          </Button>
        </Bar>
      );
    case 'failed':
      return (
        <Bar state="failed" icon={<CircleAlert size={14} aria-hidden="true" />} text={state.job.error ? t.conversations.failed(state.job.error) : t.conversations.failedPlain} onDismiss={clear}>
          <Button size="s" testId={TESTIDS.analyzeRetry} onClick={() => retryJob(state.job.id)}>
            {t.app.retry}
          </Button>
        </Bar>
      );
    case 'nothing_new':
      return (
        <Bar state="nothing_new" icon={<Info size={14} aria-hidden="true" />} text={t.conversations.nothingNew} onDismiss={clear}>
          <Button size="s" onClick={() => onResults(state.analysis)}>
            {t.conversations.showResults}
          </Button>
          <Button size="s" testId={TESTIDS.analyzeForce} onClick={() => start(true)}>
            {t.conversations.again}
          </Button>
        </Bar>
      );
    case 'too_short':
      return (
        <Bar state="too_short" icon={<Info size={14} aria-hidden="true" />} text={t.conversations.tooShort(state.messages, state.wanted)} onDismiss={clear}>
          <Button size="s" testId={TESTIDS.analyzeForce} onClick={() => start(true)}>
            {t.conversations.tooShortGo}
          </Button>
        </Bar>
      );
    case 'done':
      return (
        <Bar state="done" icon={<CircleCheck size={14} aria-hidden="true" />} text={t.conversations.finished} onDismiss={clear}>
          <Button size="s" onClick={() => onResults(state.analysis)}>
            {t.conversations.showResults}
          </Button>
        </Bar>
      );
    case 'ready':
    case 'private':
      return null;
  }
}

function Bar({ state, icon, text, children, onDismiss }: { state: string; icon?: ReactNode; text?: string; children: ReactNode; onDismiss?: () => void }) {
  return (
    <div className={css.bar} data-state={state} role="status" data-testid={TESTIDS.analyzeBar}>
      {icon}
      {text ? <span className={css.text}>{text}</span> : null}
      {children}
      {onDismiss ? (
        <IconButton label={t.app.dismiss} size="s" onClick={onDismiss}>
          <X size={14} />
        </IconButton>
      ) : null}
    </div>
  );
}
