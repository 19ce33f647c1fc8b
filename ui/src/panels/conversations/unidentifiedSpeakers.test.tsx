import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PersonView, VoiceView } from '../../api';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../people/index';
import './index';
import { answerOf, changes, knownPeople, textOf } from './speakerAnswers';

HTMLElement.prototype.scrollTo = () => undefined;

const answers = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'voice_answer').map((each) => each.payload);
const openMeeting = async () => {
  const host = await renderApp('conversations', { meeting: true }, { conversation: 'conv_speakers' });
  await screen.findByTestId('voices-bar');
  return host;
};
const ask = async () => {
  fireEvent.click(screen.getByTestId('btn-voices-ask'));
  await waitFor(() => expect(screen.getAllByTestId('voice-name')).toHaveLength(2));
  return screen.getAllByTestId('voice-name');
};
const type = (field: HTMLElement | undefined, value: string) => fireEvent.change(field as HTMLElement, { target: { value } });
const authors = () => screen.getAllByTestId('message').map((each) => each.querySelector('header')?.textContent ?? '');

beforeEach(() => {
  for (const [key, value] of [['conversations.open', ''], ['conversations.channels', []], ['conversations.privacy', ''], ['people.tab', 'people'], ['people.filters', {}]] as const) setUiState(key, value);
});

describe('speakers without a name', () => {
  test('a meeting asks once, and shows the names it was given', async () => {
    const host = await openMeeting();
    expect(screen.getByTestId('voices-bar').textContent).toContain('2 unidentified speakers');
    const [first, second] = await ask();
    expect(within(screen.getByTestId('voices-dialog')).getByText(/I moved to Porto/)).toBeTruthy();
    type(first, 'Rui Costa');
    type(second, 'You');
    expect(screen.getByText('New person: Rui Costa')).toBeTruthy();
    expect(screen.getByText(/This is you/)).toBeTruthy();
    fireEvent.click(screen.getByTestId('btn-voices-save'));
    await waitFor(() => expect(authors()[0]).toContain('Rui Costa'));
    expect(authors()[0], 'with what the transcript calls them').toContain('Speaker 1');
    expect(screen.queryByTestId('voices-bar'), 'not asked again').toBeNull();
    expect(answers(host)).toEqual([
      { handle: 'hdl_Speaker 1', answer: 'name', person: null, name: 'Rui Costa' },
      { handle: 'hdl_Speaker 2', answer: 'owner', person: null, name: null },
    ]);
    await press('u');
    await screen.findByTestId('voices-bar');
    await waitFor(() => expect(authors()[0]).toContain('Speaker 1'));
    expect(authors()[0]).not.toContain('Rui');
  });

  test('somebody who is known is linked, after saying what that opens', async () => {
    const host = await openMeeting();
    const [first] = await ask();
    type(first, 'noor aziz');
    expect(screen.getByText('Noor Aziz, already in People')).toBeTruthy();
    fireEvent.click(screen.getByTestId('btn-voices-save'));
    await waitFor(() => expect(answers(host)).toEqual([{ handle: 'hdl_Speaker 1', answer: 'person', person: 'hdl_noor', name: null }]));
    await waitFor(() => expect(screen.getByTestId('voices-bar').textContent).toContain('1 unidentified speaker'));
  });

  test('left without a name they are not asked about, until somebody wants to', async () => {
    const host = await openMeeting();
    fireEvent.click(screen.getByTestId('btn-voices-leave'));
    await waitFor(() => expect(screen.queryByTestId('voices-bar')).toBeNull());
    expect(answers(host).map((each) => (each as { answer: string }).answer)).toEqual(['leave', 'leave']);
    const [first] = await ask();
    type(first, 'Rui');
    fireEvent.click(screen.getByTestId('btn-voices-save'));
    await waitFor(() => expect(authors()[0]).toContain('Rui'));
  });

  test('nothing is saved that did not change, and nothing is wrong for a screen reader', async () => {
    await openMeeting();
    const [first] = await ask();
    expect(screen.getByTestId('btn-voices-save')).toHaveProperty('disabled', true);
    type(first, 'Rui');
    expect(screen.getByTestId('btn-voices-save')).toHaveProperty('disabled', false);
    type(first, '  ');
    expect(screen.getByTestId('btn-voices-save')).toHaveProperty('disabled', true);
    expect(await violations()).toEqual([]);
  });

  test('People leads to the meeting that asks', async () => {
    await renderApp('people', { meeting: true });
    const button = await screen.findByTestId('voices-waiting');
    expect(button.textContent).toBe('2 unidentified speakers in 1 meeting');
    fireEvent.click(button);
    expect(nav.get().panel).toBe('conversations');
    await screen.findByTestId('voices-bar');
  });
});

describe('what a typed text answers', () => {
  const person = (id: string, name: string, handle: string, type = 'person', is_owner = false): PersonView => ({
    id,
    name,
    type,
    is_owner,
    handles: [{ id: `hdl_${id}`, channel: 'matrix', handle, display_name: name, verified: false, messages: 1, first: 0, last: 0 }],
    messages: 1,
    first: 0,
    last: 0,
    memories: 0,
    open_links: 0,
    said_name: null,
  });
  const known = knownPeople([person('a', 'Ana', '@ana:a'), person('b', 'Ana', '@ana:b'), person('bot', 'Atlas', '@atlas:a', 'service'), person('me', 'Robin', '@robin:a', 'person', true)]);

  test('two of one name are told apart, programs and the owner are nobody to choose', () => {
    expect(known.options.map((option) => option.value)).toEqual(['You', 'Ana', 'Ana (@ana:b)']);
    const check = (text: string, answer: string, value: string | null) => {
      const found = answerOf(text, known);
      expect([found.answer, found.person ?? found.name], text).toEqual([answer, value]);
    };
    check('you', 'owner', null);
    check(' ANA ', 'person', 'hdl_a');
    check('Ana (@ana:b)', 'person', 'hdl_b');
    check('Ana  Lima', 'name', 'Ana Lima');
    check('Atlas', 'name', 'Atlas');
    check('  ', 'open', null);
  });

  test('the field shows who it is now, and only another text is a change', () => {
    const speaker = (over: Partial<VoiceView>): VoiceView => ({ handle: 'v', label: 'Speaker 1', name: null, is_owner: false, linked: null, is_left: false, messages: 1, first: 0, lines: [], ...over });
    expect(textOf(speaker({}), known)).toBe('');
    expect(textOf(speaker({ name: 'Rui' }), known)).toBe('Rui');
    expect(textOf(speaker({ name: 'Robin', is_owner: true }), known)).toBe('You');
    expect(textOf(speaker({ name: 'Ana', linked: 'hdl_b' }), known)).toBe('Ana (@ana:b)');
    const change = (over: Partial<VoiceView>, text: string) => changes([speaker(over)], new Map([['v', text]]), known).map(({ to, from }) => [from.answer, to.answer]);
    expect(change({ name: 'Rui' }, 'rui ')).toEqual([]);
    expect(change({ name: 'Rui' }, '')).toEqual([['name', 'open']]);
    expect(change({ is_left: true }, 'Ana')).toEqual([['leave', 'person']]);
    expect(change({ name: 'Ana', linked: 'hdl_b' }, 'Ana')).toEqual([['person', 'person']]);
  });
});
