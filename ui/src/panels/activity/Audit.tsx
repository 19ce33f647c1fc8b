/**
 * The audit: a button to start it, the share of each fault in the sample and an estimate for all memories, and the findings, each
 * with a proposed action.
 *
 * Each action is an ordinary decision about a memory, with its undo. The audit itself changes nothing.
 */
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { type AuditFindingView, type AuditReport, type AuditShare, type Decision, useMutate } from '../../api';
import { Badge, Button, EmptyState, ErrorState, PaneBody, WordDiff } from '../../design';
import { decide, openMemory, restored, useStore } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { TaskProgress } from '../shared/TaskProgress';
import css from './Audit.module.css';

/** The backend's name of this task. */
const TASK = 'audit';

const ids = (value: { readonly ids: readonly string[] }) => value;

export function Audit() {
  const audit = useMutate('audit_run');
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const back = useStore(restored, ids);
  const [answered, setAnswered] = useState(back);
  if (back !== answered) {
    // A finding whose action was undone is open again.
    setAnswered(back);
    setDone((known) => new Set([...known].filter((id) => !back.ids.includes(id))));
  }
  const run = () => {
    setDone(new Set());
    audit.mutate({ sample: 0, seed: null });
  };
  const report = audit.data;
  const isCancelled = audit.isError && audit.error.code === 'cancelled';
  const act = (finding: AuditFindingView) => {
    setDone((known) => new Set(known).add(finding.memory_id));
    void decide(decisionOf(finding), [], nameOf(t.audit.did, finding.proposal)).then((outcome) => {
      if (outcome && outcome.applied.length > 0) return;
      setDone((known) => new Set([...known].filter((id) => id !== finding.memory_id)));
    });
  };
  return (
    <PaneBody label={t.audit.title}>
      <div className={css.page} data-testid={TESTIDS.audit}>
        <header className={css.head}>
          <p className={css.intro}>{t.audit.intro}</p>
          <Button tone="primary" disabled={audit.isPending} testId={TESTIDS.auditRun} onClick={run}>
            {report ? t.audit.again : t.audit.run}
          </Button>
        </header>
        {audit.isPending ? <TaskProgress task={TASK} words={(stage) => (stage === null ? t.audit.running : nameOf(t.audit.stage, stage))} testId={TESTIDS.auditWork} cancelTestId={TESTIDS.auditCancel} /> : null}
        {isCancelled ? <p role="status">{t.audit.cancelled}</p> : null}
        {audit.isError && !isCancelled ? <ErrorState title={t.audit.failed} text={t.app.nothingChanged} detail={audit.error.message} onRetry={run} /> : null}
        {report && !audit.isPending ? <Report report={report} done={done} onAct={act} /> : null}
      </div>
    </PaneBody>
  );
}

function decisionOf(finding: AuditFindingView): Decision {
  switch (finding.proposal) {
    case 'merge':
      return { action: 'merge', id: finding.memory_id, into: finding.other_id ?? '' };
    case 'reconfirm':
      return { action: 'reconfirm', ids: [finding.memory_id] };
    default:
      return { action: 'archive', ids: [finding.memory_id] };
  }
}

function Report({ report, done, onAct }: { report: AuditReport; done: ReadonlySet<string>; onAct: (finding: AuditFindingView) => void }) {
  if (report.memories === 0) return <EmptyState icon={<ShieldCheck size={20} />} title={t.audit.noneTitle} text={t.audit.noneText} />;
  return (
    <>
      <p className={css.looked} role="status" data-testid={TESTIDS.auditLooked}>
        {t.audit.looked(report.sampled, report.memories)}
      </p>
      <Shares shares={[...report.shares, report.any]} />
      {report.findings.length === 0 ? <EmptyState icon={<ShieldCheck size={20} />} title={t.audit.soundTitle} text={t.audit.soundText} /> : null}
      {report.findings.length > 0 ? (
        <section aria-label={t.audit.findings}>
          <h2 className={css.heading}>{t.audit.findings}</h2>
          <ul className={css.findings}>
            {report.findings.map((finding) => (
              <Finding key={`${finding.fault} ${finding.memory_id}`} finding={finding} isDone={done.has(finding.memory_id)} onAct={() => onAct(finding)} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function Shares({ shares }: { shares: readonly AuditShare[] }) {
  return (
    <table className={css.shares} data-testid={TESTIDS.auditShares}>
      <caption className={css.heading}>{t.audit.shares}</caption>
      <thead>
        <tr>
          <th scope="col">{t.audit.kind}</th>
          <th scope="col">{t.audit.found}</th>
          <th scope="col" title={t.audit.interval}>
            {t.audit.ofAll}
          </th>
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <tr key={share.fault} data-any={share.fault === 'any' || undefined}>
            <th scope="row">{nameOf(t.audit.fault, share.fault)}</th>
            <td className="num">{number(share.count)}</td>
            <td className="num">{t.audit.between(share.low, share.high)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Finding({ finding, isDone, onAct }: { finding: AuditFindingView; isDone: boolean; onAct: () => void }) {
  const isChange = finding.after !== null && finding.after !== finding.before;
  return (
    <li className={css.finding} data-done={isDone || undefined} data-testid={TESTIDS.auditFinding}>
      <div className={css.top}>
        <Badge>{nameOf(t.audit.one, finding.fault)}</Badge>
        <span className={css.reason}>{finding.reason}</span>
      </div>
      <dl className={css.states}>
        <dt>{t.audit.before}</dt>
        <dd>{finding.before}</dd>
        {finding.other ? (
          <>
            <dt>{t.audit.beside}</dt>
            <dd>{finding.other}</dd>
          </>
        ) : null}
        <dt>{t.audit.after}</dt>
        <dd>{finding.after === null ? t.audit.nothingLeft : isChange ? <WordDiff before={finding.before} after={finding.after} /> : finding.after}</dd>
        {finding.quotes.length > 0 ? (
          <>
            <dt>{t.audit.rests}</dt>
            <dd className={css.quote}>{finding.quotes.map((quote) => `“${quote}”`).join(' ')}</dd>
          </>
        ) : null}
      </dl>
      <div className={css.acts}>
        {isDone ? (
          <span className={css.done} role="status">
            {t.audit.done}
          </span>
        ) : (
          <Button size="s" testId={TESTIDS.auditAct} onClick={onAct}>
            {nameOf(t.audit.act, finding.proposal)}
          </Button>
        )}
        <Button size="s" tone="quiet" onClick={() => openMemory(finding.memory_id)}>
          {t.audit.open}
        </Button>
      </div>
    </li>
  );
}
