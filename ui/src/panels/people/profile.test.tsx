import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CommitmentView, ProfileEntryView, ProfileVersionView } from '../../api';
import { shortDate } from '../../design';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { NOW, press, renderApp, violations } from '../../test/render';
import { dueOf, partiesOf } from '../shared/Promises';
import { asOf } from './Profile';
import { endingOf, endingWords, facetWords, inOrder } from './profile';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const entries = () => screen.queryAllByTestId('profile-entry');
const entry = (words: string) => entries().find((each) => each.textContent?.includes(words)) as HTMLElement;
const open = async (name = 'Priya Nair', channel = 'Meeting') => {
  const host = await renderApp('people');
  const rows = await screen.findAllByTestId('person-row');
  fireEvent.click(rows.find((row) => row.textContent?.includes(name) && row.textContent.includes(channel)) as HTMLElement);
  await screen.findByText('Recent messages');
  return host;
};
const DAY = 86_400_000;
/** A day as formatted on this computer. */
const day = (days_ago: number) => shortDate(NOW - days_ago * DAY, NOW);
const unfold = (words: string) => {
  fireEvent.click(within(entry(words)).getByTestId('profile-toggle'));
  return within(entry(words));
};

beforeEach(() => {
  for (const [key, value] of [['people.tab', 'people'], ['people.part', 'about'], ['people.filters', {}]] as const) setUiState(key, value);
});

describe('a profile', () => {
  test('says what they want, by kind, how sure that is, and who may see it', async () => {
    await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    const section = within(screen.getByRole('region', { name: 'Preferences and needs' }));
    expect(section.getAllByRole('heading', { level: 4 }).map((each) => each.textContent)).toEqual(['Needs', 'Expectations', 'Preferences']);
    const row = within(entry('Prefers short answers')).getByRole('button', { expanded: false });
    for (const words of [`Length, since ${day(8)}`, 'High confidence', 'Public']) expect(row.textContent).toContain(words);
    expect(await violations()).toEqual([]);
  });

  test('unfolds to the lines that show it, each opening where it was said', async () => {
    await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    const row = unfold('Prefers short answers');
    expect(row.getByRole('button', { expanded: true })).toBeDefined();
    const quotes = row.getAllByTestId('quote');
    expect(quotes[0]?.querySelector('mark')?.textContent).toBe('Fine by me');
    expect(await violations()).toEqual([]);
    fireEvent.click(quotes[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup', message: 'int_conv_standup_4' } });
  });

  test('keeps what was believed before, when, and why it gave way', async () => {
    await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    const history = unfold('Prefers short answers').getByTestId('profile-history');
    for (const words of ['Prefers long, detailed answers', `considered true ${day(190)} – ${day(7)}`, 'Replaced by a later statement: Prefers short answers']) expect(history.textContent).toContain(words);
  });

  test('“this is wrong” takes an entry out of what holds, and u brings it back', async () => {
    const host = await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    fireEvent.click(unfold('Prefers short answers').getByRole('button', { name: 'This is wrong: Prefers short answers' }));
    await waitFor(() => expect(entries()).toHaveLength(2));
    await waitFor(() => expect(asked(host, 'profile_debunk')).toEqual([{ id: 'ep_ent_Priya Nair_length_0', is_disputed: true }]));
    fireEvent.click(screen.getByTestId('profile-past'));
    expect(entry('Prefers short answers').dataset.current, 'it is not forgotten').toBe('false');
    await press('u');
    await waitFor(() => expect(entry('Prefers short answers').dataset.current).toBe('true'));
  });

  test('what was said to be wrong can be taken back later', async () => {
    const host = await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    fireEvent.click(unfold('Expects a demo').getByTestId('btn-profile-wrong'));
    fireEvent.click(await screen.findByTestId('profile-past'));
    fireEvent.click(unfold('Expects a demo').getByTestId('btn-profile-restore'));
    await waitFor(() => expect(asked(host, 'profile_debunk').at(-1)).toMatchObject({ is_disputed: false }));
    await waitFor(() => expect(screen.queryByTestId('profile-past')).toBeNull());
  });

  test('a correction is written in place, kept by Ctrl+Enter, and the earlier wording can be used again', async () => {
    const host = await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    fireEvent.click(unfold('Prefers short answers').getByTestId('btn-profile-correct'));
    const field = screen.getByTestId('profile-input');
    expect(document.activeElement, 'typing begins at once').toBe(field);
    fireEvent.change(field, { target: { value: 'Prefers short answers on weekdays' } });
    expect(await violations()).toEqual([]);
    await press('^Enter');
    await waitFor(() => expect(entry('on weekdays').textContent).toContain('Your wording'));
    expect(asked(host, 'profile_correct')).toEqual([{ id: 'ep_ent_Priya Nair_length_0', content: 'Prefers short answers on weekdays' }]);
    expect(within(entry('on weekdays')).getByTestId('profile-history').textContent).toContain('You corrected the wording');
    fireEvent.click(screen.getByRole('button', { name: 'Use this wording again: Prefers short answers' }));
    await waitFor(() => expect(asked(host, 'profile_correct').at(-1)).toEqual({ id: 'ep_byhand_length_0', content: 'Prefers short answers' }));
    await press('u');
    await waitFor(() => expect(asked(host, 'profile_correct').at(-1), 'an undo is one version more').toEqual({ id: 'ep_byhand_length_1', content: 'Prefers short answers on weekdays' }));
  });

  test('Escape leaves the wording as it was, and an empty one cannot be kept', async () => {
    const host = await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    fireEvent.click(unfold('Prefers short answers').getByTestId('btn-profile-correct'));
    fireEvent.change(screen.getByTestId('profile-input'), { target: { value: '  ' } });
    await press('^Enter');
    expect((screen.getByTestId('btn-profile-save') as HTMLButtonElement).disabled).toBe(true);
    await press('Escape');
    expect(screen.queryByTestId('profile-input')).toBeNull();
    expect(asked(host, 'profile_correct')).toEqual([]);
  });

  test('a private entry may be told anywhere once the person says so, and that can be undone', async () => {
    const host = await open();
    const detail = (await host.rpc('person_get', { id: 'ent_Priya Nair' })) as { profile: ProfileEntryView[] };
    host.answer('person_get', () => ({ ...detail, profile: detail.profile.map((each) => ({ ...each, version: { ...each.version, visibility: 'private' } })) }) as never);
    host.emit({ type: 'changed', tags: ['people'] });
    await waitFor(() => expect(entry('Prefers short answers').textContent).toContain('Private'));
    fireEvent.click(unfold('Prefers short answers').getByRole('switch', { name: 'Agents may use this anywhere: Prefers short answers' }));
    await waitFor(() => expect(asked(host, 'profile_share')).toEqual([{ id: 'ep_ent_Priya Nair_length_0', is_shared: true }]));
    await press('u');
    await waitFor(() => expect(asked(host, 'profile_share').at(-1)).toMatchObject({ is_shared: false }));
  });

  test('on another day it shows what was believed then and what was true then, to be read alone', async () => {
    const host = await open();
    await waitFor(() => expect(entries()).toHaveLength(3));
    fireEvent.click(screen.getByTestId('btn-profile-as-of'));
    fireEvent.change(screen.getByLabelText('Day'), { target: { value: '2026-07-01' } });
    await waitFor(() => expect(entries().map((each) => each.dataset.entry)).toEqual(['ep_ent_Priya Nair_length_1']));
    expect(asked(host, 'profile_at'), 'the end of that day').toEqual([{ id: 'ent_Priya Nair', time: new Date(2026, 6, 2).getTime() - 1 }]);
    expect(await violations()).toEqual([]);
    unfold('long, detailed');
    expect(screen.queryByTestId('btn-profile-wrong')).toBeNull();
    // On 12 November it was true, but Keepsake did not know it yet.
    fireEvent.change(screen.getByLabelText('Day'), { target: { value: '2026-11-12' } });
    await waitFor(() => expect(asked(host, 'profile_at')).toHaveLength(2));
    expect(await screen.findByText('Prefers long, detailed answers')).toBeDefined();
    fireEvent.click(screen.getByTestId('as-of-held'));
    await waitFor(() => expect(entry('Prefers short answers')).toBeDefined());
    fireEvent.click(screen.getByRole('button', { name: 'Back to today' }));
    await waitFor(() => expect(entries()).toHaveLength(3));
  });

  test('with nothing known it says what will stand there; of a service nothing is said', async () => {
    await open('Mum', 'WhatsApp');
    expect(screen.getByText(/^Nothing yet\. Repeated requests/)).toBeDefined();
    fireEvent.click(screen.getByTestId('facet-kind'));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: /Services/ }));
    const build = await waitFor(() => {
      const row = screen.getAllByTestId('person-row').find((each) => each.textContent?.includes('Atlas build'));
      expect(row).toBeDefined();
      return row as HTMLElement;
    });
    fireEvent.click(build);
    await screen.findByText('No messages are stored.');
    expect(screen.queryByText('Preferences and needs')).toBeNull();
  });
});

describe('promises', () => {
  test('who promised what to whom, by when; what is settled on request; each opens where it was said', async () => {
    await open();
    const promises = await screen.findAllByTestId('promise');
    expect(promises.map((each) => each.querySelector('p')?.textContent)).toEqual([`OpenYou to Priya Nairby about ${day(-30)}Atlas weekly, 12 November`]);
    fireEvent.click(screen.getByTestId('btn-promises-settled'));
    expect(screen.getAllByTestId('promise')[1]?.textContent).toContain('Show where it was settled');
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'a demo before the holidays' }));
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup', message: 'int_conv_standup_5' } });
  });

  test('promises that cannot be loaded say so', async () => {
    const host = await renderApp('people');
    host.failNext('person_commitments', new RpcError('internal', 'The disk is busy.'));
    expect((await screen.findByText(/The disk is busy\./)).getAttribute('role')).toBe('alert');
  });

  const promise = (more: Partial<CommitmentView>) => ({ debtor: null, creditor: null, is_owed_to_owner: false, due: null, due_precision: null, settled: false, ...more }) as CommitmentView;
  test.each([
    ['the owner to somebody', { creditor: 'Noor' }, 'You to Noor'],
    ['the owner to a group', {}, 'You, to everyone there'],
    ['somebody to the owner', { debtor: 'Noor', is_owed_to_owner: true }, 'Noor to you'],
    ['somebody to another', { debtor: 'Noor', creditor: 'Ana' }, 'Noor to Ana'],
  ])('%s', (_, more, expected) => expect(partiesOf(promise(more))).toBe(expected));
  test.each([
    ['without a date', {}, null],
    ['ahead', { due: NOW + DAY, due_precision: 'day' }, { text: `by ${day(-1)}`, isLate: false }],
    ['over', { due: NOW - DAY, due_precision: 'day' }, { text: `was due ${day(1)}`, isLate: true }],
    ['over and settled', { due: NOW - DAY, due_precision: 'day', settled: true }, { text: `by ${day(1)}`, isLate: false }],
  ])('due: %s', (_, more, expected) => expect(dueOf(promise(more), NOW)).toEqual(expected));
});

describe('why a version gave way', () => {
  const version = (id: string, more: Partial<ProfileVersionView> = {}): ProfileVersionView => ({
    id, content: id, confidence: 'low', origin: 'built_in', visibility: 'public', is_shared: false, valid_from: 1, valid_to: null, created: 10, superseded: 20, debunked: null, lines: [], ...more,
  });
  const old = version('old');
  test.each<[string, ProfileVersionView, ProfileVersionView[], string]>([
    ['it was said otherwise', old, [version('new', { created: 20 })], 'Replaced by a later statement: new'],
    ['more lines say the same', old, [version('new', { created: 20, content: 'old', lines: [{}, {}] as never })], '2 more messages show the same'],
    ['it became surer', old, [version('new', { created: 20, content: 'old', confidence: 'high' })], 'Confidence is now high'],
    ['the person worded it anew', old, [version('new', { created: 20, origin: 'person' })], 'You corrected the wording'],
    ['the person said that it is not so', version('old', { debunked: 15 }), [version('new', { created: 20 })], 'You marked this as wrong'],
    ['it ended by itself', version('old', { superseded: null, valid_to: 12 }), [], 'Applied until day 12'],
    ['it stands beside another', version('old', { superseded: null }), [version('new', { created: 30 })], 'Also known from another place'],
  ])('%s', (_, each, others, expected) => expect(endingWords(endingOf(each, [each, ...others]), each, (time) => `day ${time}`)).toBe(expected));

  test('entries stand by kind, and what no longer holds apart', () => {
    const of = (profile_type: string, is_current: boolean) => ({ profile_type, facet: 'length', is_current, version: old, history: [] });
    const ordered = inOrder([of('preferences', true), of('needs', false), of('needs', true), of('later_kind', true)]);
    expect(ordered.groups.map((group) => group.type)).toEqual(['needs', 'preferences', 'later_kind']);
    expect(ordered.past).toHaveLength(1);
  });

  test('a day shows the versions that are named, whichever they are', () => {
    const entry = { profile_type: 'needs', facet: 'length', is_current: false, version: version('b'), history: [version('a')] };
    expect(asOf([entry], new Set(['a'])).map((each) => [each.version.id, each.is_current, each.history])).toEqual([['a', true, []]]);
    expect(asOf([entry], new Set())).toEqual([]);
  });

  test.each([
    ['length', 'Length'],
    ['timing:reply', 'Timing: reply'],
    ['topic:deployment status', 'Deployment status'],
    ['humour', 'Humour'],
  ])('the facet %s', (facet, expected) => expect(facetWords(facet)).toBe(expected));
});
