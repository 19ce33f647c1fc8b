/** The token of an agent, shown once, and the questions before a token stops working. */
import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { type AgentToken, call } from '../../api';
import { Button, Dialog } from '../../design';
import { hideToasts, noteFinal, showToast, useAttempt } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Agents.module.css';

/** Closing it before the token was copied takes a second attempt, because the token cannot be shown again. */
export function TokenDialog({ made, isNew, onClose }: { made: AgentToken; isNew: boolean; onClose: () => void }) {
  const copyButton = useRef<HTMLButtonElement>(null);
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const words = t.agents;
  const noteCopied = () => {
    setCopied(true);
    setFailed(false);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.token);
      noteCopied();
    } catch {
      setFailed(true);
    }
  };
  const close = () => {
    if (isCopied || isWarned) onClose();
    else setWarned(true);
  };
  const isWarning = isWarned && !isCopied;
  return (
    <Dialog
      open
      onClose={close}
      title={isNew ? words.tokenOfNew(made.name) : words.tokenOfKnown(made.name)}
      testId={TESTIDS.agentTokenDialog}
      focus={copyButton}
      actions={
        <Button tone={isCopied ? 'primary' : 'plain'} testId={TESTIDS.agentTokenDone} onClick={close}>
          {isWarning ? words.closeAnyway : words.done}
        </Button>
      }
    >
      <p>{words.tokenOnce}</p>
      <div className={css.tokenRow}>
        {/* A field, so that the token can also be selected and copied by keyboard. */}
        <input className={css.token} type="text" readOnly value={made.token} aria-label={words.token} data-testid={TESTIDS.agentToken} onFocus={(event) => event.currentTarget.select()} onCopy={noteCopied} />
        <Button ref={copyButton} icon={isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />} testId={TESTIDS.agentTokenCopy} onClick={() => void copy()}>
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
    </Dialog>
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
