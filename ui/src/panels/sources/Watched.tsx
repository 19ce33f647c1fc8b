/** Watched folders: chats are read once a day, meetings every ten minutes, and terminal agents as they write. */
import { FolderPlus, FolderSync, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type FileToken, type WatchedSourceView, type WatchedSources, call, rpcKey, useRpc } from '../../api';
import { Button, ErrorState, IconButton, LoadingRows, RelativeTime, Segmented } from '../../design';
import { platform } from '../../platform';
import { showError, showToast, useAttempt } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { HourPick } from '../shared/HourPick';
import css from './Watched.module.css';

/** The default hour: in the evening, after the day's chats. */
const HOUR_DEFAULT = 22;

export function Watched() {
  const client = useQueryClient();
  const { data, error, refetch } = useRpc('watched_list', {});
  const [chosen, setChosen] = useState<FileToken | null>(null);
  // Only a host with its own dialog can give the path of a folder. A page in a browser gets copies of files.
  const canPick = platform().fileAccess === 'pick_files';
  const take = (sources: WatchedSources) => client.setQueryData(rpcKey('watched_list', {}), sources);
  const pick = () => {
    call('pick_folder', {}).then(({ files }) => setChosen(files[0] ?? null), showError);
  };
  const remove = (source: WatchedSourceView) => {
    call('watched_remove', { id: source.id }).then((left) => {
      take(left);
      showToast({ text: t.sources.watched.didRemove, replaces: 'watched' });
    }, showError);
  };
  return (
    <section className={css.section} data-testid={TESTIDS.watched}>
      <header className={css.head}>
        <h2>{t.sources.watched.title}</h2>
        {canPick && chosen === null ? (
          <Button size="s" icon={<FolderPlus size={14} aria-hidden="true" />} testId={TESTIDS.watchedAdd} onClick={pick}>
            {t.sources.watched.add}
          </Button>
        ) : null}
      </header>
      <p className={css.text}>{canPick ? t.sources.watched.text : `${t.sources.watched.text} ${t.sources.watched.unavailable}`}</p>
      {chosen ? (
        <Add
          folder={chosen}
          onDone={(sources) => {
            setChosen(null);
            if (sources) take(sources);
          }}
        />
      ) : null}
      {error && !data ? (
        <ErrorState title={t.sources.watched.failed} text={t.sources.watched.failedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows rows={2} />
      ) : data.items.length === 0 ? (
        <p className={css.none}>{t.sources.watched.none}</p>
      ) : (
        <ul className={css.rows}>
          {data.items.map((source) => (
            <Row key={source.id} source={source} onRemove={() => remove(source)} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ source, onRemove }: { source: WatchedSourceView; onRemove: () => void }) {
  const words = t.sources.watched;
  return (
    <li className={css.row} data-testid={TESTIDS.watchedRow}>
      <FolderSync size={16} className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        <p className={css.path}>{source.path}</p>
        <p className={css.meta}>
          <span>{nameOf(words.kinds, source.kind)}</span>
          <span>{words.every[source.kind] ?? words.daily(source.hour)}</span>
          {source.me ? <span>{words.mine(source.me)}</span> : null}
          <span>
            {source.last_at === null ? (
              words.never
            ) : (
              <>
                {words.last} <RelativeTime time={source.last_at} />
              </>
            )}
          </span>
          {source.next_at === null ? null : (
            <span>
              {words.next} <RelativeTime time={source.next_at} />
            </span>
          )}
        </p>
      </div>
      <IconButton label={words.remove(source.path)} size="s" testId={TESTIDS.watchedRemove} onClick={onRemove}>
        <X size={14} />
      </IconButton>
    </li>
  );
}

type Kind = 'chat' | 'meetings';

function Add({ folder, onDone }: { folder: FileToken; onDone: (sources: WatchedSources | null) => void }) {
  const words = t.sources.watched;
  const ids = useId();
  const [kind, setKind] = useState<Kind>('chat');
  const [hour, setHour] = useState(HOUR_DEFAULT);
  const [me, setMe] = useState('');
  const { isBusy, problem, run } = useAttempt();
  const add = () =>
    run(async () => {
      const sources = await call('watched_add', { token: folder.token, kind, hour, me: me.trim() || null });
      showToast({ text: words.didAdd(folder.name), replaces: 'watched' });
      onDone(sources);
    });
  return (
    <form
      className={css.form}
      aria-label={words.add}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <p className={css.path}>{folder.name}</p>
      <div className={css.field}>
        <span className={css.label}>{words.kind}</span>
        <div className={css.control}>
          <Segmented label={words.kind} value={kind} choices={(['chat', 'meetings'] as const).map((value) => ({ value, label: nameOf(words.kinds, value) }))} onChange={setKind} />
          <span className={css.hint}>{words.kindHint[kind]}</span>
        </div>
      </div>
      {kind === 'chat' ? (
        <div className={css.field}>
          <label className={css.label} htmlFor={`${ids}-hour`}>
            {words.hour}
          </label>
          <div className={css.control}>
            <HourPick id={`${ids}-hour`} className={css.input} value={hour} testId={TESTIDS.watchedHour} onHour={setHour} />
          </div>
        </div>
      ) : null}
      <div className={css.field}>
        <label className={css.label} htmlFor={`${ids}-me`}>
          {words.me}
        </label>
        <div className={css.control}>
          <input id={`${ids}-me`} className={css.input} type="text" autoComplete="off" spellCheck={false} value={me} aria-describedby={`${ids}-me-hint`} onChange={(event) => setMe(event.target.value)} />
          <span id={`${ids}-me-hint`} className={css.hint}>
            {words.meHint}
          </span>
        </div>
      </div>
      {problem ? (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      ) : null}
      <div className={css.foot}>
        <Button size="s" tone="quiet" onClick={() => onDone(null)}>
          {t.app.cancel}
        </Button>
        <Button size="s" tone="primary" disabled={isBusy} testId={TESTIDS.watchedConfirm} onClick={() => void add()}>
          {words.confirm}
        </Button>
      </div>
    </form>
  );
}
