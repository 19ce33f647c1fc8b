/** A connected account: what it is doing, what was stored and left out, and what can be done with it. */
import { useId, useState } from 'react';
import { type LiveSourceView, type LiveSourcesResponse, call } from '../../../api';
import { Button, Progress, cx } from '../../../design';
import { showError, useNow } from '../../../state';
import { nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { HourPick } from '../../shared/HourPick';
import { Skips } from '../Skips';
import { chooseButtonId, openChannels } from './channelChoices';
import { Device } from './Device';
import { KindIcon } from './KindIcon';
import css from './LiveSources.module.css';
import { type Edit, SourceEdit } from './SourceEdit';
import { stateOf } from './sourceState';
import { WebhookAddress, useWebhookServer } from './Webhook';

/** The default hour, as for watched folders: in the evening, after the day's messages. */
const HOUR_DEFAULT = 22;

interface RowProps {
  readonly source: LiveSourceView;
  readonly isReconnecting: boolean;
  readonly onTake: (sources: LiveSourcesResponse) => void;
  readonly onReconnect: () => void;
  /** Shows a new token of a webhook, once. */
  readonly onToken: (token: string) => void;
  readonly onDisconnect: () => void;
}

export function LiveSourceRow({ source, isReconnecting, onTake, onReconnect, onToken, onDisconnect }: RowProps) {
  const words = t.liveSources;
  const isWebhook = source.kind === 'webhook';
  const server = useWebhookServer(isWebhook);
  const state = stateOf(source, useNow(), { isReceiving: server?.isOn ?? true });
  const name = useId();
  const [edit, setEdit] = useState<Edit | null>(null);
  const isPaused = source.state === 'paused';
  const kindName = nameOf(words.kinds, source.kind);
  const pause = () => {
    call('live_source_pause', { id: source.id, is_paused: !isPaused }).then(onTake, showError);
  };
  return (
    <li className={css.row} aria-labelledby={name} data-testid={TESTIDS.liveSource} data-state={source.state}>
      <span className={css.icon}>
        <KindIcon kind={source.kind} size={16} />
      </span>
      <div className={css.words}>
        <p className={css.top}>
          <span id={name} className={css.name}>
            {source.name}
          </span>
          {kindName === source.name ? null : <span className={css.muted}>{kindName}</span>}
        </p>
        <p className={cx(css.state, css[state.tone])} data-testid={TESTIDS.liveSourceState}>
          {state.text}
        </p>
        {state.detail === null ? null : <p className={css.detail}>{state.detail}</p>}
        {/* Announces a new state, but not each of the counts and times in it. */}
        <span className="srOnly" role="status">
          {`${source.name}: ${state.announced}`}
        </span>
        {source.state === 'catching_up' && source.total !== null ? (
          <div className={css.progress} aria-hidden="true">
            <Progress stage="" words="" done={source.done ?? 0} total={source.total} />
          </div>
        ) : null}
        <Numbers source={source} />
        {source.device === null ? null : <Device source={source} device={source.device} onTake={onTake} />}
        {isWebhook && server !== null ? <WebhookAddress id={source.id} server={server} /> : null}
        <div className={css.actions}>
          {state.reconnect === null || isReconnecting ? null : (
            <Button size="s" tone={source.state === 'retrying' ? 'plain' : 'primary'} label={words.reconnectOf(state.reconnect, source.name)} testId={TESTIDS.liveReconnect} onClick={onReconnect}>
              {state.reconnect}
            </Button>
          )}
          <Button
            id={chooseButtonId(source.id)}
            size="s"
            tone={source.remembered === 0 && source.undecided > 0 && state.reconnect === null ? 'primary' : 'plain'}
            label={words.chooseOf(source.kind, source.name)}
            testId={TESTIDS.liveChoose}
            onClick={() => openChannels(source.id)}
          >
            {words.choose(source.kind)}
          </Button>
          <Button size="s" label={isPaused ? words.resumeOf(source.name) : words.pauseOf(source.name)} testId={TESTIDS.livePause} onClick={pause}>
            {isPaused ? words.resume : words.pause}
          </Button>
          <Button size="s" tone="quiet" label={words.renameOf(source.name)} testId={TESTIDS.liveRename} onClick={() => setEdit('name')}>
            {words.rename}
          </Button>
          {isWebhook ? (
            <Button size="s" tone="quiet" label={words.newTokenOf(source.name)} testId={TESTIDS.liveToken} onClick={() => setEdit('token')}>
              {words.newToken}
            </Button>
          ) : null}
          <Button size="s" tone="quiet" label={`${words.disconnect.open} ${source.name}`} testId={TESTIDS.liveDisconnect} onClick={onDisconnect}>
            {words.disconnect.open}
          </Button>
          <span className={css.space} />
          {isWebhook ? null : <Schedule source={source} onTake={onTake} />}
        </div>
        {edit === null ? null : <SourceEdit key={edit} source={source} edit={edit} onTake={onTake} onToken={onToken} onClose={() => setEdit(null)} />}
      </div>
    </li>
  );
}

function Numbers({ source }: { source: LiveSourceView }) {
  const words = t.liveSources;
  const leftOut = source.left_out.reduce((sum, each) => sum + each.count, 0);
  return (
    <>
      <p className={css.meta}>
        <span>{words.messages(source.messages)}</span>
        {source.channels > 0 ? <span>{words.remembered(source.kind, source.remembered, source.channels)}</span> : null}
        {source.undecided > 0 ? <span className={css.call}>{words.undecided(source.undecided)}</span> : null}
      </p>
      {source.unreadable > 0 ? <p className={css.meta}>{words.unreadable(source.unreadable)}</p> : null}
      {leftOut > 0 ? <Skips skipped={source.left_out.map(({ reason, count }) => ({ reason, count, text: reason, sample: '' }))} title={words.leftOut(leftOut)} /> : null}
    </>
  );
}

/** When it is read: as messages arrive, or once a day at an hour. */
function Schedule({ source, onTake }: { source: LiveSourceView; onTake: (sources: LiveSourcesResponse) => void }) {
  const words = t.liveSources;
  const { id, name, daily_hour } = source;
  const set = (hour: number | null) => {
    call('live_source_schedule', { id, ...(hour === null ? {} : { daily_hour: hour }) }).then(onTake, showError);
  };
  return (
    <span className={css.schedule}>
      <span aria-hidden="true">{words.schedule}</span>
      <select className={css.select} aria-label={words.scheduleOf(name)} value={daily_hour === null ? 'live' : 'daily'} data-testid={TESTIDS.liveSchedule} onChange={(event) => set(event.target.value === 'daily' ? HOUR_DEFAULT : null)}>
        <option value="live">{words.asSaid}</option>
        <option value="daily">{words.daily}</option>
      </select>
      {daily_hour === null ? null : (
        <>
          <span aria-hidden="true">{words.hour}</span>
          <HourPick aria-label={words.hourOf(name)} className={css.select} value={daily_hour} testId={TESTIDS.liveHour} onHour={set} />
        </>
      )}
    </span>
  );
}
