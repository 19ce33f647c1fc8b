/** Disconnects an account. What was read from it stays, or is erased for good; the numbers are counted in advance. */
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type LiveSourceView, call, useRpc } from '../../../api';
import { Dialog } from '../../../design';
import { hideToasts, noteFinal, showToast, useAttempt } from '../../../state';
import { t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { type Erased, Goes, Receipt, foreseen } from '../../shared/EraseDialog';
import eraseCss from '../../shared/EraseDialog.module.css';
import css from './LiveSources.module.css';

interface DisconnectProps {
  readonly source: Pick<LiveSourceView, 'id' | 'name'>;
  readonly onClose: () => void;
}

export function DisconnectDialog({ source, onClose }: DisconnectProps) {
  const [erased, setErased] = useState<Erased | null>(null);
  return erased === null ? <Question source={source} onClose={onClose} onErased={setErased} /> : <Receipt erased={erased} onClose={onClose} />;
}

function Question({ source, onClose, onErased }: DisconnectProps & { onErased: (erased: Erased) => void }) {
  const client = useQueryClient();
  const [forget, setForget] = useState(false);
  const { isBusy, problem, run } = useAttempt();
  const { data: preview, error } = useRpc('live_source_remove_preview', { id: source.id });
  const words = t.liveSources.disconnect;
  const disconnect = () =>
    run(async () => {
      const removed = await call('live_source_remove', { id: source.id, forget });
      noteFinal(words.stays(source.name));
      // The last notice might offer to undo a choice for this account.
      hideToasts('decision');
      if (!forget) {
        showToast({ text: words.did(source.name), replaces: 'live' });
        onClose();
        return;
      }
      // Answers cached for returning to a panel may contain erased data.
      client.removeQueries({ type: 'inactive' });
      onErased({ parts: [t.app.messages(removed.messages), removed.memories > 0 ? t.erase.countMemories(removed.memories) : ''].filter(Boolean), isPending: removed.is_pending, job: null });
    });
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={words.title(source.name)}
      testId={TESTIDS.liveDisconnectDialog}
      isBusy={isBusy}
      confirm={{ label: isBusy ? words.working : forget ? words.confirmForget : words.confirmKeep, run: disconnect, tone: forget ? 'danger' : 'primary', isDisabled: forget && !preview, testId: TESTIDS.liveDisconnectConfirm }}
    >
      <p>{words.text}</p>
      <fieldset className={css.options} disabled={isBusy}>
        <legend className={css.legend}>{words.what}</legend>
        <Option isChosen={!forget} name={words.keep} text={words.keepText} onChoose={() => setForget(false)} />
        <Option isChosen={forget} name={words.forget} text={words.forgetText} onChoose={() => setForget(true)} />
      </fieldset>
      {forget ? (
        <>
          <Goes goes={preview ? foreseen(preview) : null} failure={error?.message ?? null} />
          <p className={eraseCss.forGood}>{words.forGood}</p>
        </>
      ) : null}
      {problem === null ? null : (
        <p className={eraseCss.failed} role="alert">
          {words.failed} {problem}
        </p>
      )}
    </Dialog>
  );
}

function Option({ isChosen, name, text, onChoose }: { isChosen: boolean; name: string; text: string; onChoose: () => void }) {
  const id = useId();
  return (
    <div className={css.option}>
      <input id={id} type="radio" name="disconnect" checked={isChosen} aria-describedby={`${id}-text`} onChange={onChoose} />
      <div>
        <label htmlFor={id} className={css.optionName}>
          {name}
        </label>
        <p id={`${id}-text`} className={css.optionText}>
          {text}
        </p>
      </div>
    </div>
  );
}
