/**
 * What a person enters to connect an account, and its translation to the settings that the backend understands.
 *
 * One function per kind writes the settings, and only this module knows their names. Secrets are never part of the settings: they
 * are sent beside them. Not in this module: whether the server accepts them.
 */
import type { LiveSourceView } from '../../../api';
import { PROVIDERS } from './mailProviders';

export const ACCOUNT_KINDS = ['mail', 'matrix', 'simplex', 'webhook'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

export type Security = 'tls' | 'starttls' | 'plain';
/** `browser` and `token` are Matrix's, `code` is that of mail. */
export type SignIn = 'password' | 'browser' | 'token' | 'code';

/** Everything that can be entered, for all kinds, as typed. */
export interface AccountForm {
  readonly host: string;
  readonly port: string;
  readonly security: Security;
  readonly user: string;
  /** The person's address, if the user name is not one. */
  readonly address: string;
  readonly leavesOutAutomatic: boolean;
  readonly homeserver: string;
  readonly signIn: SignIn;
  /** The program that the person registered with their mail provider, and where it signs in. */
  readonly clientId: string;
  readonly deviceUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly simplexPort: string;
  readonly name: string;
  /** The password or token. */
  readonly secret: string;
}

type Settings = Record<string, unknown>;

export const PORTS: Readonly<Record<Security, string>> = { tls: '993', starttls: '143', plain: '143' };

export const EMPTY_FORM: AccountForm = {
  host: '',
  port: PORTS.tls,
  security: 'tls',
  user: '',
  address: '',
  leavesOutAutomatic: true,
  homeserver: '',
  signIn: 'password',
  clientId: '',
  ...PROVIDERS.microsoft,
  simplexPort: '5225',
  name: '',
  secret: '',
};

const PORT_MAX = 65_535;

function portOf(typed: string): number | null {
  const port = /^\d+$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  return port >= 1 && port <= PORT_MAX ? port : null;
}

/** Whether the server is this computer, the only one that the backend contacts without encryption. */
export function isThisComputer(host: string): boolean {
  const bare = host.trim().toLowerCase().replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

export const needsAddress = (form: AccountForm): boolean => form.user.trim() !== '' && !form.user.includes('@');

function mailSignIn(form: AccountForm): Settings {
  if (form.signIn !== 'code') return { with: 'password' };
  return { with: 'oauth2', client_id: form.clientId.trim(), device_url: form.deviceUrl.trim(), token_url: form.tokenUrl.trim(), scope: form.scope.trim() };
}

function mail(form: AccountForm): Settings {
  const address = form.address.trim();
  return {
    kind: 'mail',
    host: form.host.trim(),
    port: portOf(form.port),
    security: form.security,
    user: form.user.trim(),
    sign_in: mailSignIn(form),
    ...(needsAddress(form) && address !== '' ? { addresses: [address] } : {}),
    leave_out_automatic: form.leavesOutAutomatic,
  };
}

export type MatrixSignIn = Exclude<SignIn, 'code'>;

/** The names of the backend. */
const MATRIX_SIGN_INS: Readonly<Record<MatrixSignIn, string>> = { password: 'password', browser: 'browser', token: 'access_token' };

function matrix(form: AccountForm): Settings {
  return { kind: 'matrix', homeserver: form.homeserver.trim(), user: form.user.trim(), sign_in: form.signIn === 'code' ? MATRIX_SIGN_INS.password : MATRIX_SIGN_INS[form.signIn] };
}

function simplex(form: AccountForm): Settings {
  return { kind: 'simplex', port: portOf(form.simplexPort) };
}

function webhook(): Settings {
  return { kind: 'webhook' };
}

const WRITE: Readonly<Record<AccountKind, (form: AccountForm) => Settings>> = { mail, matrix, simplex, webhook };

export const settingsOf = (kind: AccountKind, form: AccountForm): Settings => WRITE[kind](form);

/** Whether the kind has a password or token at all. */
export const hasSecret = (kind: string): boolean => kind === 'mail' || kind === 'matrix';

/** The secret to send, exactly as typed: a password may begin or end with a space. */
export const secretOf = (kind: AccountKind, form: AccountForm): string | undefined => (hasSecret(kind) && !isAtPage(kind, form) ? form.secret : undefined);

/** Whether the person signs in at a page of the server or provider. */
export const isAtPage = (kind: AccountKind, form: AccountForm): boolean => (kind === 'matrix' && form.signIn === 'browser') || (kind === 'mail' && form.signIn === 'code');

export type Problem = 'needed' | 'badPort';
export type Problems = Partial<Record<keyof AccountForm, Problem>>;

const NEEDED: Readonly<Record<AccountKind, readonly (keyof AccountForm)[]>> = {
  mail: ['host', 'user', 'secret'],
  matrix: ['secret'],
  simplex: [],
  webhook: ['name'],
};

/** What is needed in place of a secret to sign in at a page. A provider may need no scope. */
const NEEDED_AT_PAGE: Partial<Record<AccountKind, readonly (keyof AccountForm)[]>> = { mail: ['host', 'user', 'clientId', 'deviceUrl', 'tokenUrl'] };

/** What has to be corrected before anything is sent, by field in the order of the form. */
export function problemsOf(kind: AccountKind, form: AccountForm): Problems {
  const problems: Problems = {};
  const needed = isAtPage(kind, form) ? (NEEDED_AT_PAGE[kind] ?? []) : NEEDED[kind];
  for (const field of needed) if (String(form[field]).trim() === '') problems[field] = 'needed';
  if (kind === 'mail' && portOf(form.port) === null) problems.port = 'badPort';
  if (kind === 'simplex' && portOf(form.simplexPort) === null) problems.simplexPort = 'badPort';
  // A full user ID names its server, and an access token its user, but one of them must say where to ask.
  if (kind === 'matrix') {
    const isWhole = /^@[^:]+:.+/.test(form.user.trim());
    if (form.homeserver.trim() === '' && !isWhole) problems.homeserver = 'needed';
    if (form.user.trim() === '' && form.signIn === 'password') problems.user = 'needed';
  }
  return problems;
}

/** The server to name while connecting; empty if there is none. */
export function serverOf(kind: AccountKind, form: AccountForm): string {
  if (kind === 'mail') return form.host.trim();
  if (kind === 'matrix') return form.homeserver.trim() || form.user.trim().replace(/^@[^:]*:/, '');
  return kind === 'simplex' ? 'SimpleX' : '';
}

const textIn = (settings: Settings, name: string, fallback: string): string => {
  const value = settings[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;
};

/** How a source signs in, as it is stored: Matrix has a name, mail an object. */
function signInOf(stored: unknown): Pick<AccountForm, 'signIn' | 'clientId' | 'deviceUrl' | 'tokenUrl' | 'scope'> {
  const { clientId, deviceUrl, tokenUrl, scope } = EMPTY_FORM;
  const mine = typeof stored === 'object' && stored !== null ? (stored as Settings) : {};
  if (mine['with'] === 'oauth2') {
    return { signIn: 'code', clientId: textIn(mine, 'client_id', ''), deviceUrl: textIn(mine, 'device_url', ''), tokenUrl: textIn(mine, 'token_url', ''), scope: textIn(mine, 'scope', '') };
  }
  const signIn = (Object.keys(MATRIX_SIGN_INS) as MatrixSignIn[]).find((each) => MATRIX_SIGN_INS[each] === stored) ?? 'password';
  return { signIn, clientId, deviceUrl, tokenUrl, scope };
}

/** The form for connecting a source again: what was entered before, without secrets. */
export function formOf({ settings, name }: Pick<LiveSourceView, 'settings' | 'name'>): AccountForm {
  const port = textIn(settings, 'port', '');
  const security = textIn(settings, 'security', 'tls');
  const { addresses } = settings;
  return {
    ...EMPTY_FORM,
    name,
    host: textIn(settings, 'host', ''),
    port: port || PORTS.tls,
    simplexPort: port || EMPTY_FORM.simplexPort,
    security: security === 'starttls' || security === 'plain' ? security : 'tls',
    user: textIn(settings, 'user', ''),
    address: Array.isArray(addresses) ? String(addresses[0] ?? '') : '',
    leavesOutAutomatic: settings['leave_out_automatic'] !== false,
    homeserver: textIn(settings, 'homeserver', ''),
    ...signInOf(settings['sign_in']),
  };
}

/**
 * The settings to send when a source is connected again; undefined if nothing but the secret was entered. Settings that the form
 * does not show are kept, such as what the server said when it was connected first.
 */
export function changedSettings(kind: AccountKind, source: Pick<LiveSourceView, 'settings' | 'name'>, form: AccountForm): Settings | undefined {
  const before = WRITE[kind](formOf(source));
  const after = WRITE[kind](form);
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : { ...source.settings, ...after };
}
