/**
 * Keepsake's device at an encrypted account: whether it is verified, and the two ways to verify it.
 *
 * The recovery key exists only in the state of its form, which ends with it, as a password does in ConnectForm.
 */
import { useEffect, useId, useRef, useState } from 'react';
import { type EmojiComparison, type LiveDeviceView, type LiveSourceView, type LiveSourcesResponse, call } from '../../../api';
import { Button, Progress } from '../../../design';
import { showError, showToast } from '../../../state';
import { t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import formCss from '../Watched.module.css';
import { deviceState, isComparing } from './deviceState';
import css from './LiveSources.module.css';
import { RowForm } from './RowForm';

interface DeviceProps {
  readonly source: LiveSourceView;
  readonly device: LiveDeviceView;
  readonly onTake: (sources: LiveSourcesResponse) => void;
}

export function Device({ source, device, onTake }: DeviceProps) {
  const words = t.liveSources.device;
  const [isEntering, setEntering] = useState(false);
  const state = deviceState(device);
  const compare = (action: string) => {
    call('live_source_compare', { id: source.id, action }).then(onTake, showError);
  };
  const { comparison } = device;
  if (comparison !== null && isComparing(comparison)) return <Comparing comparison={comparison} onDo={compare} />;
  if (state === null) return null;
  if (isEntering) return <RecoveryForm source={source} onTake={onTake} onClose={() => setEntering(false)} />;
  return (
    <div className={css.device} data-testid={TESTIDS.liveDevice} data-state={state.name}>
      <p className={state.canRecover ? css.warn : undefined}>{state.title}</p>
      {state.text === null ? null : <p className={css.detail}>{state.text}</p>}
      {state.isFetching ? (
        <div className={css.progress}>
          <Progress stage="" words={words.keys(device.keys_done, device.keys_total)} done={device.keys_done} total={device.keys_total} />
        </div>
      ) : null}
      {state.canRecover ? (
        <div className={css.actions}>
          <Button size="s" label={words.enterKeyOf(source.name)} testId={TESTIDS.liveRecover} onClick={() => setEntering(true)}>
            {words.enterKey}
          </Button>
          {state.canCompare ? (
            <Button size="s" label={words.compareOf(source.name)} testId={TESTIDS.liveCompare} onClick={() => compare('begin')}>
              {words.compare}
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function Comparing({ comparison, onDo }: { comparison: EmojiComparison; onDo: (action: string) => void }) {
  const words = t.liveSources.device;
  const { stage, emoji } = comparison;
  const other = comparison.other ?? words.other;
  // The same emoji may come twice, so its place tells it apart.
  const placed = emoji.map((each, place) => ({ ...each, place }));
  const text =
    stage === 'requested' ? words.stages.requested : stage === 'offered' ? words.stages.offered(other) : stage === 'shown' ? words.stages.shown(other) : stage === 'confirmed' ? words.stages.confirmed(other) : words.stages.starting(other);
  return (
    <div className={css.device} data-testid={TESTIDS.liveDevice} data-state={stage}>
      <p role="status">{text}</p>
      {stage === 'shown' ? (
        <ul className={css.emoji} aria-label={words.emoji} data-testid={TESTIDS.liveEmoji}>
          {placed.map(({ symbol, name, place }) => (
            <li key={place}>
              <span className={css.symbol} aria-hidden="true">
                {symbol}
              </span>
              <span>{name}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <div className={css.actions}>
        {stage === 'offered' ? (
          <Button size="s" tone="primary" testId={TESTIDS.liveCompare} onClick={() => onDo('accept')}>
            {words.accept}
          </Button>
        ) : null}
        {stage === 'shown' ? (
          <>
            <Button size="s" tone="primary" testId={TESTIDS.liveMatch} onClick={() => onDo('match')}>
              {words.match}
            </Button>
            <Button size="s" testId={TESTIDS.liveMismatch} onClick={() => onDo('mismatch')}>
              {words.mismatch}
            </Button>
          </>
        ) : (
          <Button size="s" tone="quiet" testId={TESTIDS.liveCompareCancel} onClick={() => onDo('cancel')}>
            {t.app.cancel}
          </Button>
        )}
      </div>
    </div>
  );
}

function RecoveryForm({ source, onTake, onClose }: Omit<DeviceProps, 'device'> & { onClose: () => void }) {
  const words = t.liveSources.device;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [key, setKey] = useState('');
  useEffect(() => field.current?.focus(), []);
  const submit = async () => {
    const sources = await call('live_source_recover', { id: source.id, recovery_key: key });
    const device = sources.items.find((each) => each.id === source.id)?.device;
    showToast({ text: device?.backup === 'open' ? words.didOpen(source.name) : words.didVerify(source.name), replaces: 'live' });
    onTake(sources);
  };
  return (
    <RowForm
      label={words.enterKeyOf(source.name)}
      testId={TESTIDS.liveRecoverForm}
      confirm={words.confirmKey}
      confirmTestId={TESTIDS.liveRecoverSubmit}
      busy={words.checking}
      failed={words.failed}
      refuse={() => (key.trim() === '' ? t.liveSources.fields.needed : null)}
      onSubmit={submit}
      onClose={onClose}
    >
      {({ isBusy, isWrong }) => (
        <div className={css.field}>
          <label className={css.label} htmlFor={id}>
            {words.key}
          </label>
          <div className={css.entry}>
            <input ref={field} id={id} className={css.input} type="password" autoComplete="off" spellCheck={false} readOnly={isBusy} value={key} aria-invalid={isWrong || undefined} aria-describedby={`${id}-hint`} onChange={(event) => setKey(event.target.value)} />
            <span id={`${id}-hint`} className={formCss.hint}>
              {words.keyHint}
            </span>
          </div>
        </div>
      )}
    </RowForm>
  );
}
