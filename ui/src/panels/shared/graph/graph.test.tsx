import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../../platform';
import type { FakeOptions } from '../../../platform/fake';
import { nav } from '../../../state/nav';
import { setUiState } from '../../../state/uiState';
import { press, renderApp, violations } from '../../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../../people/index';
import '../../topics/index';

const nodes = () => screen.queryAllByTestId('graph-node');
const node = (words: string) => nodes().find((each) => each.textContent?.includes(words)) as HTMLElement;
const why = () => screen.getByTestId('graph-why').textContent ?? '';

async function openGraph(options: FakeOptions = {}) {
  setUiState('graph.view', 'diagram');
  setUiState('people.part', 'graph');
  const host = await renderApp('people', options, { person: 'ent_Priya Nair' });
  await screen.findAllByTestId('graph-node');
  await waitFor(() => expect(nodes()[0]?.textContent).toContain('Priya Nair'));
  return host;
}

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test('diagram and table are sound for assistive technology', async () => {
    await openGraph({ theme });
    document.documentElement.dataset.theme = theme;
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId('graph-table'));
    await screen.findByTestId('graph-rows');
    expect(await violations()).toEqual([]);
  });
});

describe('the diagram', () => {
  test('each thing says what it is, and what is off the record says so', async () => {
    const host = await openGraph();
    host.answer('graph', () => ({
      center: 'ent_a',
      nodes: [
        { id: 'ent_a', kind: 'person', label: 'Ana', detail: 'person', is_private: false, is_owner: false },
        { id: 'conv_b', kind: 'conversation', label: 'Hidden room', detail: 'matrix', is_private: true, is_owner: false },
        { id: 'project:Atlas', kind: 'project', label: 'Atlas', detail: '', is_private: false, is_owner: false },
      ],
      edges: [{ a: 'ent_a', b: 'conv_b', kind: 'wrote_in', count: 3, nearness: null, conversation_id: 'conv_b', message_id: 'int_1', is_private: true }],
      left_out: [{ name: 'conversation', label: null, count: 12 }, { name: 'person', label: null, count: 1 }],
    }));
    host.emit({ type: 'changed', tags: ['people'] });
    await waitFor(() => expect(nodes()).toHaveLength(3));
    expect(node('Hidden room').getAttribute('aria-label')).toBe('Conversation: Hidden room. 1 connection, not used for memory');
    expect(screen.getByTestId('graph-left-out').textContent).toBe('Not shown for lack of space: 12 conversations and 1 person.');
  });

  test('arrows move by direction, the focus says why, and Enter opens', async () => {
    await openGraph();
    const middle = nodes()[0] as HTMLElement;
    expect(nodes().filter((each) => each.tabIndex === 0)).toEqual([middle]);
    expect(why()).toContain('Point, click');
    middle.focus();
    await press('ArrowRight');
    const right = document.activeElement as HTMLElement;
    expect(right).not.toBe(middle);
    expect(right.dataset.node).toBeDefined();
    expect(nodes().filter((each) => each.tabIndex === 0), 'one stop for the tab key').toEqual([right]);
    expect(why()).toContain(right.textContent ?? '');
    await press('ArrowLeft');
    expect(document.activeElement).toBe(middle);
    await press('j');
    expect(document.activeElement, 'keys of the list are the list’s').not.toBe(right);
  });

  test('a reason names what it rests on and shows the line', async () => {
    await openGraph();
    const place = node('Atlas weekly');
    fireEvent.mouseEnter(place);
    expect(why()).toContain('Priya Nair wrote 2 messages in “Atlas weekly, 12 November”');
    fireEvent.click(within(screen.getByTestId('graph-why')).getAllByText('Show message')[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup' } });
    expect(nav.get().target?.message).toMatch(/^int_conv_standup_/);
  });

  test('a click keeps the reasons in view, so that the pointer can go to them', async () => {
    await openGraph();
    fireEvent.mouseEnter(node('Atlas weekly'));
    fireEvent.click(node('Atlas weekly'), { detail: 1 });
    expect(nav.get().panel, 'it is looked at first').toBe('people');
    fireEvent.mouseLeave(node('Atlas weekly'));
    expect(why()).toContain('Atlas weekly');
    fireEvent.click(node('Atlas weekly'), { detail: 2 });
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup' } });
  });

  test.each([
    ['Atlas weekly', { panel: 'conversations', target: { conversation: 'conv_standup' } }],
    ['Tomasz Wrona', { panel: 'people', target: { person: 'ent_Tomasz Wrona' } }],
  ])('%s opens where it is at home', async (words, place) => {
    await openGraph();
    fireEvent.click(node(words));
    expect(nav.get()).toMatchObject(place);
  });

  test('a kind is switched off and on again', async () => {
    await openGraph({ crowd: true });
    const people = screen.getAllByTestId('graph-kind').find((each) => each.dataset.kind === 'person') as HTMLElement;
    const before = nodes().length;
    fireEvent.click(people);
    expect(people.getAttribute('aria-pressed')).toBe('false');
    expect(nodes().filter((each) => each.dataset.kind === 'person')).toHaveLength(1);
    fireEvent.click(people);
    expect(nodes()).toHaveLength(before);
  });

  test('a crowd is cut to sixty, and the rest is told', async () => {
    await openGraph({ crowd: true });
    expect(nodes().length).toBeLessThanOrEqual(60);
    expect(screen.getByTestId('graph-left-out').textContent).toMatch(/Not shown|All connections/);
  });

  test('larger and smaller, and no further', async () => {
    await openGraph();
    const [larger, smaller] = [screen.getByTestId('btn-graph-larger') as HTMLButtonElement, screen.getByTestId('btn-graph-smaller') as HTMLButtonElement];
    expect(smaller.disabled).toBe(true);
    for (let step = 0; step < 3; step += 1) fireEvent.click(larger);
    expect(larger.disabled).toBe(true);
    fireEvent.click(smaller);
    expect(larger.disabled).toBe(false);
  });

  test('what cannot be drawn says what is safe and tries again', async () => {
    setUiState('people.part', 'about');
    const host = await renderApp('people', {}, { person: 'ent_Priya Nair' });
    host.failNext('graph', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(await screen.findByTestId('person-part-graph'));
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect((await screen.findAllByTestId('graph-node')).length).toBeGreaterThan(1);
  });

  test('with nothing around it says what will be', async () => {
    const host = await openGraph();
    host.answer('graph', () => ({ center: 'ent_a', nodes: [{ id: 'ent_a', kind: 'person', label: 'Ana', detail: 'person', is_private: false, is_owner: false }], edges: [], left_out: [] }));
    host.emit({ type: 'changed', tags: ['people'] });
    expect((await screen.findByText('No connections yet')).isConnected).toBe(true);
  });
});

test('the table holds the same, sorts by each column, and leads to the line', async () => {
  await openGraph();
  const lines = document.querySelectorAll('[data-edge]').length;
  fireEvent.click(screen.getByTestId('graph-table'));
  const rows = () => screen.getAllByTestId('graph-row');
  await waitFor(() => expect(rows()).toHaveLength(lines));
  const table = screen.getByTestId('graph-rows');
  const first = () => rows().map((row) => row.querySelector('th')?.textContent ?? '');
  fireEvent.click(within(table).getByRole('button', { name: 'From' }));
  expect(first()).toEqual(first().toSorted((a, b) => (a.split(': ')[1] ?? '').localeCompare(b.split(': ')[1] ?? '')));
  expect(within(table).getByRole('columnheader', { name: /From/ }).getAttribute('aria-sort')).toBe('ascending');
  fireEvent.click(within(table).getByRole('button', { name: 'Based on' }));
  expect(within(table).getByRole('columnheader', { name: /Based on/ }).getAttribute('aria-sort')).toBe('descending');
  fireEvent.click(within(table).getAllByRole('button', { name: /^Show message: Priya Nair wrote/ })[0] as HTMLElement);
  expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup' } });
});

test('a topic has its graph beside its text', async () => {
  setUiState('graph.view', 'diagram');
  setUiState('topics.part', 'text');
  const host = await renderApp('topics');
  await screen.findByTestId('topic-takeaways');
  await press('v');
  await screen.findAllByTestId('graph-node');
  expect(nodes()[0]?.textContent).toContain('Kitchen renovation');
  expect(host.calls.filter((each) => each.cmd === 'graph').map((each) => each.payload)).toEqual([{ topic: 'top_kitchen' }]);
  expect(await violations()).toEqual([]);
});
