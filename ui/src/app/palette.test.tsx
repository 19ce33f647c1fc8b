import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../platform';
import type { FakePlatform } from '../platform/fake';
import { nav } from '../state/nav';
import { setUiState } from '../state/uiState';
import { press, renderApp, violations } from '../test/render';

const field = () => screen.getByTestId<HTMLInputElement>('palette-box');
const rows = () => screen.queryAllByTestId('palette-row');
const keys = () => rows().map((row) => row.dataset['item']);
const active = () => rows().find((row) => row.getAttribute('aria-selected') === 'true');
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });
const key = (name: string, more: object = {}) => fireEvent.keyDown(field(), { key: name, ...more });
const open = async () => {
  await press('^k');
  await screen.findByTestId('palette');
  await waitFor(() => expect(document.activeElement).toBe(field()));
};
const asked = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'search').map((each) => each.payload as { query: string; scope: string });
const closed = () => waitFor(() => expect(screen.queryByTestId('palette')).toBeNull());

beforeEach(() => setUiState('palette.recent', []));

describe('Ctrl K', () => {
  test('opens with pages and the commands that are possible here, each with its key', async () => {
    await renderApp('review');
    await screen.findAllByTestId('review-row');
    await open();
    expect(keys()).toContain('action go.memories');
    expect(keys(), 'a candidate is under the cursor').toContain('action review.approve');
    expect(keys(), 'another panel’s').not.toContain('action memories.archive');
    expect(keys(), 'steps in a list are no commands').not.toContain('action review.next');
    expect(rows().find((row) => row.dataset['item'] === 'action review.approve')?.querySelector('kbd')?.textContent).toBe('A');
  });

  test('works while text is typed, and once more or Escape gives the focus back', async () => {
    await renderApp('memories');
    const search = await screen.findByTestId('memories-search');
    act(() => search.focus());
    await open();
    key('Escape');
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(search));
    await open();
    key('k', { ctrlKey: true });
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(search));
  });

  test('arrows move round the list and Enter goes', async () => {
    await renderApp('review');
    await open();
    const first = active()?.dataset['item'];
    key('ArrowUp');
    expect(active()).toBe(rows().at(-1));
    key('ArrowDown');
    expect(active()?.dataset['item']).toBe(first);
    expect(field().getAttribute('aria-activedescendant')).toBe(active()?.id);
    type('memo');
    expect(active()?.dataset['item']).toBe('action go.memories');
    key('Enter');
    await closed();
    await waitFor(() => expect(nav.get().panel).toBe('memories'));
  });

  test('runs a command after the focus is back where it was', async () => {
    await renderApp('review');
    await screen.findAllByTestId('review-row');
    await open();
    type('keyboard');
    key('Enter');
    expect((await screen.findByTestId('help')).textContent).toContain('Approve selected');
  });
});

describe('what it finds', () => {
  test('people, topics and memories stand below, and a word that is typed is a beginning', async () => {
    const host = await renderApp('review');
    await open();
    type('kitch');
    await waitFor(() => expect(keys()).toContain('topic top_kitchen'));
    expect(asked(host)).toEqual([expect.objectContaining({ query: 'kitch*', scope: 'people,topics,memories' })]);
    expect(within(rows().find((row) => row.dataset['item'] === 'topic top_kitchen') as HTMLElement).getByText('Kitchen').tagName).toBe('MARK');
    expect(keys().at(-1)).toBe('search');
    const groups = screen.getAllByRole('group').map((group) => group.getAttribute('aria-label'));
    expect(groups).toEqual(expect.arrayContaining(['Topics', 'Search']));
  });

  test.each([
    ['priya', /^person /, 'people'],
    ['kitchen', /^topic /, 'topics'],
    ['walnuts', /^memory /, 'memories'],
  ] as const)('%s opens where it is', async (query, item, panel) => {
    await renderApp('review');
    await open();
    type(query);
    const row = await waitFor(() => {
      const found = rows().find((each) => item.test(each.dataset['item'] ?? ''));
      expect(found).toBeDefined();
      return found as HTMLElement;
    });
    fireEvent.click(row);
    await closed();
    await waitFor(() => expect(nav.get().panel).toBe(panel));
  });

  test('nothing of other words stands under the new ones', async () => {
    await renderApp('review');
    await open();
    type('kitchen');
    await waitFor(() => expect(keys()).toContain('topic top_kitchen'));
    type('marathon');
    expect(keys()).not.toContain('topic top_kitchen');
    await waitFor(() => expect(keys()).toContain('topic top_running'));
  });

  test('the last line searches everything', async () => {
    await renderApp('review');
    await open();
    type('induction only');
    key('Enter');
    await waitFor(() => expect(nav.get().panel).toBe('search'));
    expect((await screen.findByTestId<HTMLInputElement>('search-box')).value).toBe('induction only');
    expect((await screen.findAllByTestId('search-row')).length).toBeGreaterThan(0);
  });

  test('what was chosen last comes first, and what is gone does not', async () => {
    await renderApp('review');
    await open();
    type('kitchen');
    await waitFor(() => expect(keys()).toContain('topic top_kitchen'));
    fireEvent.click(rows().find((row) => row.dataset['item'] === 'topic top_kitchen') as HTMLElement);
    await closed();
    await waitFor(() => expect(nav.get().panel).toBe('topics'));
    setUiState('palette.recent', ['topic top_kitchen', 'topic top_gone', 'memory mem_gone', 'action go.people']);
    await open();
    await waitFor(() => expect(keys().slice(0, 2)).toEqual(['topic top_kitchen', 'action go.people']));
    expect(keys().filter((each) => each === 'action go.people'), 'once').toHaveLength(1);
    expect(rows()[0]?.textContent).toContain('Kitchen renovation');
  });

  test('a search that fails leaves pages and commands', async () => {
    const host = await renderApp('review');
    await open();
    host.failNext('search', new RpcError('internal', 'The disk is busy.'));
    type('memo');
    await screen.findByText('People, topics and memories could not be searched.');
    expect(keys()).toContain('action go.memories');
  });
});

describe('axe finds nothing', () => {
  test.each(['light', 'dark'] as const)('in the palette of the %s theme', async (theme) => {
    await renderApp('review', { theme });
    await open();
    expect(await violations()).toEqual([]);
    type('kitchen');
    await waitFor(() => expect(keys()).toContain('topic top_kitchen'));
    expect(document.documentElement.dataset['theme']).toBe(theme);
    expect(await violations()).toEqual([]);
  });
});
