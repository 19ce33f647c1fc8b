/**
 * Connects an account, or connects one again with another password or other settings.
 *
 * The password exists only in the state of this form, which ends with it: it is in no query or mutation cache and in no remembered
 * state, so commands are called directly. If connecting fails, everything that was typed stays.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type LiveSourceAdded, type LiveSourceView, type LiveSourcesResponse, type SignInBegun, call, rpcKey } from '../../../api';
import { Button, Progress } from '../../../design';
import { errorMessage, showError, showToast, useSeconds } from '../../../state';
import { nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import formCss from '../Watched.module.css';
import { AccountFields } from './AccountFields';
import { type AccountForm, type AccountKind, EMPTY_FORM, type Problems, changedSettings, formOf, isAtPage, problemsOf, secretOf, serverOf, settingsOf } from './accountSettings';
import { CopyField } from './CopyField';
import css from './LiveSources.module.css';

interface FormProps {
  readonly kind: AccountKind;
  readonly isSecretLost: boolean;
  readonly onClose: () => void;
}

const useTake = () => {
  const client = useQueryClient();
  return (sources: LiveSourcesResponse) => client.setQueryData(rpcKey('live_sources_list', {}), sources);
};

/** One try to connect. */
interface Attempt {
  readonly isCanceled: () => boolean;
  /** Shows the page on which the person signs in, or hides it. */
  readonly show: (page: SignInBegun | null) => void;
}

/** What is sent in place of settings: the secret, or the name of the sign-in that waits for the person. */
async function credential(kind: AccountKind, form: AccountForm, { isCanceled, show }: Attempt): Promise<{ secret?: string; attempt?: string }> {
  if (!isAtPage(kind, form)) {
    const secret = secretOf(kind, form);
    return secret === undefined ? {} : { secret };
  }
  const begun = await call('live_source_sign_in', { settings: settingsOf(kind, form) });
  if (isCanceled()) await call('task_cancel', { id: begun.attempt });
  else show(begun);
  return { attempt: begun.attempt };
}

/** Adds an account. `onAdded` is called when the list already contains it. */
export function ConnectForm({ kind, onAdded, ...rest }: FormProps & { onAdded: (added: LiveSourceAdded, name: string) => void }) {
  const take = useTake();
  const add = async (form: AccountForm, attempt: Attempt) => {
    const given = await credential(kind, form, attempt);
    const { isCanceled } = attempt;
    if (isCanceled()) return;
    const added = await call('live_source_add', { settings: settingsOf(kind, form), ...given, ...(kind === 'webhook' ? { name: form.name.trim() } : {}) });
    if (isCanceled()) {
      // The server answered after the person had canceled. Nothing was read yet, so nothing but the account goes.
      await call('live_source_remove', { id: added.id, forget: false });
      return;
    }
    const sources = await call('live_sources_list', {});
    take(sources);
    const name = sources.items.find((each) => each.id === added.id)?.name ?? form.name;
    onAdded(added, name);
  };
  return <Form {...rest} kind={kind} title={nameOf(t.liveSources.connectTitle, kind)} confirm={kind === 'webhook' ? t.liveSources.confirmWebhook : t.liveSources.confirm} initial={EMPTY_FORM} send={add} />;
}

/** Connects an account again. Its settings are sent only if they were changed. */
export function ReconnectForm({ source, ...rest }: FormProps & { source: LiveSourceView }) {
  const take = useTake();
  const { kind, onClose } = rest;
  const reconnect = async (form: AccountForm, attempt: Attempt) => {
    const settings = changedSettings(kind, source, form);
    const given = await credential(kind, form, attempt);
    const { isCanceled } = attempt;
    if (isCanceled()) return;
    const sources = await call('live_source_reconnect', { id: source.id, ...given, ...(settings === undefined ? {} : { settings }) });
    take(sources);
    showToast({ text: t.liveSources.didReconnect(source.name), replaces: 'live' });
    if (!isCanceled()) onClose();
  };
  return <Form {...rest} isAgain title={t.liveSources.reconnectTitle(source.name)} confirm={t.liveSources.confirm} initial={formOf(source)} send={reconnect} />;
}

interface InnerProps extends FormProps {
  readonly isAgain?: boolean;
  readonly title: string;
  readonly confirm: string;
  readonly initial: AccountForm;
  readonly send: (form: AccountForm, attempt: Attempt) => Promise<void>;
}

function Form({ kind, isSecretLost, isAgain = false, title, confirm, initial, send, onClose }: InnerProps) {
  const words = t.liveSources;
  const [form, setForm] = useState(initial);
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  /** When the attempt began; null if none is in progress. */
  const [began, setBegan] = useState<number | null>(null);
  const attempt = useRef(0);
  const [page, setPage] = useState<SignInBegun | null>(null);
  const root = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const cancelButton = useRef<HTMLButtonElement>(null);
  const now = useSeconds(began !== null);
  const isBusy = began !== null;
  useEffect(() => first.current?.focus(), []);

  const change = (next: Partial<AccountForm>) => {
    setForm((before) => ({ ...before, ...next }));
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in next))));
  };
  const submit = async () => {
    if (isBusy) return;
    const wrong = problemsOf(kind, form);
    setProblems(wrong);
    setFailure(null);
    if (Object.keys(wrong).length > 0) {
      // Once the fields are marked, the first wrong one gets the focus.
      requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
      return;
    }
    attempt.current += 1;
    const mine = attempt.current;
    const isCanceled = () => mine !== attempt.current;
    setBegan(Date.now());
    // A button that becomes disabled would lose the focus. A field keeps it.
    if (document.activeElement instanceof HTMLButtonElement) cancelButton.current?.focus();
    try {
      await send(form, { isCanceled, show: setPage });
    } catch (thrown) {
      if (isCanceled()) return;
      setBegan(null);
      setPage(null);
      setFailure(errorMessage(thrown));
    }
  };
  const cancel = () => {
    if (!isBusy) {
      onClose();
      return;
    }
    attempt.current += 1;
    setBegan(null);
    setPage(null);
    if (page !== null) call('task_cancel', { id: page.attempt }).catch(showError);
    showToast({ text: words.didCancel, replaces: 'live' });
  };

  const stage = page === null ? words.connecting(serverOf(kind, form)) : page.code === null ? words.waitingForBrowser : words.waitingForCode;
  return (
    <form
      ref={root}
      className={formCss.form}
      aria-label={title}
      noValidate
      autoComplete="off"
      data-testid={TESTIDS.liveForm}
      onSubmit={(event) => {
        event.preventDefault();
        submit().catch(showError);
      }}
    >
      <h3>{title}</h3>
      <AccountFields
        kind={kind}
        form={form}
        problems={problems}
        isBusy={isBusy}
        isAgain={isAgain}
        first={first}
        secretPlace={isSecretLost ? words.fields.secretPlaceNone : words.fields.secretPlace}
        onChange={change}
      />
      {failure === null ? null : (
        <div role="alert" className={css.failure}>
          <p className={formCss.problem}>
            {words.failedToConnect} {failure}
          </p>
          <p className={formCss.hint}>{words.safe}</p>
        </div>
      )}
      {page === null ? null : <SignInPage page={page} />}
      {began === null ? null : (
        <Progress stage={stage} done={0} total={0} elapsed_ms={Math.max(0, now - began)} />
      )}
      {/* Not the progress itself, because its seconds would be read aloud. */}
      <p className="srOnly" role="status">
        {isBusy ? stage : ''}
      </p>
      <div className={formCss.foot}>
        <Button ref={cancelButton} size="s" tone="quiet" onClick={cancel}>
          {t.app.cancel}
        </Button>
        {/* With several fields, Enter submits only a form that has a submit button. */}
        <button type="submit" className="srOnly" tabIndex={-1} aria-hidden="true" />
        <Button size="s" tone="primary" disabled={isBusy} testId={TESTIDS.liveSubmit} onClick={() => submit().catch(showError)}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}

/** The page on which the person signs in. It stays on the screen, because a browser may not open by itself. */
function SignInPage({ page }: { page: SignInBegun }) {
  const words = t.liveSources;
  const { code } = page;
  const note = useRef<HTMLDivElement>(null);
  // The form is longer than many windows, and what the person must do next stands at its end.
  useEffect(() => note.current?.scrollIntoView?.({ block: 'nearest' }), []);
  const text = code === null ? (page.is_opened ? words.pageOpened : words.pageToOpen) : page.is_opened ? words.codePageOpened : words.codePageToOpen;
  return (
    <div ref={note} className={css.note} data-testid={TESTIDS.liveSignInPage}>
      <p>{text}</p>
      <div className={css.copyFields}>
        {code === null ? null : <CopyField isLarge label={words.code} value={code} />}
        <CopyField label={words.page} value={page.address} />
      </div>
    </div>
  );
}
