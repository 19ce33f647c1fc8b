/**
 * Backup and export: create a backup, restore one, export everything, and list the backups in the data folder.
 *
 * Only one long task runs at a time. The backend reports its progress and can cancel it. Before a restore, the file is checked
 * and the person sees what would be replaced.
 */
import { useState } from 'react';
import { type BackupMade, type BackupView, type ExportMade, type RestorePreview, call, useRpc } from '../../api';
import { Button, ErrorState, LoadingRows, fullTime } from '../../design';
import { RpcError, platform } from '../../platform';
import { showError } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { AskRestore, TASK, needsSalvage, saidRestored } from '../shared/Restore';
import { TaskProgress } from '../shared/TaskProgress';
import css from './Backup.module.css';
import { AskRebuild, Rebuilding, rebuildBegun, useRebuild } from './Rebuild';
import { Row, Section } from './Rows';

type Work = keyof typeof t.backup.working;
type Place = { token?: string; id?: string };
interface Asked {
  readonly place: Place;
  readonly preview: RestorePreview;
}

export function Backup() {
  const { data, error, refetch } = useRpc('backups_list', {});
  const [work, setWork] = useState<Work | null>(null);
  const [result, setResult] = useState<readonly string[]>([]);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isRebuildAsked, setRebuildAsked] = useState(false);
  const isRebuilding = useRebuild().run?.state === 'running';
  // Only a host with its own dialogs can give the path of a file or folder. A page in a browser uploads a copy.
  const canPick = platform().fileAccess === 'pick_files';
  const words = t.backup;

  /** Runs a long task and shows the result. Canceling is not a failure. */
  const run = async <T,>(kind: Work, doing: () => Promise<T>, said: (done: T) => readonly string[]) => {
    setWork(kind);
    setResult([]);
    try {
      setResult(said(await doing()));
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.code === 'cancelled') setResult([words.cancelled]);
      else showError(thrown);
    } finally {
      setWork(null);
      void refetch();
    }
  };
  const picked = async (cmd: 'pick_backup_target' | 'pick_backup' | 'pick_export_folder'): Promise<string | null> => {
    try {
      return (await call(cmd, {})).files[0]?.token ?? null;
    } catch (thrown) {
      showError(thrown);
      return null;
    }
  };
  const make = async () => {
    const token = canPick ? await picked('pick_backup_target') : undefined;
    if (token !== null) await run('make', () => call('backup_make', token ? { token } : {}), saidMade);
  };
  const takeAlong = async () => {
    const token = await picked('pick_export_folder');
    if (token !== null) await run('export', () => call('export_make', { token }), saidExported);
  };
  const ask = (place: Place) =>
    run(
      'check',
      async () => setAsked({ place, preview: await call('restore_preview', place) }),
      () => [],
    );
  const askFile = async () => {
    const token = canPick ? await picked('pick_backup') : ((await platform().pickFiles().catch(showError)) ?? [])[0]?.token;
    if (token) await ask({ token });
  };
  const rebuild = async () => {
    setRebuildAsked(false);
    await run(
      'rebuild',
      async () => rebuildBegun.set(await call('rebuild_begin', {})),
      () => [],
    );
  };
  const goBack = async ({ place, preview }: Asked) => {
    setAsked(null);
    await run('restore', () => call('restore', { ...place, ...(needsSalvage(preview) ? { salvage: true } : {}) }), saidRestored);
  };

  return (
    <Section title={words.title}>
      <Row name={words.make} hint={words.makeHint}>
        <Button size="s" disabled={work !== null} testId={TESTIDS.backupMake} onClick={() => void make()}>
          {canPick ? words.makeButton : words.makeHere}
        </Button>
      </Row>
      <Row name={words.restore} hint={words.restoreHint}>
        <Button size="s" disabled={work !== null} testId={TESTIDS.backupRestore} onClick={() => void askFile()}>
          {words.restoreButton}
        </Button>
      </Row>
      <Row name={words.export} hint={canPick ? words.exportHint : `${words.exportHint} ${words.exportUnavailable}`}>
        {canPick ? (
          <Button size="s" disabled={work !== null} testId={TESTIDS.exportMake} onClick={() => void takeAlong()}>
            {words.exportButton}
          </Button>
        ) : null}
      </Row>
      <Row name={words.rebuild} hint={words.rebuildHint}>
        <Button size="s" disabled={work !== null || isRebuilding} testId={TESTIDS.rebuild} onClick={() => setRebuildAsked(true)}>
          {words.rebuildButton}
        </Button>
      </Row>
      <Rebuilding />
      {work ? (
        <div className={css.work}>
          <TaskProgress task={TASK} words={(stage) => (stage === null ? words.working[work] : `${words.working[work]}: ${nameOf(words.stage, stage).toLowerCase()}`)} testId={TESTIDS.backupWork} cancelTestId={TESTIDS.backupCancel} />
        </div>
      ) : null}
      {result.length > 0 ? (
        <div className={css.result} role="status" data-testid={TESTIDS.backupResult}>
          {result.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      ) : null}
      <div className={css.kept}>
        <Row name={words.kept} hint={words.keptHint} isTall />
        {error && !data ? (
          <ErrorState title={words.failed} text={t.app.nothingChanged} detail={error.message} onRetry={() => void refetch()} />
        ) : !data ? (
          <LoadingRows rows={2} />
        ) : (
          <Kept items={data.items} folder={data.folder} isBusy={work !== null} onRestore={(backup) => void ask({ id: backup.id })} />
        )}
      </div>
      {isRebuildAsked ? <AskRebuild onClose={() => setRebuildAsked(false)} onConfirm={() => void rebuild()} /> : null}
      {asked ? <AskRestore preview={asked.preview} onClose={() => setAsked(null)} onConfirm={() => void goBack(asked)} /> : null}
    </Section>
  );
}

function Kept({ items, folder, isBusy, onRestore }: { items: readonly BackupView[]; folder: string; isBusy: boolean; onRestore: (backup: BackupView) => void }) {
  const words = t.backup;
  if (items.length === 0) return <p className={css.why}>{words.none}</p>;
  return (
    <>
      <ul className={css.list} aria-label={words.kept}>
        {items.map((backup) => (
          <li key={backup.id} className={css.item} data-testid={TESTIDS.backupRow}>
            <span className="num">{fullTime(backup.made_at)}</span>
            <span className={css.why}>{nameOf(words.reason, backup.reason)}</span>
            <span className="num">{words.size(backup.bytes)}</span>
            <Button size="s" tone="quiet" disabled={isBusy} label={words.restoreOne(fullTime(backup.made_at))} onClick={() => onRestore(backup)}>
              {words.restoreShort}
            </Button>
          </li>
        ))}
      </ul>
      <p className={css.folder}>
        {words.folder} {folder}
      </p>
    </>
  );
}

const saidMade = (made: BackupMade): string[] => [made.contents.doubt === null ? t.backup.made(made.name, made.bytes) : t.backup.madeDoubtful(made.name, made.bytes, made.contents.doubt), t.backup.holds(made.contents.messages, made.contents.conversations, made.contents.memories)];

const saidExported = (made: ExportMade): string[] => [
  t.backup.exported(made.name, made.notes),
  t.backup.holds(made.messages, made.conversations, made.memories),
  ...(made.doubt === null ? [] : [t.backup.doubtful(made.doubt)]),
];
