/** One playbook: its steps and parameters, the sessions for and against it, the decision, and its export as a skill. */
import { Archive, Check, Download, RotateCcw, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { type PlaybookDetail, type PlaybookListRow, type PlaybookSessionView, call, useRpc } from '../../api';
import { Badge, Button, Dialog, fullTime, shortDate } from '../../design';
import { actOn, useActions } from '../../keys';
import { openConversation, showError, showToast, useNow, useUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { DetailPane, Hint, type RowAnswer, RowAnswers, SaidLine, Section } from '../shared/DetailPane';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { type Status, mayBecome } from './acts';
import css from './Playbooks.module.css';

const ANSWERS: readonly RowAnswer<Status>[] = [
  { to: 'approved', action: 'playbooks.approve', label: t.playbooks.approve, icon: Check, tone: 'primary', testId: TESTIDS.playbookApprove },
  { to: 'rejected', action: 'playbooks.reject', label: t.playbooks.reject, icon: X, testId: TESTIDS.playbookReject },
  { to: 'parked', action: 'playbooks.park', label: t.playbooks.park, icon: Archive, tone: 'quiet', testId: TESTIDS.playbookPark },
  { to: 'candidate', action: 'playbooks.restore', label: t.playbooks.restore, icon: RotateCcw, tone: 'quiet', testId: TESTIDS.playbookRestore },
];

export function PlaybookPane({ playbook, isRested }: { playbook: PlaybookListRow; isRested: boolean }) {
  const now = useNow();
  const answer = useRpc('playbook_get', { id: playbook.id }, { enabled: isRested });
  const [isExporting, setExporting] = useState(false);
  const isApproved = playbook.status === 'approved';
  useActions('playbooks', {
    'playbooks.export': () => isApproved && setExporting(true),
    'playbooks.open': () => actOn(answer.data?.supporting[0], (first) => openConversation(first.conversation_id, first.message_ids[0])),
  });
  return (
    <>
      <DetailPane
        label={t.playbooks.detail}
        of={playbook.id}
        testId={TESTIDS.playbookDetail}
        title={playbook.title}
        titleTestId={TESTIDS.playbookTitle}
        marks={<Badge tone={playbook.status === 'candidate' ? 'accent' : undefined}>{nameOf(t.playbooks.statuses, playbook.status)}</Badge>}
        facts={
          <>
            <span>{t.playbooks.seen(playbook.occurrences)}</span>
            <span>{t.playbooks.last(shortDate(playbook.last, now))}</span>
            <span>{nameOf(t.playbooks.sure, playbook.confidence)}</span>
            <span>{t.playbooks.version(playbook.version)}</span>
            {playbook.is_parked_by_age ? <span>{t.playbooks.byAge}</span> : null}
          </>
        }
        answer={answer}
        words={t.playbooks}
        foot={
          <>
            <RowAnswers answers={ANSWERS} isPossible={(to) => mayBecome(playbook, to)} />
            {isApproved ? (
              <Button icon={<Download size={15} aria-hidden="true" />} action="playbooks.export" testId={TESTIDS.playbookExport}>
                {t.playbooks.export}
              </Button>
            ) : null}
          </>
        }
      >
        {(detail) => <Known detail={detail} />}
      </DetailPane>
      {isExporting ? <ExportDialog playbook={playbook} onClose={() => setExporting(false)} /> : null}
    </>
  );
}

function Known({ detail }: { detail: PlaybookDetail }) {
  return (
    <>
      {detail.description !== null ? <p className={css.when}>{detail.description}</p> : null}
      <Hint testId={TESTIDS.playbookMadeBy}>{t.playbooks.madeBy(isBuiltIn(detail.proposer) ? t.app.builtInEngine : proposerName(detail.proposer))}</Hint>
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
        {detail.contradicting.length > 0 ? <Sessions sessions={detail.contradicting} testId={TESTIDS.playbookAgainst} /> : <Hint>{t.playbooks.contradictingNone}</Hint>}
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
          <SaidLine conversation={session.conversation_id} message={session.message_ids[0]} testId={testId} isAuthorLast author={<span title={fullTime(session.time)}>{`${shortDate(session.time, now)}${session.against === null ? '' : `: ${nameOf(t.playbooks.why, session.against)}`}`}</span>}>
            {session.title}
          </SaidLine>
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
      <Hint>{t.playbooks.exportText}</Hint>
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
