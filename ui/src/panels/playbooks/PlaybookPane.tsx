/** One playbook: its steps, parameters, supporting and contradicting sessions, and the actions. */
import { Archive, Check, Download, RotateCcw, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { type PlaybookDetail, type PlaybookListRow, type PlaybookSessionView, call, useRpc } from '../../api';
import { Badge, Button, Dialog, ErrorState, LoadingRows, PaneBody, PaneFoot, cx, fullTime, shortDate } from '../../design';
import { useActions } from '../../keys';
import { openConversation, showError, showToast, useNow, useUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { decide, mayBecome } from './acts';
import css from './Playbooks.module.css';

export function PlaybookPane({ playbook, isRested }: { playbook: PlaybookListRow; isRested: boolean }) {
  const now = useNow();
  const { data: detail, error, refetch } = useRpc('playbook_get', { id: playbook.id }, { enabled: isRested });
  const [isExporting, setExporting] = useState(false);
  const isApproved = playbook.status === 'approved';
  useActions('playbooks', {
    'playbooks.export': () => {
      if (!isApproved) return false;
      setExporting(true);
      return true;
    },
    'playbooks.open': () => {
      const first = detail?.supporting[0];
      if (!first) return false;
      openConversation(first.conversation_id, first.message_ids[0]);
      return true;
    },
  });
  return (
    <>
      <PaneBody label={t.playbooks.detail} of={playbook.id} testId={TESTIDS.playbookDetail}>
        <article className={css.detail}>
          <header className={css.head}>
            <h2 className={css.title} data-testid={TESTIDS.playbookTitle}>
              {playbook.title}
            </h2>
            <Badge tone={playbook.status === 'candidate' ? 'accent' : undefined}>{nameOf(t.playbooks.statuses, playbook.status)}</Badge>
          </header>
          <p className={cx('num', css.facts)}>
            <span>{t.playbooks.seen(playbook.occurrences)}</span>
            <span>{t.playbooks.last(shortDate(playbook.last, now))}</span>
            <span>{nameOf(t.playbooks.sure, playbook.confidence)}</span>
            <span>{t.playbooks.version(playbook.version)}</span>
            {playbook.is_parked_by_age ? <span>{t.playbooks.byAge}</span> : null}
          </p>
          {error && !detail ? (
            <ErrorState title={t.playbooks.detailFailed} text={t.playbooks.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : detail ? (
            <Known detail={detail} />
          ) : (
            <LoadingRows rows={4} />
          )}
        </article>
      </PaneBody>
      <PaneFoot label={t.playbooks.detail}>
        {mayBecome(playbook, 'approved') ? (
          <Button tone="primary" icon={<Check size={15} aria-hidden="true" />} action="playbooks.approve" testId={TESTIDS.playbookApprove} onClick={() => void decide(playbook, 'approved')}>
            {t.playbooks.approve}
          </Button>
        ) : null}
        {mayBecome(playbook, 'rejected') ? (
          <Button icon={<X size={15} aria-hidden="true" />} action="playbooks.reject" testId={TESTIDS.playbookReject} onClick={() => void decide(playbook, 'rejected')}>
            {t.playbooks.reject}
          </Button>
        ) : null}
        {mayBecome(playbook, 'parked') ? (
          <Button tone="quiet" icon={<Archive size={15} aria-hidden="true" />} action="playbooks.park" testId={TESTIDS.playbookPark} onClick={() => void decide(playbook, 'parked')}>
            {t.playbooks.park}
          </Button>
        ) : null}
        {mayBecome(playbook, 'candidate') ? (
          <Button tone="quiet" icon={<RotateCcw size={15} aria-hidden="true" />} action="playbooks.restore" testId={TESTIDS.playbookRestore} onClick={() => void decide(playbook, 'candidate')}>
            {t.playbooks.restore}
          </Button>
        ) : null}
        {isApproved ? (
          <Button icon={<Download size={15} aria-hidden="true" />} action="playbooks.export" testId={TESTIDS.playbookExport} onClick={() => setExporting(true)}>
            {t.playbooks.export}
          </Button>
        ) : null}
      </PaneFoot>
      {isExporting ? <ExportDialog playbook={playbook} onClose={() => setExporting(false)} /> : null}
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.section}>
      <h3 className={css.heading}>{title}</h3>
      {children}
    </section>
  );
}

function Known({ detail }: { detail: PlaybookDetail }) {
  return (
    <>
      {detail.description !== null ? <p className={css.when}>{detail.description}</p> : null}
      <p className={css.hint} data-testid={TESTIDS.playbookMadeBy}>
        {t.playbooks.madeBy(isBuiltIn(detail.proposer) ? t.playbooks.rules : proposerName(detail.proposer))}
      </p>
      <Section title={t.playbooks.stepsTitle}>
        <ol className={css.steps}>
          {detail.steps.map((step) => (
            // A step occurs only once in a playbook.
            <li key={step.name} data-testid={TESTIDS.playbookStep}>
              <code className={css.code}>{step.text}</code>
              {step.purpose !== null ? <span className={css.purpose}>{step.purpose}</span> : null}
            </li>
          ))}
        </ol>
      </Section>
      {detail.parameters.length > 0 ? (
        <Section title={t.playbooks.parametersTitle}>
          <dl className={css.named}>
            {detail.parameters.map((parameter) => (
              <div key={parameter.name} data-testid={TESTIDS.playbookParameter}>
                <dt>
                  <code className={css.code}>{`{${parameter.name}}`}</code>
                </dt>
                <dd>{t.playbooks.parameter(parameter.steps, parameter.values)}</dd>
              </div>
            ))}
          </dl>
        </Section>
      ) : null}
      <Section title={t.playbooks.supporting}>
        <Sessions sessions={detail.supporting} testId={TESTIDS.playbookSession} />
      </Section>
      <Section title={t.playbooks.contradicting}>
        {detail.contradicting.length > 0 ? <Sessions sessions={detail.contradicting} testId={TESTIDS.playbookAgainst} /> : <p className={css.hint}>{t.playbooks.contradictingNone}</p>}
      </Section>
    </>
  );
}

function Sessions({ sessions, testId }: { sessions: readonly PlaybookSessionView[]; testId: string }) {
  const now = useNow();
  return (
    <ul className={css.lines}>
      {sessions.map((session) => (
        <li key={`${session.conversation_id} ${session.time}`}>
          <button type="button" className={css.said} data-testid={testId} onClick={() => openConversation(session.conversation_id, session.message_ids[0])}>
            <span className={css.words}>{session.title}</span>
            <span className={css.author} title={fullTime(session.time)}>
              {shortDate(session.time, now)}
              {session.against === null ? '' : `: ${nameOf(t.playbooks.why, session.against)}`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function ExportDialog({ playbook, onClose }: { playbook: PlaybookListRow; onClose: () => void }) {
  const [folder, setFolder] = useUiState<string>('playbooks.folder', '');
  const [text, setText] = useState(folder);
  const field = useRef<HTMLInputElement>(null);
  const dir = text.trim();
  const save = () => {
    if (!dir) return;
    setFolder(dir);
    call('playbook_export', { id: playbook.id, dir }).then(
      ({ path }) => {
        showToast({ text: t.playbooks.exported(path) });
        onClose();
      },
      (failure: unknown) => showError(failure),
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.playbooks.exportTitle}
      testId={TESTIDS.playbookExportDialog}
      focus={field}
      confirm={{ label: t.playbooks.exportDo, run: save, isDisabled: !dir, testId: TESTIDS.playbookExportConfirm }}
    >
      <p className={css.hint}>{t.playbooks.exportText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <label className={css.field}>
          <span>{t.playbooks.exportFolder}</span>
          <input ref={field} type="text" value={text} placeholder={t.playbooks.exportHint} data-testid={TESTIDS.playbookExportFolder} onChange={(event) => setText(event.target.value)} />
        </label>
      </form>
    </Dialog>
  );
}
