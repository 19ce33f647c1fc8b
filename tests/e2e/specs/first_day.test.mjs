// A first day with Keepsake, in the real window: empty, sample data, review by keyboard, a private conversation, Analyze now, a
// restart that finds everything as it was left. Each step is checked in the store through the command line as well as on the screen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const PANELS = ['review', 'you', 'memories', 'conversations', 'people', 'privacy', 'sources', 'activity', 'settings'];

let keepsake;
before(async () => {
  keepsake = await launch();
});
after(() => keepsake?.end());

const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** The memories as stored, by id. */
async function stored() {
  return new Map(lines(await keepsake.cli('memories', '--json')).map((memory) => [memory.id, memory]));
}

async function statuses() {
  const counts = {};
  for (const { status } of (await stored()).values()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Waits until the store says so; the window acts first and writes a moment later. */
const storeSays = (what, condition) => keepsake.until(what, async () => condition(await statuses(), await stored()));

/** Opens a conversation and waits until its words are there. */
async function openConversation(title, words) {
  await keepsake.click({ css: '[data-testid="conversation-row"]', text: title });
  await keepsake.until(`${title} to be open`, () => keepsake.run('return document.body.innerText.includes(arguments[0])', words));
}

/** The memories that rest on the chat with Ana. */
const restingOnAna = async () =>
  [...(await stored()).values()].filter(({ evidence }) => evidence.some(({ source }) => source.conversation.includes('whatsapp-ana')));

const statement = () => keepsake.text('review-statement');

test('an empty Keepsake welcomes, and the sample brings candidates within a minute and three clicks', async () => {
  await keepsake.find('welcome');
  await keepsake.screenshot('welcome-light');
  const started = performance.now();
  await keepsake.click('welcome-sample');
  await keepsake.find('review-row', { within_ms: 60_000 });
  await storeSays('the sample to be read to its end', ({ pending }) => pending >= 12);
  await keepsake.until('the queue to be idle', async () => JSON.parse(await keepsake.cli('status', '--json')).counts.jobs === 0);
  assert.ok(performance.now() - started < 60_000, 'the first memory can be reviewed within a minute');
});

test('approving by keyboard moves on and is stored', async () => {
  await keepsake.find('review-statement');
  const first = await statement();
  await keepsake.press('a');
  await keepsake.until('the next candidate', async () => (await statement()) !== first);
  await storeSays('one approved', ({ active }) => active === 1);
  const [approved] = [...(await stored()).values()].filter(({ status }) => status === 'active');
  // The window shows a person's own words without the label before them.
  assert.equal(approved.content.replace(/^User: (?=“)/, ''), first, 'what stood on the screen is what was kept');
  assert.ok(approved.evidence[0].quote.length > 0, 'with its line');
});

test('editing keeps the new wording and the old version', async () => {
  await keepsake.press('e');
  await keepsake.find('edit-input');
  await keepsake.fill('edit-input', 'User told me this in their own words');
  await keepsake.press('Control+Enter');
  await storeSays('the edit stored', ({ active, superseded }) => active === 2 && superseded === 1);
  const edited = [...(await stored()).values()].find(({ content }) => content.includes('User told me this in their own words'));
  assert.ok(edited?.supersedes, 'it takes the place of the version before');
});

test('rejecting can be undone, exactly', async () => {
  const before = await statuses();
  const refused = await statement();
  await keepsake.press('r');
  await storeSays('one rejected', ({ rejected }) => rejected === 1);
  await keepsake.press('u');
  await storeSays('the rejection undone', (now) => now.rejected === undefined && now.pending === before.pending);
  await keepsake.until('the candidate back on the screen', async () => {
    const rows = await Promise.all((await keepsake.findAll('review-row')).map((_, index) => index));
    return rows.length > 0 && (await keepsake.run('return document.body.innerText')).includes(refused);
  });
  await keepsake.press('r');
  await storeSays('rejected again', ({ rejected }) => rejected === 1);
});

test('a conversation is analysed, and its results are kept', async () => {
  await keepsake.click('nav-conversations');
  await openConversation('Choosing a database', '40,000 catalogue cards');
  await keepsake.click('btn-analyze');
  await keepsake.sees('analyze-results', 'Summary', { within_ms: 30_000 });
  await keepsake.screenshot('analysis-light');
  await keepsake.press('Escape');
  await keepsake.gone('analyze-results');
});

test('a conversation is turned private, and what came of it is erased', async () => {
  await openConversation('Ana Ribeiro', 'are you coming to Lisbon');
  assert.notDeepEqual(await restingOnAna(), [], 'there is something to erase');
  await keepsake.click('btn-private');
  await keepsake.find('private-dialog');
  await keepsake.find('private-erase');
  await keepsake.screenshot('private-dialog-light');
  await keepsake.click('private-erase');
  await keepsake.gone('private-dialog');
  const conversation = lines(await keepsake.cli('conversations', '--json')).find(({ title }) => title === 'Ana Ribeiro');
  assert.equal(conversation.is_private, true);
  assert.deepEqual(await restingOnAna(), [], 'nothing of it is left');
});

test('a conversation that is kept out and taken back at once is as it was', async () => {
  await openConversation('Choosing a database', '40,000 catalogue cards');
  await keepsake.click('btn-private');
  await keepsake.click('private-keep');
  await keepsake.gone('private-dialog');
  await keepsake.until('Analyze now to be off', () => keepsake.run('return document.querySelector(\'[data-testid="btn-analyze"]\').disabled'));
  await keepsake.click({ css: '[data-testid="toast"] button', text: 'Undo' });
  await keepsake.until('Analyze now to be on', () => keepsake.run('return !document.querySelector(\'[data-testid="btn-analyze"]\').disabled'));
  assert.deepEqual(await keepsake.findAll('private-time'), [], 'nothing arrived meanwhile, so nothing is left out');
});

test('turning it off asks whether what arrived meanwhile is used, and can be asked later', async () => {
  // Everything of this one was erased from memory, so all of it counts as kept out.
  await openConversation('Ana Ribeiro', 'are you coming to Lisbon');
  await keepsake.click('btn-private');
  await keepsake.find('private-use-time');
  await keepsake.screenshot('private-off-light');
  await keepsake.click('private-off');
  await keepsake.gone('private-dialog');
  await keepsake.find('private-time');
  await keepsake.screenshot('private-time-light');
  await keepsake.click('private-time');
  await keepsake.find('private-dialog');
  await keepsake.screenshot('private-time-dialog-light');
  await keepsake.press('Escape');
  await keepsake.gone('private-dialog');
  assert.deepEqual(await restingOnAna(), [], 'nothing of that time is used unless the person says so');
});

test('a yes uses what arrived meanwhile: asked for later, and where it is turned off', async () => {
  const isRead = () => keepsake.until('it to be read', async () => (await restingOnAna()).length > 0, { within_ms: 60_000 });
  await keepsake.click('private-time');
  await keepsake.click('private-off');
  await keepsake.gone('private-dialog');
  await keepsake.gone('private-time');
  await isRead();
  await keepsake.click('btn-private');
  await keepsake.click('private-erase');
  await keepsake.gone('private-dialog');
  assert.deepEqual(await restingOnAna(), [], 'and it can be kept out again');
  await keepsake.click('btn-private');
  await keepsake.click('private-use-time');
  await keepsake.click('private-off');
  await keepsake.gone('private-dialog');
  await isRead();
  assert.deepEqual(await keepsake.findAll('private-time'), [], 'nothing is left out');
  await keepsake.screenshot('private-time-used-light');
});

test('after a restart everything is as it was left', async () => {
  const before = await stored();
  await keepsake.restart();
  await keepsake.find('rail');
  const after = await stored();
  assert.deepEqual([...after], [...before], 'every memory stands as it stood');
  await keepsake.click('nav-memories');
  await keepsake.until('the edited memory on the screen', async () =>
    (await keepsake.run('return document.body.innerText')).includes('User told me this in their own words'),
  );
  assert.match(await keepsake.cli('verify'), /all as they were stored/, 'and the log is whole');
});

test('every panel is shown in both themes and at both sizes', async () => {
  for (const theme of ['light', 'dark']) {
    await keepsake.theme(theme);
    for (const panel of PANELS) {
      await keepsake.click(`nav-${panel}`);
      await keepsake.until(`${panel} to be there`, () =>
        keepsake.run('return document.querySelector(\'[data-testid="panel"]\')?.innerText.length > 40'),
      );
      if (panel === 'conversations') await openConversation('Choosing a database', '40,000 catalogue cards');
      if (panel === 'memories') await keepsake.click('memory-row');
      if (panel === 'review' || panel === 'memories') await keepsake.find('review-evidence');
      await keepsake.screenshot(`${panel}-${theme}`);
    }
  }
  await keepsake.resize(960, 600);
  for (const panel of ['review', 'memories', 'conversations']) {
    await keepsake.click(`nav-${panel}`);
    await keepsake.screenshot(`${panel}-small`);
  }
});
