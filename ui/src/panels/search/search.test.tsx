import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { nav, openSearch } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../conversations/index';
import './index';

const box = () => screen.getByTestId<HTMLInputElement>('search-box');
const rows = () => screen.queryAllByTestId('search-row');
const row = (words: string, kind = 'message') => rows().find((each) => each.querySelector(`[data-kind=${kind}]`) !== null && each.textContent?.includes(words)) as HTMLElement;
const active = () => rows().find((each) => each.dataset['active']);
const asked = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'search').map((each) => (each.payload as { query: string }).query);
const type = (text: string) => fireEvent.change(box(), { target: { value: text } });
const marks = (element: Element) => [...element.querySelectorAll('mark')].map((mark) => mark.textContent);

/** Moves from the box to the results, as a person does. */
async function toResults() {
  fireEvent.keyDown(box(), { key: 'Enter' });
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('search-list')));
}

async function searching(text: string, options: FakeOptions = {}): Promise<FakePlatform> {
  const host = await renderApp('search', options);
  await screen.findByTestId('search-box');
  if (text !== '') {
    type(text);
    await screen.findAllByTestId('search-row');
  }
  return host;
}

describe('where nothing says what was asked', () => {
  test('the nearest three lines are set apart, and a question that is answered has no such line', async () => {
    await searching('kitchen zqueen zmongolia zprefers zalways ztuesdays');
    expect((await screen.findByTestId('search-nearest')).textContent).toContain('No good match');
    expect(rows().filter((each) => each.querySelector('[data-kind=message]') !== null).length).toBeLessThanOrEqual(3);
    expect(await violations()).toEqual([]);
    type('bread');
    await waitFor(() => expect(screen.queryByTestId('search-nearest')).toBeNull());
  });
});

describe('the empty detail pane', () => {
  test('offers what there is to begin with, and a click looks for it', async () => {
    const host = await searching('');
    const pane = await screen.findByTestId('search-suggest');
    const offered = await within(pane).findAllByTestId('search-offered');
    expect(offered.length).toBeGreaterThan(2);
    expect(within(pane).getByRole('region', { name: 'People' })).toBeDefined();
    expect(within(pane).queryByText('Mara'), 'nobody looks for themselves').toBeNull();
    expect(await violations()).toEqual([]);
    const person = within(within(pane).getByRole('region', { name: 'People' })).getAllByTestId('search-offered')[0] as HTMLElement;
    fireEvent.click(person);
    expect(box().value).toMatch(/^person:/);
    await waitFor(() => expect(asked(host).at(-1)).toBe(box().value));
    await waitFor(() => expect(document.activeElement).toBe(box()));
  });

  test('stays where nothing was found, and gives way to results', async () => {
    await searching('');
    type('zzzzqq');
    await screen.findByTestId('search-empty');
    expect(await screen.findByTestId('search-suggest')).toBeDefined();
    type('bread');
    await screen.findAllByTestId('search-row');
    await waitFor(() => expect(screen.queryByTestId('search-suggest')).toBeNull());
  });
});

describe('the box', () => {
  test('has the focus, says how to search, and puts an operator in', async () => {
    await searching('');
    await waitFor(() => expect(document.activeElement).toBe(box()));
    const help = screen.getByTestId('search-help');
    fireEvent.click(within(help).getByRole('button', { name: /channel:/ }));
    expect(box().value).toBe('channel:');
    await waitFor(() => expect(document.activeElement).toBe(box()));
  });

  test('is where / leads on the page, and where it leads from a page without a search of its own', async () => {
    await searching('sourdough');
    act(() => screen.getByTestId('search-list').focus());
    await press('/');
    expect(document.activeElement).toBe(box());
    act(() => nav.set({ ...nav.get(), panel: 'review' }));
    await screen.findByTestId('review-list');
    await press('/');
    expect(nav.get().panel).toBe('search');
  });

  test('asks once for what was typed without a pause', async () => {
    const host = await searching('');
    for (const text of ['s', 'so', 'sour', 'sourdough']) type(text);
    await screen.findAllByTestId('search-row');
    expect(asked(host)).toEqual(['sourdough']);
  });

  test('completes people, channels and kinds, by keys alone', async () => {
    await searching('');
    const user = userEvent.setup();
    await user.type(box(), 'demo person:Pri');
    const list = await screen.findByTestId('search-suggestions');
    await within(list).findByText('Priya Nair');
    expect(box().getAttribute('aria-expanded')).toBe('true');
    await user.keyboard('{ArrowDown}');
    expect(document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent).toContain('Priya Nair');
    expect(await violations()).toEqual([]);
    await user.keyboard('{Enter}');
    expect(box().value).toBe('demo person:"Priya Nair" ');
    await waitFor(() => expect(rows().filter((each) => each.querySelector('[data-kind=message]')).map((each) => marks(each))).toEqual([['demo']]));
    await user.clear(box());
    await user.type(box(), 'type:top');
    await user.keyboard('{ArrowDown}{Tab}');
    expect(box().value).toBe('type:topic ');
    await user.clear(box());
    await user.type(box(), 'channel:Whats');
    expect(within(list).getByText('WhatsApp')).toBeDefined();
    await user.keyboard('{Escape}');
    expect(box().getAttribute('aria-expanded')).toBe('false');
    expect(box().value, 'Escape closes the suggestions first').toBe('channel:Whats');
    await user.keyboard('{Escape}');
    expect(box().value).toBe('');
  });

  test('is given up to the results with Enter', async () => {
    await searching('sourdough');
    act(() => box().focus());
    await toResults();
    expect(document.activeElement?.getAttribute('role')).toBe('listbox');
  });
});

describe('the results', () => {
  test('stand under their kinds, with the words marked where they stand', async () => {
    await searching('sourdough');
    expect(screen.getByTestId('search-list').textContent).toContain('Messages');
    const line = row('And yes 🍳');
    expect(marks(line), 'an emoji before it moves no mark').toEqual(['sourdough']);
    for (const words of ['Robin Hale', 'Planning the kitchen move', 'Words']) expect(line.textContent).toContain(words);
    expect(screen.getByTestId('search-count').textContent).toMatch(/results?$/);
  });

  test('are those of the words in the box and of no others, however late an answer comes', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const host = await searching('', { hold: (cmd, payload) => (cmd === 'search' && (payload as { query: string }).query === 'sourdough' ? held : undefined) });
    type('sourdough');
    await waitFor(() => expect(asked(host)).toEqual(['sourdough']));
    type('marathon');
    release();
    await screen.findAllByTestId('search-row');
    expect(rows().every((each) => each.textContent?.includes('marathon') && !each.textContent.includes('sourdough'))).toBe(true);
    // Control: it is found if searched for again.
    type('sourdough');
    expect(rows(), 'nothing of the last words stands under the new ones').toEqual([]);
    await waitFor(() => expect(row('sourdough')).toBeDefined());
  });

  test('tell why: by meaning, or because of the line beside it, which is shown', async () => {
    await searching('stove');
    expect(row('gas hob').textContent).toContain('Meaning');
    type('budget cook lot');
    await waitFor(() => expect(row('About twelve thousand')).toBeDefined());
    const line = row('About twelve thousand');
    expect(line.textContent).toContain('Nearby message');
    expect(marks(line)).toEqual(['budget', 'cook', 'lot']);
  });

  test('are narrowed by a facet, which stands in the box and is taken off there or here', async () => {
    await searching('morning');
    fireEvent.click(screen.getByTestId('facet-channel'));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: /Meeting/ }));
    expect(box().value).toBe('morning channel:transcript');
    await waitFor(() => expect(rows().length).toBeGreaterThan(0));
    expect(rows().every((each) => each.textContent?.includes('Atlas weekly'))).toBe(true);
    await press('Escape');
    fireEvent.click(screen.getByTestId('btn-search-clear'));
    expect(box().value).toBe('morning');
  });

  test('of one month alone are those between its two days', async () => {
    await searching('type:message');
    fireEvent.click(screen.getByTestId('facet-month'));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: /October 2026/ }));
    expect(box().value).toBe('type:message after:2026-10 before:2026-11');
    await waitFor(() => expect(rows().length).toBeGreaterThan(0));
    expect(rows().every((each) => each.textContent?.includes('Books for the winter'))).toBe(true);
  });

  test('of one kind come with a key or the choice above them', async () => {
    await searching('kitchen');
    fireEvent.click(screen.getByTestId('search-kind-topic'));
    expect(box().value).toBe('kitchen type:topic');
    await waitFor(() => expect(rows()).toHaveLength(1));
    expect(row('Kitchen renovation', 'topic').textContent).toContain('Kitchen renovation and stone counter');
    act(() => screen.getByTestId('search-list').focus());
    await press('t');
    expect(box().value).toBe('kitchen type:person');
  });

  test('of which there are more of a kind lead to them all', async () => {
    await searching('user');
    const more = await screen.findByText(/more in Memories/);
    fireEvent.click(more);
    expect(box().value).toBe('user type:memory');
    await waitFor(() => expect(rows().length).toBeGreaterThan(4));
  });

  test('that are none say so, with the way out', async () => {
    await searching('');
    type('xyzzy channel:whatsapp');
    const empty = await screen.findByTestId('search-empty');
    expect(empty.textContent).toContain('No results for “xyzzy channel:whatsapp”');
    expect(await violations()).toEqual([]);
    fireEvent.click(within(empty).getByRole('button'));
    expect(box().value).toBe('xyzzy');
  });

  test('without a model say that only words are found', async () => {
    await renderApp('search', { embeddingMissing: true });
    await screen.findByTestId('search-box');
    type('xyzzy');
    expect((await screen.findByTestId('search-empty')).textContent).toContain('only exact words');
  });

  test('that cannot be had say what happened, and are asked for again', async () => {
    const host = await searching('');
    host.failNext('search', new RpcError('internal', 'The disk is busy.'));
    type('sourdough');
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect((await screen.findAllByTestId('search-row')).length).toBeGreaterThan(0);
  });

  test('of an empty store lead to a source', async () => {
    await renderApp('search', { firstRun: true });
    fireEvent.click(await screen.findByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });
});

describe('the result under the cursor', () => {
  test('is read with the lines around it, and tells why it was found', async () => {
    await searching('sourdough type:message');
    const around = await screen.findByTestId('search-around');
    for (const words of ['What is your budget', 'I bake sourdough every Saturday', 'Granite and quartzite']) expect(around.textContent).toContain(words);
    expect(around.querySelector('[data-hit]')?.textContent).toContain('I bake sourdough');
    expect(screen.getByTestId('search-why').textContent).toContain('words you searched for');
  });

  test('opens at its very line, and Back leads to the same result', async () => {
    await searching('marathon type:message');
    await toResults();
    await press('j');
    const chosen = active()?.dataset['key'];
    expect(chosen).toContain('int_');
    await press('Enter');
    expect(nav.get().panel).toBe('conversations');
    const message = chosen?.split(' ')[1];
    await waitFor(() => expect(document.querySelector('[data-message][data-current]')?.getAttribute('data-message')).toBe(message));
    expect(screen.getByTestId('btn-search-back').textContent).toContain('marathon');
    expect(await violations()).toEqual([]);
    await press('Alt+ArrowLeft');
    expect(nav.get().panel).toBe('search');
    await waitFor(() => expect(active()?.dataset['key']).toBe(chosen));
    expect(box().value).toBe('marathon type:message');
    expect(screen.queryByTestId('btn-search-back'), 'there is no way back from the results to themselves').toBeNull();
  });

  test.each([
    ['kitchen type:topic', 'topics', 'topic'],
    ['priya type:person', 'people', 'person'],
    ['walnuts type:memory', 'memories', 'memory'],
  ] as const)('of %s opens in %s', async (query, panel, kind) => {
    await searching(query);
    const id = rows()[0]?.dataset['key']?.split(' ')[1];
    fireEvent.doubleClick(rows()[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel, target: { [kind]: id }, isResult: true });
  });

  test('of a memory opens its source line too, with a key of its own', async () => {
    await searching('walnuts type:memory');
    expect((await screen.findByTestId('memory-statement')).textContent).toContain('allergic to walnuts');
    await toResults();
    await press('s');
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_family' }, isResult: true });
  });

  test('stands where it stood: coming back keeps the scroll', async () => {
    await searching('boat type:message', { sessions: true });
    const scroller = screen.getByTestId('search-list');
    const first = rows()[0]?.dataset['key'];
    Object.defineProperty(scroller, 'scrollTop', { configurable: true, value: 4_000 });
    fireEvent.scroll(scroller);
    await waitFor(() => expect(rows().some((each) => each.dataset['key'] === first)).toBe(false));
    const seen = rows().map((each) => each.dataset['key']);
    fireEvent.click(rows()[8] as HTMLElement);
    const chosen = active()?.dataset['key'];
    await toResults();
    await press('Enter');
    expect(nav.get().panel).toBe('conversations');
    fireEvent.click(await screen.findByTestId('btn-search-back'));
    await waitFor(() => expect(rows().length).toBeGreaterThan(0));
    expect(rows().map((each) => each.dataset['key'])).toEqual(seen);
    expect(active()?.dataset['key']).toBe(chosen);
  });

  test('was looked for before: the words are offered again', async () => {
    await searching('sourdough type:message');
    await toResults();
    await press('Enter');
    await press('Alt+ArrowLeft');
    await screen.findByTestId('search-box');
    type('');
    fireEvent.click(await screen.findByTestId('search-recent'));
    expect(box().value).toBe('sourdough type:message');
  });
});

test('words from elsewhere are looked for, once', async () => {
  await renderApp('memories');
  act(() => openSearch('marathon'));
  await screen.findByTestId('search-box');
  await waitFor(() => expect(rows().length).toBeGreaterThan(0));
  expect(box().value).toBe('marathon');
  type('sourdough');
  await press('g', 'm');
  await press('Alt+ArrowLeft');
  await screen.findByTestId('search-box');
  expect(box().value, 'coming back is no new request').toBe('sourdough');
});

describe('axe finds nothing', () => {
  test.each(['light', 'dark'] as const)('in the results of the %s theme', async (theme) => {
    await searching('kitchen', { theme });
    await screen.findByTestId('search-detail');
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(document.documentElement.dataset['theme']).toBe(theme);
    expect(await violations()).toEqual([]);
  });
});
