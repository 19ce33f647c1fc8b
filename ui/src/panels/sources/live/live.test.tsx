import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { waitingFiles } from '../../../state/host';
import { nav } from '../../../state/nav';
import { RpcError } from '../../../platform';
import type { FakeOptions, FakePlatform } from '../../../platform/fake';
import { press, renderApp, violations } from '../../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../index';
import { choosing } from './channelChoices';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload as Record<string, unknown>);
const section = () => within(screen.getByTestId('live-sources'));
const rows = () => screen.queryAllByTestId('live-source');
const rowOf = (name: string) => {
  const row = rows().find((each) => each.textContent?.includes(name));
  if (!row) throw new Error(`no account ${name}`);
  return within(row);
};
const show = async (options: FakeOptions = {}) => {
  const host = await renderApp('sources', options);
  await screen.findByTestId('live-sources');
  if (!options.firstRun) await screen.findAllByTestId('live-source');
  return host;
};
const menu = async (kind: string) => {
  fireEvent.click(screen.getByTestId('btn-live-connect'));
  fireEvent.click(await screen.findByText(kind, { selector: '[role=menuitem] *' }));
  return within(await screen.findByTestId('live-form'));
};
const type = (form: ReturnType<typeof within>, label: string, value: string) => fireEvent.change(form.getByLabelText(label), { target: { value } });
const valueOf = (form: ReturnType<typeof within>, label: string) => (form.getByLabelText(label) as HTMLInputElement).value;
const submit = () => fireEvent.submit(screen.getByTestId('live-form'));

const channel = (title: string) => {
  const row = screen.getAllByTestId('live-channel-row').find((each) => each.querySelector('span')?.textContent === title);
  if (!row) throw new Error(`no channel ${title}`);
  return row;
};
const choiceOf = (title: string) => channel(title).querySelector('[aria-pressed=true]')?.textContent;
const titles = () => screen.getAllByTestId('live-channel-row').map((each) => each.querySelector('span')?.textContent);
beforeEach(() => {
  choosing.set(null);
  waitingFiles.set([]);
});

describe('the list', () => {
  test('each account says what it is doing, what was stored, and what was not', async () => {
    await show();
    const text = (name: string) => rowOf(name).getByTestId('live-source-state').textContent;
    await waitFor(() => expect(text('Signal bridge'), 'the server is off').toBe('Not receiving messages'));
    expect(text('robin@mail.example')).toMatch(/^Up to date · last message /);
    expect(text('@robin:matrix.example')).toBe('Reading older messages: 1,200 of 20,000');
    expect(text('SimpleX')).toMatch(/^Not connected; trying again at /);
    expect(rowOf('Signal bridge').getByText(/Switch it on in Settings, under Agents/)).toBeDefined();
    expect(rowOf('SimpleX').getByText(/Start simplex-chat there/)).toBeDefined();
    const mail = rowOf('robin@mail.example');
    for (const words of ['1,592 messages stored', '2 of 5 folders remembered', '2 undecided', '812 messages left out', 'Mailing lists']) expect(mail.getByText(words)).toBeDefined();
    expect(rowOf('@robin:matrix.example').getByText('12 encrypted messages cannot be read, because their keys are missing')).toBeDefined();
  });

  test('one is paused and goes on; all are paused at once', async () => {
    const host = await show();
    fireEvent.click(rowOf('robin@mail.example').getByRole('button', { name: 'Pause robin@mail.example' }));
    await waitFor(() => expect(rowOf('robin@mail.example').getByTestId('live-source-state').textContent).toBe('Paused'));
    fireEvent.click(rowOf('robin@mail.example').getByRole('button', { name: 'Resume robin@mail.example' }));
    await waitFor(() => expect(asked(host, 'live_source_pause')).toEqual([{ id: 'src_mail', is_paused: true }, { id: 'src_mail', is_paused: false }]));
    fireEvent.click(screen.getByTestId('btn-live-pause-all'));
    await waitFor(() => expect(screen.getByTestId('btn-live-pause-all').textContent).toBe('Resume all'));
    expect(asked(host, 'live_source_pause').at(-1)).toEqual({ is_paused: true });
  });

  test('one is renamed; a name that is refused stays in the field', async () => {
    const host = await show();
    fireEvent.click(rowOf('Signal bridge').getByRole('button', { name: 'Rename… Signal bridge' }));
    const form = within(await screen.findByTestId('live-edit'));
    expect(valueOf(form, 'New name')).toBe('Signal bridge');
    type(form, 'New name', ' ');
    fireEvent.click(form.getByTestId('btn-live-edit-confirm'));
    expect(await form.findByText(/^Nothing was changed: a source needs a name/)).toBeDefined();
    type(form, 'New name', 'Bees bridge');
    fireEvent.submit(screen.getByTestId('live-edit'));
    await waitFor(() => expect(rowOf('Bees bridge')).toBeDefined());
    expect(screen.queryByTestId('live-edit')).toBeNull();
    expect(asked(host, 'live_source_rename').at(-1)).toEqual({ id: 'src_webhook', name: 'Bees bridge' });
    expect(await violations()).toEqual([]);
  });

  test('a webhook gets a new token, which is shown once, after it is said that the old one ends', async () => {
    const host = await show();
    expect(rowOf('robin@mail.example').queryByTestId('btn-live-token'), 'an account has none').toBeNull();
    fireEvent.click(rowOf('Signal bridge').getByRole('button', { name: 'New token… for Signal bridge' }));
    const form = within(await screen.findByTestId('live-edit'));
    expect(form.getByText(/The old one stops working at once/)).toBeDefined();
    expect(asked(host, 'live_source_token')).toEqual([]);
    fireEvent.click(form.getByTestId('btn-live-edit-confirm'));
    const dialog = within(await screen.findByTestId('webhook-dialog'));
    expect(dialog.getByText('New token for “Signal bridge”')).toBeDefined();
    expect(dialog.getByTestId<HTMLInputElement>('webhook-token').value).toMatch(/^ksin_/);
    expect(screen.queryByTestId('live-edit')).toBeNull();
    expect(asked(host, 'live_source_token')).toHaveLength(1);
  });

  test('it is read once a day at ten in the evening unless another hour is chosen', async () => {
    const host = await show();
    fireEvent.change(rowOf('robin@mail.example').getByTestId('live-schedule'), { target: { value: 'daily' } });
    const hour = (await within(rows()[0] as HTMLElement).findByTestId('live-hour')) as HTMLSelectElement;
    expect(hour.value).toBe('22');
    fireEvent.change(hour, { target: { value: '7' } });
    await waitFor(() => expect(hour.value).toBe('7'));
    fireEvent.change(rowOf('robin@mail.example').getByTestId('live-schedule'), { target: { value: 'live' } });
    await waitFor(() => expect(screen.queryByTestId('live-hour')).toBeNull());
    expect(asked(host, 'live_source_schedule')).toEqual([{ id: 'src_mail', daily_hour: 22 }, { id: 'src_mail', daily_hour: 7 }, { id: 'src_mail' }]);
    expect(rowOf('Signal bridge').queryByTestId('live-schedule'), 'nothing is fetched from a webhook').toBeNull();
  });

  test('none yet', async () => {
    await show({ firstRun: true });
    expect(await section().findByText(/^No connected accounts yet\./)).toBeDefined();
    expect(section().queryByTestId('btn-live-pause-all')).toBeNull();
  });

  test('a list that fails can be asked for again', async () => {
    const host = await renderApp('review');
    host.failNext('live_sources_list', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(screen.getByTestId('nav-sources'));
    await screen.findByTestId('live-sources');
    await section().findByText('The disk is busy.');
    fireEvent.click(section().getByText('Try again'));
    expect(await screen.findAllByTestId('live-source')).toHaveLength(4);
  });

  test('without a keyring it says that passwords are asked for again', async () => {
    const host = await show();
    const { items } = { items: [] };
    host.answer('live_sources_list', () => ({ items, is_secret_lost_at_end: true }));
    act(() => host.emit({ type: 'changed', tags: ['sources'] }));
    expect(await section().findByText(/asks for them each time it starts/)).toBeDefined();
  });
});

describe('connecting', () => {
  const fill = async () => {
    const form = await menu('Mail');
    type(form, 'Server', 'imap.mail.example');
    type(form, 'User name', 'ana@mail.example');
    type(form, 'Password', 'wrong');
    return form;
  };

  test('mail: a failure shows the words of the server and keeps what was typed; then the folders are chosen', async () => {
    const host = await show();
    const form = await fill();
    submit();
    const alert = await form.findByRole('alert');
    expect(alert.textContent).toContain('The server refused the user name or the password.');
    expect(['Server', 'Port', 'User name', 'Password'].map((label) => valueOf(form, label))).toEqual(['imap.mail.example', '993', 'ana@mail.example', 'wrong']);
    expect((form.getByLabelText('Password') as HTMLInputElement).type).toBe('password');
    expect(form.getByLabelText('Password').getAttribute('autocomplete')).toBe('off');
    type(form, 'Password', 'abcd efgh');
    submit();
    await screen.findByTestId('live-channels-list');
    expect(asked(host, 'live_source_add').at(-1)).toEqual({
      settings: { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'ana@mail.example', sign_in: { with: 'password' }, leave_out_automatic: true },
      secret: 'abcd efgh',
    });
    expect(titles()).toEqual(['Inbox', 'Sent', 'Archive', 'Allotment']);
    expect(titles().map((title) => choiceOf(title ?? '')), 'nothing is chosen for the person').toEqual(['Decide later', 'Decide later', 'Decide later', 'Decide later']);
    expect(screen.getByText('Nothing is stored from undecided or ignored folders.')).toBeDefined();
    expect(JSON.stringify(asked(host, 'ui_state_set'))).not.toContain('abcd efgh');
    expect(document.body.innerHTML).not.toContain('abcd efgh');
  });

  test('what is missing is said before anything is sent', async () => {
    const host = await show();
    const form = await menu('Mail');
    submit();
    await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText('Server')));
    expect(form.getAllByText('Enter a value.')).toHaveLength(3);
    type(form, 'Server', 'imap.mail.example');
    expect(form.getAllByText('Enter a value.')).toHaveLength(2);
    expect(asked(host, 'live_source_add')).toEqual([]);
  });

  test('the port follows the encryption unless it was changed, and no encryption is only for this computer', async () => {
    await show();
    const form = await menu('Mail');
    expect(form.queryByRole('radio', { name: 'None' })).toBeNull();
    fireEvent.click(form.getByRole('radio', { name: 'STARTTLS' }));
    expect(valueOf(form, 'Port')).toBe('143');
    type(form, 'Port', '1143');
    fireEvent.click(form.getByRole('radio', { name: 'TLS' }));
    expect(valueOf(form, 'Port')).toBe('1143');
    type(form, 'Server', '127.0.0.1');
    expect(form.getByRole('radio', { name: 'None' })).toBeDefined();
  });

  test('canceled while the server is slow: what was typed stays, and an account that comes after all is removed', async () => {
    let answer: () => void = () => undefined;
    const host = await show({ hold: (cmd) => (cmd === 'live_source_add' ? new Promise<void>((resolve) => (answer = resolve)) : undefined) });
    const form = await fill();
    type(form, 'Password', 'right');
    submit();
    expect(await form.findByRole('progressbar', { name: 'Connecting to imap.mail.example' })).toBeDefined();
    fireEvent.click(form.getByText('Cancel'));
    await waitFor(() => expect(form.queryByRole('progressbar')).toBeNull());
    expect(valueOf(form, 'Server')).toBe('imap.mail.example');
    await act(async () => answer());
    await waitFor(() => expect(asked(host, 'live_source_remove')).toEqual([{ id: 'src_new_1', forget: false }]));
    expect(choosing.get()).toBeNull();
    expect(screen.getByTestId('live-form')).toBeDefined();
  });

  test('Matrix with a token', async () => {
    const host = await show();
    const form = await menu('Matrix');
    type(form, 'Homeserver', 'matrix.example');
    fireEvent.click(form.getByRole('radio', { name: 'Access token' }));
    type(form, 'Access token', 'syt_1');
    submit();
    await screen.findByTestId('live-channels-list');
    expect(asked(host, 'live_source_add')).toEqual([{ settings: { kind: 'matrix', homeserver: 'matrix.example', user: '', sign_in: 'access_token' }, secret: 'syt_1' }]);
  });

  /** Cancels the sign-in that waits, begins it again, and lets the account be added. */
  const cancelThenSignIn = async (host: FakePlatform, form: Awaited<ReturnType<typeof menu>>, answer: () => void) => {
    fireEvent.click(form.getByText('Cancel'));
    await waitFor(() => expect(asked(host, 'task_cancel')).toEqual([{ id: 'attempt_1' }]));
    expect(form.queryByTestId('live-sign-in-page')).toBeNull();
    submit();
    await form.findByTestId('live-sign-in-page');
    await act(async () => answer());
    await screen.findByTestId('live-channels-list');
  };

  test('Matrix in the browser: the page is shown, nothing secret is typed, and canceling ends the waiting', async () => {
    let answer: () => void = () => undefined;
    const host = await show({ hold: (cmd) => (cmd === 'live_source_add' ? new Promise<void>((resolve) => (answer = resolve)) : undefined) });
    const form = await menu('Matrix');
    fireEvent.click(form.getByRole('radio', { name: 'In the browser' }));
    expect(form.queryByLabelText('Password')).toBeNull();
    submit();
    await waitFor(() => expect(form.getByText('Enter a value.'), 'it must be known where').toBeDefined());
    type(form, 'Homeserver', 'matrix.example');
    submit();
    const page = within(await form.findByTestId('live-sign-in-page'));
    expect((page.getByLabelText('Address') as HTMLInputElement).value).toBe('https://matrix.example/_matrix/client/v3/login/sso/redirect');
    expect(form.getByRole('progressbar', { name: 'Waiting for you to sign in through the browser' })).toBeDefined();
    await cancelThenSignIn(host, form, () => answer());
    expect(asked(host, 'live_source_add').at(-1)).toEqual({ settings: { kind: 'matrix', homeserver: 'matrix.example', user: '', sign_in: 'browser' }, attempt: 'attempt_1' });
  });

  test('mail with a code: it is shown with its page, no secret is sent, and canceling ends the waiting', async () => {
    let answer: () => void = () => undefined;
    const host = await show({ hold: (cmd) => (cmd === 'live_source_add' ? new Promise<void>((resolve) => (answer = resolve)) : undefined) });
    const form = await menu('Mail');
    type(form, 'Password', 'typed before');
    fireEvent.click(form.getByRole('radio', { name: 'A code at your provider' }));
    expect(form.queryByLabelText('Password')).toBeNull();
    expect(form.getByText(/Keepsake comes with no client ID/)).toBeDefined();
    type(form, 'Server', 'outlook.office365.com');
    type(form, 'User name', 'robin@mail.example');
    submit();
    await waitFor(() => expect(form.getByLabelText('Client ID').getAttribute('aria-invalid')).toBe('true'));
    expect(asked(host, 'live_source_sign_in')).toEqual([]);
    type(form, 'Client ID', ' app-1 ');
    expect(form.getByRole('radio', { name: 'Microsoft', checked: true })).toBeDefined();
    submit();
    const page = within(await form.findByTestId('live-sign-in-page'));
    expect(valueOf(page, 'Code')).toBe('ABCD-EFGH');
    expect(valueOf(page, 'Address')).toBe('https://provider.example/device');
    expect(page.getByRole('button', { name: 'Copy: Code' })).toBeDefined();
    expect(form.getByRole('progressbar', { name: 'Waiting for you to enter the code' })).toBeDefined();
    await cancelThenSignIn(host, form, () => answer());
    const sign_in = {
      with: 'oauth2', client_id: 'app-1', device_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/devicecode',
      token_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/token', scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
    };
    const settings = { kind: 'mail', host: 'outlook.office365.com', port: 993, security: 'tls', user: 'robin@mail.example', sign_in, leave_out_automatic: true };
    expect(asked(host, 'live_source_sign_in').at(-1)).toEqual({ settings });
    expect(asked(host, 'live_source_add').at(-1)).toEqual({ settings, attempt: 'attempt_1' });
    expect(JSON.stringify(host.calls), 'a password is not sent along').not.toContain('typed before');
  });

  test('mail with a code is connected again by another code, with the settings as they are', async () => {
    const host = await show();
    const items = (await host.rpc('live_sources_list', {})) as { items: Record<string, unknown>[] };
    const sign_in = { with: 'oauth2', client_id: 'app-1', device_url: 'https://p.example/device', token_url: 'https://p.example/token', scope: 'mail' };
    const settings = { kind: 'mail', host: 'imap.mail.example', port: 993, security: 'tls', user: 'robin@mail.example', sign_in, leave_out_automatic: true, check_s: 240 };
    host.answer('live_sources_list', () => ({ items: [{ ...items.items[0], settings, state: 'needs_attention', detail: 'Sign in again.' }] as never, is_secret_lost_at_end: false }));
    act(() => host.emit({ type: 'changed', tags: ['sources'] }));
    await waitFor(() => expect(screen.getByTestId('btn-live-reconnect').textContent).toBe('Sign in again…'));
    fireEvent.click(screen.getByTestId('btn-live-reconnect'));
    const form = within(await screen.findByTestId('live-form'));
    expect(valueOf(form, 'Device address')).toBe('https://p.example/device');
    submit();
    await waitFor(() => expect(asked(host, 'live_source_reconnect')).toEqual([{ id: 'src_mail', attempt: 'attempt_1' }]));
    expect(asked(host, 'live_source_sign_in')).toMatchObject([{ settings: { sign_in } }]);
  });

  test('SimpleX needs only its port', async () => {
    const host = await show();
    await menu('SimpleX');
    submit();
    await screen.findByTestId('live-channels-list');
    expect(asked(host, 'live_source_add')).toEqual([{ settings: { kind: 'simplex', port: 5_225 } }]);
  });

  test('a password is entered again, without the settings if they stay the same', async () => {
    const host = await show();
    const items = (await host.rpc('live_sources_list', {})) as { items: Record<string, unknown>[] };
    host.answer('live_sources_list', () => ({ items: [{ ...items.items[0], state: 'needs_attention', detail: 'Wrong password. Enter it again.' }] as never, is_secret_lost_at_end: false }));
    act(() => host.emit({ type: 'changed', tags: ['sources'] }));
    await waitFor(() => expect(rows()).toHaveLength(1));
    fireEvent.click(screen.getByTestId('btn-live-reconnect'));
    const form = within(await screen.findByTestId('live-form'));
    expect(document.activeElement, 'the person came for it').toBe(form.getByLabelText('Password'));
    expect(valueOf(form, 'Server')).toBe('imap.mail.example');
    type(form, 'Password', 'new one');
    submit();
    await waitFor(() => expect(asked(host, 'live_source_reconnect')).toEqual([{ id: 'src_mail', secret: 'new one' }]));
    await waitFor(() => expect(screen.queryByTestId('live-form')).toBeNull());
  });
});

describe('a webhook', () => {
  const create = async () => {
    const host = await show();
    const form = await menu('Webhook');
    type(form, 'Name', 'Signal bot');
    submit();
    return { host, dialog: within(await screen.findByTestId('webhook-dialog')) };
  };

  test('shows its token once, and not closing by accident before it was copied', async () => {
    const write = vi.fn().mockResolvedValue(undefined);
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: write } });
    const { host, dialog } = await create();
    expect(asked(host, 'live_source_add')).toEqual([{ settings: { kind: 'webhook' }, name: 'Signal bot' }]);
    const { value: token } = dialog.getByTestId('webhook-token') as HTMLInputElement;
    expect(token).toMatch(/^ksin_/);
    expect((dialog.getByLabelText('Example') as HTMLTextAreaElement).value).toMatch(/^curl http:\/\/127\.0\.0\.1:\d+\/v1\/in\/src_new_1 /);
    expect(dialog.getByText(/Switch it on in Settings, under Agents/)).toBeDefined();
    fireEvent.click(dialog.getByTestId('btn-webhook-done'));
    expect(dialog.getByText(/You have not copied the token/)).toBeDefined();
    fireEvent.click(dialog.getByTestId('btn-webhook-copy'));
    await waitFor(() => expect(write).toHaveBeenCalledWith(token));
    await waitFor(() => expect(dialog.queryByText(/You have not copied the token/)).toBeNull());
    fireEvent.click(dialog.getByTestId('btn-webhook-done'));
    await waitFor(() => expect(screen.queryByTestId('webhook-dialog')).toBeNull());
    expect(document.body.innerHTML, 'nothing shows it again').not.toContain(token);
    expect((rowOf('Signal bot').getByTestId('webhook-address') as HTMLInputElement).value).toMatch(/\/v1\/in\/src_new_1$/);
  });

  test('leads to the switch of the server', async () => {
    const { dialog } = await create();
    fireEvent.click(await dialog.findByText('Open Settings'));
    await waitFor(() => expect(nav.get().panel).toBe('settings'));
  });
});

describe('disconnecting', () => {
  const ask = async () => {
    const host = await show();
    fireEvent.click(rowOf('robin@mail.example').getByTestId('btn-live-disconnect'));
    return { host, dialog: within(await screen.findByTestId('live-disconnect-dialog')) };
  };

  test('keeps what was read unless told otherwise', async () => {
    const { host, dialog } = await ask();
    await press('Enter', 'y');
    expect(asked(host, 'live_source_remove'), 'no key disconnects by accident').toEqual([]);
    fireEvent.click(dialog.getByTestId('btn-live-disconnect-confirm'));
    await screen.findByText('Disconnected robin@mail.example. Everything already read is kept.');
    expect(asked(host, 'live_source_remove')).toEqual([{ id: 'src_mail', forget: false }]);
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('or forgets it all, with the numbers before and a receipt after', async () => {
    const { host, dialog } = await ask();
    fireEvent.click(dialog.getByLabelText('Forget it all'));
    expect(within(await dialog.findByTestId('erase-counts')).getAllByRole('listitem').map((each) => each.textContent)).toEqual(['1,592 messages', '2 complete conversations', '16 memories and proposals with no other source']);
    expect(await violations()).toEqual([]);
    fireEvent.click(dialog.getByText('Disconnect and erase'));
    const receipt = within(await screen.findByTestId('erase-receipt'));
    expect(receipt.getByText('Erased: 1,592 messages and 16 memories and proposals.')).toBeDefined();
    expect(asked(host, 'live_source_remove')).toEqual([{ id: 'src_mail', forget: true }]);
    await waitFor(() => expect(rows()).toHaveLength(3));
    expect(screen.getByTestId('erase-receipt'), 'though the account is gone').toBeDefined();
  });

  test('that fails says why and disconnects nothing', async () => {
    const { host, dialog } = await ask();
    host.failNext('live_source_remove', new RpcError('refused', 'The keyring is locked. Unlock it and try again.'));
    fireEvent.click(dialog.getByTestId('btn-live-disconnect-confirm'));
    expect((await dialog.findByRole('alert')).textContent).toContain('The keyring is locked.');
    expect(rows()).toHaveLength(4);
  });
});

test.each([['light'], ['dark']] as const)('axe finds nothing in the list and the forms in %s', async (theme) => {
  await show({ theme, hold: (cmd) => (cmd === 'live_source_add' ? new Promise(() => undefined) : undefined) });
  for (const kind of ['Mail', 'Matrix', 'Webhook']) {
    const form = await menu(kind);
    submit();
    expect(await violations(screen.getByTestId('live-sources'))).toEqual([]);
    fireEvent.click(form.getByText('Cancel'));
    await waitFor(() => expect(screen.queryByTestId('live-form')).toBeNull());
  }
  const form = await menu('Mail');
  fireEvent.click(form.getByRole('radio', { name: 'A code at your provider' }));
  for (const label of ['Server', 'User name', 'Client ID']) type(form, label, 'a@b.example');
  submit();
  await form.findByTestId('live-sign-in-page');
  expect(await violations(screen.getByTestId('live-sources'))).toEqual([]);
});
