import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { FakePlatform } from '../../platform/fake';
import { RpcError } from '../../platform';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
import { points } from './Sparkline';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.queryAllByTestId('topic-row');
const title = () => screen.getByTestId('topic-title').textContent;
const row = (words: string) => rows().find((each) => each.textContent?.includes(words)) as HTMLElement;
const openTopics = async () => {
  const host = await renderApp('topics');
  await screen.findAllByTestId('topic-row');
  await screen.findByTestId('topic-takeaways');
  return host;
};

describe('the list', () => {
  test('a row says what it is about, how much there is of it and when, also without the chart', async () => {
    await openTopics();
    const kitchen = row('Kitchen renovation');
    for (const words of ['9 messages', 'One hard rule: no gas', 'Suggestion']) expect(kitchen.textContent).toContain(words);
    expect(kitchen.querySelector('svg')?.getAttribute('aria-hidden'), 'the chart says nothing that the words do not').toBe('true');
    expect(await violations()).toEqual([]);
  });

  test('words narrow the list and there is a way back', async () => {
    await openTopics();
    fireEvent.change(screen.getByTestId('topics-search'), { target: { value: 'marathon' } });
    await waitFor(() => expect(rows()).toHaveLength(1));
    fireEvent.change(screen.getByTestId('topics-search'), { target: { value: 'no such topic' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Clear search' }));
    await waitFor(() => expect(rows()).toHaveLength(2));
  });

  test('with nothing there it says why, and while topics are read that they are', async () => {
    const host = await renderApp('review');
    host.answer('topics_list', () => ({ items: [], proposals: [], growth_from: 0, growth_to: 0, is_ready: false }));
    await press('g', 't');
    await screen.findByText('Finding topics');
    host.answer('topics_list', () => ({ items: [], proposals: [], growth_from: 0, growth_to: 0, is_ready: true }));
    host.emit({ type: 'changed', tags: ['topics'] });
    fireEvent.click(await screen.findByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });

  test('a list that cannot be loaded says what is safe and tries again', async () => {
    const host = await renderApp('review');
    host.failNext('topics_list', new RpcError('internal', 'The disk is busy.'));
    await press('g', 't');
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(rows()).toHaveLength(2));
  });
});

describe('one topic', () => {
  test('takeaways come first, and every line leads where it was said', async () => {
    await openTopics();
    expect(title()).toContain('Kitchen renovation');
    const takeaways = screen.getByTestId('topic-takeaways');
    expect(within(takeaways).getAllByRole('heading', { level: 4 }).map((each) => each.textContent)).toEqual(['Decisions', 'Tasks']);
    fireEvent.click(within(takeaways).getAllByTestId('topic-line')[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_kitchen' } });
    expect(nav.get().target?.message).toMatch(/^int_conv_kitchen_/);
  });

  test('what a model worded says so, and a line leads to each message that it rests on', async () => {
    await openTopics();
    expect(screen.queryByTestId('topic-worded-by'), 'the rules take words as they are').toBeNull();
    await press('j');
    await waitFor(() => expect(title()).toBe('Half marathon'));
    expect((await screen.findByTestId('topic-worded-by')).textContent).toContain('llama3.2:3b');
    fireEvent.click(screen.getByTestId('btn-topic-also'));
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_running' } });
  });

  test('an earlier version can be read', async () => {
    const host = await openTopics();
    expect(screen.getAllByTestId('topic-version')).toHaveLength(2);
    fireEvent.click(screen.getByRole('button', { name: 'Read version 1' }));
    await waitFor(() => expect(asked(host, 'topic_text')).toEqual([{ version_id: 'tov_top_kitchen_1' }]));
  });
});

describe('what a person does', () => {
  test('pin with a key, and undo', async () => {
    const host = await openTopics();
    await press('j');
    await waitFor(() => expect(title()).toBe('Half marathon'));
    await press('p');
    await waitFor(() => expect(rows()[0]?.textContent).toContain('Half marathon'));
    expect(rows()[0]?.textContent).toContain('Pinned');
    await press('u');
    await waitFor(() => expect(asked(host, 'topic_undo')).toHaveLength(1));
    await waitFor(() => expect(rows()[0]?.textContent).toContain('Kitchen'));
  });

  test('a title of one’s own, and back to the content', async () => {
    const host = await openTopics();
    await press('e');
    fireEvent.change(await screen.findByTestId('topic-rename-field'), { target: { value: 'Our kitchen' } });
    fireEvent.click(screen.getByTestId('btn-topic-rename-save'));
    await waitFor(() => expect(title()).toBe('Our kitchen'));
    await waitFor(() => expect(asked(host, 'topic_decide')).toEqual([{ id: 'top_kitchen', act: { kind: 'rename', title: 'Our kitchen' } }]));
    fireEvent.click(await screen.findByTestId('btn-topic-undo'));
    await waitFor(() => expect(title()).toContain('Kitchen renovation'));
  });

  test('merge by key: another topic is chosen and goes into this one', async () => {
    const host = await openTopics();
    await press('m');
    const user = userEvent.setup();
    await user.click(await screen.findByTestId('topic-merge-other'));
    await user.keyboard('half');
    await user.keyboard('{Enter}');
    fireEvent.click(screen.getByTestId('btn-topic-merge-confirm'));
    await waitFor(() => expect(rows()).toHaveLength(1));
    expect(asked(host, 'topic_decide')).toEqual([{ id: 'top_kitchen', act: { kind: 'merge', other_id: 'top_running' } }]);
    await press('u');
    await waitFor(() => expect(rows()).toHaveLength(2));
  });

  const transfer = () => ({ dataTransfer: { setData: () => undefined, effectAllowed: 'move' } });
  const handle = (words: string) => row(words).querySelector('[draggable]') as HTMLElement;

  test('merge by drag: a row is dropped on another one', async () => {
    const host = await openTopics();
    fireEvent.dragStart(handle('Half marathon'), transfer());
    fireEvent.dragOver(handle('Kitchen'), transfer());
    fireEvent.drop(handle('Kitchen'), transfer());
    await waitFor(() => expect(asked(host, 'topic_decide')).toEqual([{ id: 'top_kitchen', act: { kind: 'merge', other_id: 'top_running' } }]));
  });

  test('split by keys: lines are chosen and become a topic of their own', async () => {
    const host = await openTopics();
    await press('s');
    const boxes = screen.getAllByTestId('topic-choose');
    expect(document.activeElement, 'with nothing chosen the key leads to the choice').toBe(boxes[0]);
    fireEvent.click(boxes[1] as HTMLElement);
    fireEvent.click(boxes[2] as HTMLElement);
    fireEvent.click(screen.getByTestId('btn-topic-split-chosen'));
    await waitFor(() => expect(rows()).toHaveLength(3));
    expect((asked(host, 'topic_decide')[0] as { act: { kind: string; message_ids: string[] } }).act).toMatchObject({ kind: 'split', message_ids: { length: 2 } });
  });

  test('split by drag: a line is dropped on the list', async () => {
    const host = await openTopics();
    fireEvent.dragStart(screen.getAllByTestId('topic-message')[3]?.closest('[draggable]') as HTMLElement, transfer());
    fireEvent.drop(await screen.findByTestId('topic-drop'), transfer());
    await waitFor(() => expect((asked(host, 'topic_decide')[0] as { act: { kind: string } }).act.kind).toBe('split'));
  });

  test('a suggestion is taken, or refused and not made again', async () => {
    const host = await openTopics();
    expect(screen.getByTestId('topic-proposal').textContent).toContain('april');
    fireEvent.click(screen.getByTestId('btn-topic-leave'));
    await waitFor(() => expect(screen.queryByTestId('topic-proposal')).toBeNull());
    await waitFor(() => expect(asked(host, 'topic_decide')).toEqual([{ id: 'top_kitchen', act: { kind: 'leave', other_id: 'top_running' } }]));
  });
});

test.each([
  [[0, 0, 4], '0.0,17.0 32.0,17.0 64.0,17.0 96.0,1.0'],
  [[2, 2], '0.0,17.0 48.0,9.0 96.0,1.0'],
  [[0], '0.0,17.0 96.0,17.0'],
])('the chart of %j rises to everything', (counts, expected) => expect(points(counts)).toBe(expected));
