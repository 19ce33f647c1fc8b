/** The fields of each kind of account. What is typed is kept by the form, so that nothing is lost when connecting fails. */
import { type ReactNode, type Ref, useId } from 'react';
import { Segmented, TextInput } from '../../../design';
import { t } from '../../../strings';
import formCss from '../Watched.module.css';
import { type AccountForm, type AccountKind, EMPTY_FORM, type MatrixSignIn, PORTS, type Problem, type Problems, type Security, isThisComputer, needsAddress } from './accountSettings';
import { PROVIDERS, type Provider, providerOf } from './mailProviders';
import css from './LiveSources.module.css';

export interface FieldsProps {
  readonly form: AccountForm;
  readonly problems: Problems;
  /** While connecting, nothing can be changed. The fields are read-only instead of disabled, so that they keep the focus. */
  readonly isBusy: boolean;
  /** Where the secret is kept, in words. */
  readonly secretPlace: string;
  /** The field to focus first. */
  readonly first: Ref<HTMLInputElement>;
  /** Whether the account is connected again: the secret is then what the person came for. */
  readonly isAgain: boolean;
  readonly onChange: (change: Partial<AccountForm>) => void;
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (next: string) => void;
  hint?: ReactNode;
  problem?: Problem;
  isSecret?: boolean;
  isNumber?: boolean;
  isBusy: boolean;
  ref?: Ref<HTMLInputElement>;
}

function TextField({ label, value, onChange, hint, problem, isSecret = false, isNumber = false, isBusy, ref }: TextFieldProps) {
  const id = useId();
  const describedBy = hint !== undefined || problem !== undefined ? `${id}-hint` : undefined;
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      <div className={css.entry}>
        <TextInput
          ref={ref}
          id={id}
          className={isNumber ? css.short : css.input}
          type={isSecret ? 'password' : 'text'}
          inputMode={isNumber ? 'numeric' : undefined}
          autoCapitalize="off"
          readOnly={isBusy}
          value={value}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={describedBy}
          onType={onChange}
        />
        {describedBy === undefined ? null : (
          <span id={describedBy} className={formCss.hint}>
            {problem === undefined ? null : <span className={formCss.problem}>{t.liveSources.fields[problem]} </span>}
            {hint}
          </span>
        )}
      </div>
    </div>
  );
}

/** Choices next to their name, which the group of radio buttons also has. */
function Choices({ label, hint, children }: { label: string; hint?: string | undefined; children: ReactNode }) {
  return (
    <div className={css.field}>
      <span className={css.label} aria-hidden="true">
        {label}
      </span>
      <div className={formCss.control}>
        {children}
        {hint === undefined ? null : <span className={formCss.hint}>{hint}</span>}
      </div>
    </div>
  );
}

type MailSignIn = 'password' | 'code';
const MAIL_SIGN_INS: readonly MailSignIn[] = ['password', 'code'];
const PROVIDER_NAMES = Object.keys(PROVIDERS) as Provider[];

/** The program that the person registered with their provider, and where it signs in. */
function CodeFields({ form, problems, isBusy, onChange }: FieldsProps) {
  const words = t.liveSources.fields;
  const provider = providerOf(form);
  return (
    <>
      <Choices label={words.provider} hint={words.providerHints[provider]}>
        <Segmented<Provider> label={words.provider} value={provider} choices={PROVIDER_NAMES.map((value) => ({ value, label: words.providers[value] }))} onChange={(value) => onChange(PROVIDERS[value])} />
      </Choices>
      <TextField label={words.clientId} hint={words.clientIdHint} value={form.clientId} problem={problems.clientId} isBusy={isBusy} onChange={(clientId) => onChange({ clientId })} />
      <TextField label={words.deviceUrl} hint={words.deviceUrlHint} value={form.deviceUrl} problem={problems.deviceUrl} isBusy={isBusy} onChange={(deviceUrl) => onChange({ deviceUrl })} />
      <TextField label={words.tokenUrl} hint={words.tokenUrlHint} value={form.tokenUrl} problem={problems.tokenUrl} isBusy={isBusy} onChange={(tokenUrl) => onChange({ tokenUrl })} />
      <TextField label={words.scope} hint={words.scopeHint} value={form.scope} isBusy={isBusy} onChange={(scope) => onChange({ scope })} />
    </>
  );
}

function MailFields(fields: FieldsProps) {
  const { form, problems, isBusy, secretPlace, first, isAgain, onChange } = fields;
  const words = t.liveSources.fields;
  const isCode = form.signIn === 'code';
  // Only a program on this computer, such as one that holds the real connection, is read without encryption.
  const securities: readonly Security[] = isThisComputer(form.host) || form.security === 'plain' ? ['tls', 'starttls', 'plain'] : ['tls', 'starttls'];
  const setSecurity = (security: Security) => onChange({ security, ...(form.port === PORTS[form.security] ? { port: PORTS[security] } : {}) });
  return (
    <>
      <TextField ref={isAgain && !isCode ? undefined : first} label={words.host} hint={words.hostHint} value={form.host} problem={problems.host} isBusy={isBusy} onChange={(host) => onChange({ host })} />
      <Choices label={words.security} hint={form.security === 'plain' ? words.plainHint : undefined}>
        <Segmented label={words.security} value={form.security} choices={securities.map((value) => ({ value, label: words.securities[value] }))} onChange={setSecurity} />
      </Choices>
      <TextField isNumber label={words.port} value={form.port} problem={problems.port} isBusy={isBusy} onChange={(port) => onChange({ port })} />
      <TextField label={words.user} hint={words.userHint} value={form.user} problem={problems.user} isBusy={isBusy} onChange={(user) => onChange({ user })} />
      {needsAddress(form) ? <TextField label={words.address} hint={words.addressHint} value={form.address} isBusy={isBusy} onChange={(address) => onChange({ address })} /> : null}
      <Choices label={words.mailSignIn} hint={isCode ? words.codeHint : undefined}>
        <Segmented<MailSignIn> label={words.mailSignIn} value={isCode ? 'code' : 'password'} choices={MAIL_SIGN_INS.map((value) => ({ value, label: words.mailSignIns[value] }))} onChange={(signIn) => onChange({ signIn })} />
      </Choices>
      {isCode ? (
        <CodeFields {...fields} />
      ) : (
        <TextField
          isSecret
          ref={isAgain ? first : undefined}
          label={words.password}
          hint={`${words.mailPasswordHint} ${secretPlace}`}
          value={form.secret}
          problem={problems.secret}
          isBusy={isBusy}
          onChange={(secret) => onChange({ secret })}
        />
      )}
      <label className={css.check}>
        <input type="checkbox" checked={form.leavesOutAutomatic} disabled={isBusy} onChange={(event) => onChange({ leavesOutAutomatic: event.target.checked })} />
        {words.automatic}
      </label>
    </>
  );
}

const MATRIX_SIGN_INS: readonly MatrixSignIn[] = ['password', 'browser', 'token'];

function MatrixFields({ form, problems, isBusy, secretPlace, first, isAgain, onChange }: FieldsProps) {
  const words = t.liveSources.fields;
  const isToken = form.signIn === 'token';
  return (
    <>
      <TextField ref={isAgain && form.signIn !== 'browser' ? undefined : first} label={words.homeserver} hint={words.homeserverHint} value={form.homeserver} problem={problems.homeserver} isBusy={isBusy} onChange={(homeserver) => onChange({ homeserver })} />
      <TextField label={words.matrixUser} hint={words.matrixUserHint} value={form.user} problem={problems.user} isBusy={isBusy} onChange={(user) => onChange({ user })} />
      <Choices label={words.signIn} hint={form.signIn === 'browser' ? words.browserHint : undefined}>
        <Segmented<MatrixSignIn> label={words.signIn} value={form.signIn === 'code' ? 'password' : form.signIn} choices={MATRIX_SIGN_INS.map((value) => ({ value, label: words.signIns[value] }))} onChange={(signIn) => onChange({ signIn })} />
      </Choices>
      {form.signIn === 'browser' ? null : (
        <TextField
          isSecret
          ref={isAgain ? first : undefined}
          label={isToken ? words.token : words.password}
          hint={`${isToken ? `${words.tokenHint} ` : ''}${secretPlace}`}
          value={form.secret}
          problem={problems.secret}
          isBusy={isBusy}
          onChange={(secret) => onChange({ secret })}
        />
      )}
    </>
  );
}

function SimplexFields({ form, problems, isBusy, first, onChange }: FieldsProps) {
  const words = t.liveSources.fields;
  return <TextField isNumber ref={first} label={words.simplexPort} hint={words.simplexHint(EMPTY_FORM.simplexPort)} value={form.simplexPort} problem={problems.simplexPort} isBusy={isBusy} onChange={(simplexPort) => onChange({ simplexPort })} />;
}

function WebhookFields({ form, problems, isBusy, first, onChange }: FieldsProps) {
  const words = t.liveSources.fields;
  return <TextField ref={first} label={words.name} hint={words.nameHint} value={form.name} problem={problems.name} isBusy={isBusy} onChange={(name) => onChange({ name })} />;
}

const FIELDS = { mail: MailFields, matrix: MatrixFields, simplex: SimplexFields, webhook: WebhookFields } as const;

export function AccountFields({ kind, ...fields }: FieldsProps & { kind: AccountKind }) {
  const Fields = FIELDS[kind];
  return <Fields {...fields} />;
}
