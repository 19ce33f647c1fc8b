// A mail account is connected, chosen from, read as mail arrives, and forgotten; a program sends messages by a webhook. In the real
// window, with a real mail server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PASSWORD, USER, startDovecot } from '../dovecot.mjs';
import { launch } from '../keepsake.mjs';

/** From the arrival of a mail to its place in the list, on a busy machine. */
const SECONDS_MS = 20_000;

let keepsake;
let server;
before(async () => {
  server = await startDovecot();
  for (const n of [1, 2, 3]) await server.put('INBOX', { subject: `Letter ${n}`, text: `I have moved to street number ${n}.` });
  await server.put('Archive', { subject: 'Old', text: 'Nobody chose this folder.' });
  keepsake = await launch();
});
after(async () => {
  await keepsake?.end();
  await server?.stop();
});

const sources = async () => (await keepsake.cli('sources', 'list', '--json')).split('\n').filter(Boolean).map((line) => JSON.parse(line));

test('a mail account is connected, and what was typed survives a wrong password', async () => {
  await keepsake.click('nav-sources');
  await keepsake.screenshot('accounts-none-light');
  await keepsake.click('btn-live-connect');
  await keepsake.click({ css: '[role=menuitem]', text: 'Mail' });
  await keepsake.fill({ css: '[data-testid=live-form] input', name: 'Server' }, '127.0.0.1');
  await keepsake.click({ css: '[data-testid=live-form] [role=radio], [data-testid=live-form] label', text: 'None' });
  await keepsake.fill({ css: '[data-testid=live-form] input', name: 'Port' }, `${server.port}`);
  await keepsake.fill({ css: '[data-testid=live-form] input', name: 'User name' }, USER);
  await keepsake.fill({ css: '[data-testid=live-form] input', name: 'Password' }, 'not this one');
  await keepsake.click('btn-live-submit');
  await keepsake.sees('live-form', 'Your entries are still here');
  await keepsake.screenshot('accounts-wrong-password-light');
  assert.deepEqual(await sources(), []);
  await keepsake.fill({ css: '[data-testid=live-form] input', name: 'Password' }, PASSWORD);
  await keepsake.click('btn-live-submit');
  await keepsake.find('live-channels-list', { within_ms: SECONDS_MS });
});

test('nothing is stored before a folder is chosen, and then the mail of that folder alone', async () => {
  const [source] = await sources();
  assert.deepEqual([source.name, source.messages, source.undecided], [USER, 0, source.channels]);
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.click('btn-live-choose');
    await keepsake.find({ css: '[data-testid=live-channel-row]', text: 'INBOX' });
    await keepsake.screenshot(`accounts-choose-${theme}`);
  }
  await keepsake.click({ css: '[data-testid=live-channel-row]', text: 'INBOX' });
  await keepsake.press('r');
  await keepsake.until('the mail of the folder', async () => (await sources())[0].messages === 3, { within_ms: SECONDS_MS });
  await keepsake.click('btn-live-channels-back');
  await keepsake.sees('live-source', 'Up to date');
  await keepsake.sees('live-source', '3 messages stored');
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.sees('live-source', '3 messages stored');
    await keepsake.screenshot(`accounts-${theme}`);
    await keepsake.click('btn-live-connect');
    await keepsake.click({ css: '[role=menuitem]', text: 'Matrix' });
    await keepsake.sees('live-form', 'Homeserver');
    await keepsake.screenshot(`accounts-connect-${theme}`);
    await keepsake.click({ css: '[data-testid=live-form] button', name: 'Cancel' });
  }
});

test('a new mail is there within seconds', async () => {
  await server.put('INBOX', { subject: 'News', text: 'The wombatglockenspiel has come.' });
  const began = Date.now();
  await keepsake.until('the new mail', async () => (await keepsake.cli('search', 'wombatglockenspiel', '--json')).includes('wombatglockenspiel'), { within_ms: SECONDS_MS });
  console.log(`# a mail was found ${Date.now() - began} ms after it arrived, with the time that a search takes to start`);
});

test('forgetting the account erases what it brought', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-sources');
  await keepsake.click('btn-live-disconnect');
  await keepsake.click({ css: '[data-testid=live-disconnect-dialog] label', text: 'Forget' });
  await keepsake.sees('live-disconnect-dialog', '4 messages');
  await keepsake.screenshot('accounts-forget-dark');
  await keepsake.click('btn-live-disconnect-confirm');
  await keepsake.until('the account to be gone', async () => (await sources()).length === 0);
  assert.equal((await keepsake.cli('search', 'wombatglockenspiel', '--json')).trim(), '');
  await keepsake.press('Escape');
  await keepsake.gone('live-source');
});

test('a webhook shows its token once', async () => {
  for (const theme of ['dark', 'light']) {
    await keepsake.theme(theme);
    await keepsake.click('nav-sources');
    await keepsake.click('btn-live-connect');
    await keepsake.click({ css: '[role=menuitem]', text: 'Webhook' });
    await keepsake.fill({ css: '[data-testid=live-form] input', name: 'Name' }, `Bridge in the ${theme}`);
    await keepsake.click('btn-live-submit');
    await keepsake.sees('webhook-dialog', 'It is shown only once');
    await keepsake.screenshot(`accounts-webhook-${theme}`);
    const token = await keepsake.attribute('webhook-token', 'value');
    assert.match(token, /^ksin_[0-9a-f]{64}$/);
    await keepsake.click({ css: '[data-testid=webhook-dialog] button', name: 'Copy: Token' });
    await keepsake.click('btn-webhook-done');
    await keepsake.gone('webhook-dialog');
  }
  await keepsake.screenshot('accounts-webhooks-light');
  assert.deepEqual((await sources()).map((source) => source.kind), ['webhook', 'webhook']);
});
