/** The contents of the selected files, the questions to answer first, and the button that imports them. */
import { CircleAlert, FileText, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { type LeftOutView, call } from '../../api';
import { Badge, Button, IconButton, Switch, TextInput, shortDate } from '../../design';
import { showError, showToast, useNow, useStore } from '../../state';
import { bytes, nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Files.module.css';
import { AskRestore, TASK, needsSalvage } from '../shared/Restore';
import { TaskProgress } from '../shared/TaskProgress';
import { ImportChannels } from './ImportChannels';
import { channelChoices, channelsToSend } from './importChannels';
import { Skips } from './Skips';
import { restoredLines, useRestore } from './restore';
import { FIRST_DAY, type WaitingFile, answer, asksDates, asksMeeting, asksOwner, isDay, isZone, leaveOut, localDay, readAs, skippedCount, startedJobs, useWaitingFiles } from './files';

export function Files() {
  const files = useWaitingFiles();
  const [isPrivate, setPrivate] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const { work, asked, ask, bring, forget } = useRestore();
  const done = useStore(restoredLines, (lines) => lines);
  if (files.length === 0) return done.length > 0 ? <Restored lines={done} /> : null;
  const ready = files.filter((each) => each.status === 'ready');
  const isExport = (each: (typeof ready)[number]) => each.look?.export?.is_first ?? false;
  const found = ready.reduce((sum, each) => sum + (each.look?.imported ?? 0), 0);
  const isNothingNew = ready.length > 0 && found === 0 && !ready.some(isExport);
  const asking = files.filter((each) => each.status === 'asks').length;
  const isLooking = files.some((each) => each.status === 'looking');

  const start = async () => {
    setStarting(true);
    try {
      for (const { file, look, answers } of ready) {
        if (look?.export?.is_first) {
          await bring(file);
          continue;
        }
        const { job_ids } = await call('import_start', { tokens: [file.token], me: answers.me, date_order: answers.dateOrder, meeting: answers.meeting, private: isPrivate, ...(answers.zone === null ? {} : { zone: answers.zone }), ...(look ? channelsToSend(look, file.token, channelChoices.get()) : {}) });
        startedJobs.update((ids) => [...ids, ...job_ids]);
        leaveOut([file.token]);
      }
      const started = ready.filter((each) => !isExport(each)).length;
      if (started > 0) showToast({ text: t.sources.started(started), replaces: 'import' });
    } catch (thrown) {
      showError(thrown);
    } finally {
      setStarting(false);
    }
  };

  return (
    <section className={css.section}>
      <header className={css.head}>
        <h2>{ready.length + asking > 0 ? t.sources.found : t.sources.files}</h2>
        <Button size="s" tone="quiet" onClick={() => leaveOut(files.map(({ file }) => file.token))}>
          {t.sources.clear}
        </Button>
      </header>
      <ul className={css.files}>
        {files.map((each) => (
          <FileCard key={each.file.token} waiting={each} isBusy={work !== null} onReplace={() => void ask(each.file)} />
        ))}
      </ul>
      {work ? <TaskProgress task={TASK} words={(stage) => (stage === null ? t.backup.working[work] : `${t.backup.working[work]}: ${nameOf(t.backup.stage, stage).toLowerCase()}`)} testId={TESTIDS.backupWork} cancelTestId={TESTIDS.backupCancel} /> : null}
      {asked ? <AskRestore preview={asked.preview} onClose={forget} onConfirm={() => void bring(asked.file, needsSalvage(asked.preview))} /> : null}
      {ready.length + asking > 0 || isLooking ? (
        <footer className={css.foot}>
          <span className={css.private}>
            <Switch label={t.sources.private} checked={isPrivate} onChange={setPrivate} testId={TESTIDS.sourcePrivate} />
            <span>
              {t.sources.private}
              <span className={css.hint}>{t.sources.privateHint}</span>
            </span>
          </span>
          <span className={css.hint} role="status">
            {isLooking ? t.sources.waitLooking : asking > 0 ? t.sources.answerFirst(asking) : ''}
          </span>
          <Button tone="primary" disabled={ready.length === 0 || isNothingNew || isStarting || work !== null} testId={TESTIDS.sourcesImport} onClick={() => void start()}>
            {ready.length === 0 ? t.sources.importNone : isNothingNew ? t.sources.importNothingNew : ready.every(isExport) ? t.sources.importAll : t.sources.import(ready.length, found)}
          </Button>
        </footer>
      ) : null}
    </section>
  );
}

function Restored({ lines }: { lines: readonly string[] }) {
  return (
    <div className={css.restored} role="status" data-testid={TESTIDS.sourceRestored}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function FileCard({ waiting, isBusy, onReplace }: { waiting: WaitingFile; isBusy: boolean; onReplace: () => void }) {
  const { file, leftOut, look, answers, status, error } = waiting;
  const now = useNow();
  // Until the person gives the date of a meeting, only the date of the file is known.
  const isGuess = look?.needs_meeting === true && answers.meeting === null;
  const isBad = status === 'failed' || status === 'unreadable';
  return (
    <li className={css.file} data-testid={TESTIDS.sourceFile} data-status={status}>
      <div className={css.top}>
        {isBad ? <CircleAlert size={16} className={css.badIcon} aria-hidden="true" /> : <FileText size={16} className={css.icon} aria-hidden="true" />}
        <span className={css.name}>{file.name}</span>
        {look?.kind ? <Badge tone="accent">{nameOf(t.sources.kind, look.kind)}</Badge> : null}
        {isBad ? <Badge tone="danger">{status === 'failed' ? t.sources.lookFailed : t.sources.unreadable}</Badge> : null}
        <span className={css.space} />
        {file.size > 0 ? <span className={css.size}>{bytes(file.size)}</span> : null}
        <IconButton label={t.sources.removeFile(file.name)} size="s" onClick={() => leaveOut([file.token])}>
          <X size={14} />
        </IconButton>
      </div>
      {status === 'looking' ? (
        <p className={css.hint} role="status">
          {t.sources.looking}
        </p>
      ) : null}
      {isBad ? (
        <div className={css.problem} role="alert">
          <p>{look?.error ?? error?.message}</p>
          {status === 'failed' ? (
            <Button size="s" onClick={waiting.again}>
              {t.app.retry}
            </Button>
          ) : null}
        </div>
      ) : null}
      {isBad && look && look.may_be.length > 0 ? (
        <Question title={t.sources.mayBe} text={t.sources.mayBeText}>
          <div className={css.meeting}>
            {look.may_be.map((each) => (
              <Button key={each.kind} size="s" testId={TESTIDS.sourceReadAs} onClick={() => readAs(file.token, each.file)}>
                {nameOf(t.sources.mayBeKind, each.kind)}
              </Button>
            ))}
          </div>
        </Question>
      ) : null}
      {look?.kind && look.export ? (
        <p className={css.export}>
          {(look.export.is_first ? t.sources.exportAll : t.sources.exportPart)(t.backup.counts(look.export.messages, look.export.conversations, look.export.memories))}
          {look.export.is_first ? null : (
            <Button size="s" disabled={isBusy} testId={TESTIDS.sourceReplace} onClick={onReplace}>
              {t.sources.exportReplace}
            </Button>
          )}
        </p>
      ) : null}
      {look?.kind && !look.export?.is_first ? (
        <>
          <p className={css.summary}>
            <span className="num">{t.app.conversations(look.conversations)}</span>
            <span className="num">{t.sources.foreseen(look.seen, look.imported, look.duplicate, skippedCount(look))}</span>
            {look.first !== null && look.last !== null ? <span>{t.sources.range(shortDate(look.first, now), shortDate(look.last, now), isGuess)}</span> : null}
            {look.participants.length > 1 ? <span className="num">{t.sources.participants(look.participants.length)}</span> : null}
          </p>
          {status === 'empty' ? <p className={css.problem}>{t.sources.nothing}</p> : null}
          {look.skipped.length > 0 ? <Skips skipped={look.skipped} title={t.sources.skips(skippedCount(look))} /> : null}
          <OwnerQuestion waiting={waiting} />
          <DateQuestions waiting={waiting} />
          <MeetingQuestion waiting={waiting} />
          <ZoneOfTimes waiting={waiting} />
          <ImportChannels look={look} token={file.token} />
        </>
      ) : null}
      {leftOut.length > 0 ? <LeftOut files={leftOut} /> : null}
    </li>
  );
}

/** The files of a folder or archive that are not imported. Open if one of them may be missed. */
function LeftOut({ files }: { files: readonly LeftOutView[] }) {
  const skipped = files.map(({ reason, text, count, paths }) => ({ reason, text, count, sample: paths.join(', ') }));
  return <Skips skipped={skipped} title={t.sources.leftOut(skippedCount({ skipped }))} isOpen={files.some((each) => each.may_be_an_export)} testId={TESTIDS.sourceLeftOut} />;
}

function Question({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <fieldset className={css.question}>
      <legend className={css.asked}>{title}</legend>
      <p className={css.hint}>{text}</p>
      {children}
    </fieldset>
  );
}

function Answered({ text, onChange }: { text: string; onChange: () => void }) {
  return (
    <p className={css.answered}>
      {text}
      <Button size="s" tone="quiet" onClick={onChange}>
        {t.sources.change}
      </Button>
    </p>
  );
}

function OwnerQuestion({ waiting: { file, look, answers } }: { waiting: WaitingFile }) {
  if (!look?.needs_owner) return null;
  if (!asksOwner(look, answers)) {
    const name = look.participants.find((each) => each.handle === answers.me || each.name === answers.me)?.name ?? answers.me ?? '';
    return <Answered text={answers.isNobody ? t.sources.whoNone : t.sources.whoSaid(name)} onChange={() => answer(file.token, { me: null, isNobody: false, isAskedAlone: true })} />;
  }
  return (
    <Question title={t.sources.who} text={t.sources.whoText}>
      <div className={css.people}>
        {look.participants.map((person) => (
          <button key={`${person.handle} ${person.name}`} type="button" className={css.person} data-testid={TESTIDS.sourceOwner} onClick={() => answer(file.token, { me: person.handle || person.name, isNobody: false })}>
            <span className={css.personName}>
              {person.name}
              {person.handle && person.handle !== person.name ? <span className={css.handle}>{person.handle}</span> : null}
            </span>
            <span className={css.sample}>{person.sample ? `“${person.sample}”` : ''}</span>
            <span className={css.messages}>{person.received > 0 ? t.sources.received(person.received) : t.app.messages(person.messages)}</span>
          </button>
        ))}
        <button type="button" className={css.person} onClick={() => answer(file.token, { me: null, isNobody: true })}>
          <span className={css.personName}>{t.sources.whoOther}</span>
          <span className={css.sample}>{t.sources.whoOtherHint}</span>
        </button>
      </div>
    </Question>
  );
}

function DateQuestions({ waiting: { file, look, answers } }: { waiting: WaitingFile }) {
  if (!look || look.date_questions.length === 0) return null;
  const words = { day_first: t.sources.dayFirst, month_first: t.sources.monthFirst };
  if (!asksDates(look, answers)) {
    return <Answered text={t.sources.datesSaid(nameOf(words, answers.dateOrder ?? ''))} onChange={() => answer(file.token, { dateOrder: null })} />;
  }
  return (
    <Question title={t.sources.dates} text={t.sources.datesText}>
      <table className={css.dates}>
        <thead>
          <tr>
            <th scope="col">{t.sources.written}</th>
            {(['day_first', 'month_first'] as const).map((order) => (
              <th key={order} scope="col">
                <Button size="s" testId={TESTIDS.sourceDate} data-order={order} onClick={() => answer(file.token, { dateOrder: order })}>
                  {words[order]}
                </Button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {look.date_questions.map((line) => (
            <tr key={line.written}>
              <td className="num">{line.written}</td>
              <td className="num">{line.day_first}</td>
              <td className="num">{line.month_first}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Question>
  );
}

/** Asks for the date of a meeting if the file does not contain it. The file's own date is only the date of the download. */
function MeetingQuestion({ waiting: { file, look, answers } }: { waiting: WaitingFile }) {
  const [day, setDay] = useState('');
  const now = useNow();
  const today = localDay(now);
  if (!look?.needs_meeting) return null;
  if (!asksMeeting(look, answers)) {
    const said = answers.meeting === null ? t.sources.meetingUnknown : t.sources.meetingSaid(answers.meeting);
    return <Answered text={said} onChange={() => answer(file.token, { meeting: null, isUndated: false })} />;
  }
  return (
    <Question title={t.sources.meeting} text={t.sources.meetingText}>
      <div className={css.meeting}>
        <input className={css.day} type="date" min={FIRST_DAY} max={today} aria-label={t.sources.meeting} value={day} data-testid={TESTIDS.sourceMeeting} onChange={(event) => setDay(event.target.value)} />
        <Button size="s" disabled={!isDay(day, today)} testId={TESTIDS.sourceMeetingSet} onClick={() => answer(file.token, { meeting: day })}>
          {t.sources.meetingSet}
        </Button>
        <Button size="s" tone="quiet" testId={TESTIDS.sourceMeetingSkip} onClick={() => answer(file.token, { isUndated: true })}>
          {t.sources.meetingSkip(look.first === null ? null : shortDate(look.first, now))}
        </Button>
      </div>
    </Question>
  );
}

/**
 * The time zone for times without one. This computer's zone is the default, because most exports were made here, so the person
 * need not answer.
 */
function ZoneOfTimes({ waiting: { file, look } }: { waiting: WaitingFile }) {
  const [typed, setTyped] = useState<string | null>(null);
  const zones = useId();
  if (!look?.zone) return null;
  if (typed === null) return <Answered text={t.sources.zone(look.zone)} onChange={() => setTyped('')} />;
  const use = (zone: string | null) => {
    answer(file.token, { zone });
    setTyped(null);
  };
  return (
    <Question title={t.sources.zoneAsk} text={t.sources.zoneText}>
      <div className={css.meeting}>
        <TextInput className={css.day} list={zones} aria-label={t.sources.zoneAsk} placeholder={t.sources.zoneExample} value={typed} testId={TESTIDS.sourceZone} onType={setTyped} onEnter={() => isZone(typed) && use(typed)} />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
        <Button size="s" disabled={!isZone(typed)} testId={TESTIDS.sourceZoneSet} onClick={() => use(typed)}>
          {t.sources.zoneSet}
        </Button>
        <Button size="s" tone="quiet" testId={TESTIDS.sourceZoneHere} onClick={() => use(null)}>
          {t.sources.zoneHere}
        </Button>
      </div>
    </Question>
  );
}
