/** The token of an agent, shown once, and the questions before a token stops working. */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { type AgentToken, call } from '../../api';
import { Button, Dialog } from '../../design';
import { hideToasts, noteFinal, showToast, useAttempt } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { OnceDialog } from '../shared/OnceDialog';
import css from './Agents.module.css';

export function TokenDialog({ made, isNew, onClose }: { made: AgentToken; isNew: boolean; onClose: () => void }) {
  const [isFailed, setFailed] = useState(false);
  const words = t.agents;
  return (
    <OnceDialog title={isNew ? words.tokenOfNew(made.name) : words.tokenOfKnown(made.name)} testId={TESTIDS.agentTokenDialog} doneTestId={TESTIDS.agentTokenDone} onClose={onClose}>
      {({ isCopied, isWarning, noteCopied, button }) => {
        const copied = () => {
          noteCopied();
          setFailed(false);
        };
        const copy = () => navigator.clipboard.writeText(made.token).then(copied, () => setFailed(true));
        return (
          <>
            <p>{words.tokenOnce}</p>
            <div className={css.tokenRow}>
              {/* A field, so that the token can also be selected and copied by keyboard. */}
              <input className={css.token} type="text" readOnly value={made.token} aria-label={words.token} data-testid={TESTIDS.agentToken} onFocus={(event) => event.currentTarget.select()} onCopy={copied} />
              <Button ref={button} icon={isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />} testId={TESTIDS.agentTokenCopy} onClick={() => void copy()}>
                {isCopied ? words.copied : words.copy}
              </Button>
            </div>
            <p className="srOnly" role="status">
              {isCopied ? words.copied : ''}
            </p>
            {isFailed || isWarning ? (
              <p className={css.failed} role="alert">
                {isFailed ? words.copyFailed : words.notCopied}
              </p>
            ) : null}
            <h3 className={css.setUpTitle}>{words.setUp}</h3>
            <ul className={css.setUp}>
              <li>
                {words.setUpAddress} <code className={css.code}>{words.setUpAddressCode}</code>
              </li>
              <li>
                {words.setUpHeader} <code className={css.code}>{words.setUpHeaderCode}</code>
              </li>
            </ul>
          </>
        );
      }}
    </OnceDialog>
  );
}

interface AskProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function AskRenew({ name, onClose, onMade }: AskProps & { onMade: (made: AgentToken) => void }) {
  const words = t.agents;
  const renew = async () => {
    const made = await call('agent_renew', { name });
    noteFinal(words.renewStays(name));
    onMade(made);
  };
  return <Ask title={words.renewTitle(name)} texts={[words.renewText]} confirm={words.renewConfirm} failed={words.renewFailed} send={renew} onClose={onClose} />;
}

export function AskRemove({ name, onClose }: AskProps) {
  const words = t.agents;
  const remove = async () => {
    await call('agent_remove', { name });
    noteFinal(words.removeStays(name));
    // The last notice might offer to pause or resume this agent.
    hideToasts('decision');
    showToast({ text: words.removed(name) });
    onClose();
  };
  return <Ask isDanger title={words.removeTitle(name)} texts={[words.removeText, words.removeKeeps]} confirm={words.removeConfirm} failed={words.removeFailed} send={remove} onClose={onClose} />;
}

interface QuestionProps {
  readonly title: string;
  readonly texts: readonly string[];
  readonly confirm: string;
  /** Text before the backend's message, if it was not done. */
  readonly failed: string;
  readonly isDanger?: boolean;
  readonly send: () => Promise<void>;
  readonly onClose: () => void;
}

function Ask({ title, texts, confirm, failed, isDanger = false, send, onClose }: QuestionProps) {
  const { isBusy, problem, run } = useAttempt();
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={title}
      testId={TESTIDS.agentAsk}
      isBusy={isBusy}
      confirm={{ label: isBusy ? t.agents.working : confirm, run: () => run(send), tone: isDanger ? 'danger' : 'primary', testId: TESTIDS.agentAskConfirm }}
    >
      {texts.map((text) => (
        <p key={text} className={css.text}>
          {text}
        </p>
      ))}
      {problem === null ? null : (
        <p className={css.failed} role="alert">
          {failed} {problem}
        </p>
      )}
    </Dialog>
  );
}
