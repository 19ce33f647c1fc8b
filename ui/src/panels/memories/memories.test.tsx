import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { settled } from '../../state/decisions';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
import { DEFAULT_FILTERS, isNarrowed, isWholeTrash, readFilters, requestOf } from './filters';

const count = () => screen.getByTestId('memories-count').textContent;
const ready = () => screen.findByTestId('memory-statement');
const quiet = () => act(async () => settled());
const decisions = (host: { calls: { cmd: string; payload: unknown }[] }) => host.calls.filter((each) => each.cmd === 'memory_decide').map((each) => each.payload);

beforeEach(() => setUiState('memories.filters', DEFAULT_FILTERS));

describe('remembered filters', () => {
  test.each([
    ['nothing', undefined, DEFAULT_FILTERS],
    ['rubbish', { status: 7, sort: 'by mood', confidence: 'much', privateSource: 1, said: 'long ago', onlyConflicting: 'yes', conversation: 3 }, DEFAULT_FILTERS],
    ['when it was said and conflicts', { ...DEFAULT_FILTERS, said: 'older', onlyConflicting: true }, { ...DEFAULT_FILTERS, said: 'older', onlyConflicting: true }],
    ['what was written', { ...DEFAULT_FILTERS, status: ['archived'], sort: 'oldest' }, { ...DEFAULT_FILTERS, status: ['archived'], sort: 'oldest' }],
  ])('%s', (_, remembered, expected) => expect(readFilters(remembered)).toEqual(expected));

  test('become one request', () =>
    expect(requestOf({ ...DEFAULT_FILTERS, category: ['goal'], confidence: '0.9', privateSource: 'without', said: 'week', onlyConflicting: true }, '  tea ')).toMatchObject({ status: ['active'], category: ['goal'], query: 'tea', confidence_min: 0.9, private_source: false, said: 'week', only_conflicting: true }));

  test.each([
    ['the default', DEFAULT_FILTERS, '', false],
    ['another order', { ...DEFAULT_FILTERS, sort: 'oldest' as const }, '', false],
    ['words', DEFAULT_FILTERS, 'tea', true],
    ['another status', { ...DEFAULT_FILTERS, status: [] }, '', true],
    ['when it was said', { ...DEFAULT_FILTERS, said: 'day' as const }, '', true],
    ['conflicts', { ...DEFAULT_FILTERS, onlyConflicting: true }, '', true],
  ])('%s narrows: %s', (_, filters, query, expected) => expect(isNarrowed(filters, query)).toBe(expected));
});

describe('filtering', () => {
  test('shows approved memories first, and a facet with its counts', async () => {
    await renderApp('memories');
    await ready();
    expect(count()).toBe('9');
    await userEvent.click(screen.getByTestId('facet-category'));
    const item = await screen.findByRole('menuitemcheckbox', { name: /Preference/ });
    expect(item.textContent).toContain('2');
    await userEvent.click(item);
    await waitFor(() => expect(count()).toBe('2'));
  });

  test.each([
    ['by when it was said', 'facet-said', /^In the last year/, { said: 'year' }],
    ['by what cannot be so beside another', 'facet-conflict', /^In conflict/, { only_conflicting: true }],
  ])('%s, and the facet stays while it is on', async (_, facet, choice, asked) => {
    const host = await renderApp('memories');
    await ready();
    await userEvent.click(screen.getByTestId(facet));
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: choice }));
    await waitFor(() => expect(host.calls.some((each) => each.cmd === 'memories_list' && Object.entries(asked).every(([key, value]) => (each.payload as Record<string, unknown>)[key] === value))).toBe(true));
    await waitFor(() => expect(screen.getByTestId(facet).textContent).toMatch(choice));
    expect(screen.getByTestId('btn-clear-filters')).toBeDefined();
    // Nothing matches, but the filter can still be removed.
    await userEvent.type(screen.getByTestId('memories-search'), 'zzzz');
    await screen.findByText('No memories match');
    expect(screen.getByTestId(facet)).toBeDefined();
    await userEvent.click(screen.getByTestId('btn-clear-filters'));
    await waitFor(() => expect(count()).toBe('9'));
    expect(screen.getByTestId(facet).textContent).not.toMatch(choice);
  });

  test('nothing found keeps the filters and offers the way back', async () => {
    await renderApp('memories');
    await ready();
    await userEvent.type(screen.getByTestId('memories-search'), 'zzzz');
    await waitFor(() => expect(screen.getByText('No memories match')).toBeDefined());
    expect(screen.getByTestId('facet-status'), 'a facet never disappears').toBeDefined();
    await userEvent.click(screen.getByTestId('btn-clear-filters'));
    await waitFor(() => expect(count()).toBe('9'));
  });

  test('/ goes to the search field and Escape comes back', async () => {
    await renderApp('memories');
    await ready();
    await press('/');
    expect(document.activeElement).toBe(screen.getByTestId('memories-search'));
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('memories-list')));
  });
});

test('a memory says to which agents it was given, and when last', async () => {
  await renderApp('memories', {}, { memory: 'mem_00016' });
  const reads = within(await screen.findByTestId('memory-reads'));
  expect(reads.getByText('Served to agents 2 times')).toBeDefined();
  expect(screen.getByTestId('memory-reads').querySelector('summary')?.textContent).toMatch(/last on .*\d{4}/);
  expect(reads.getAllByRole('listitem', { hidden: true }).map((each) => each.textContent)).toEqual([expect.stringMatching(/^coderContext/), expect.stringMatching(/^Unnamed programSearchwith Tomasz Wrona/)]);
  expect(await violations()).toEqual([]);
});

test('of what was given to nobody nothing is said', async () => {
  await renderApp('memories', {}, { memory: 'mem_00017' });
  await ready();
  await screen.findByText('Why');
  expect(screen.queryByTestId('memory-reads')).toBeNull();
});

describe('changing', () => {
  test('an edit is a new version, and the cursor follows it', async () => {
    const host = await renderApp('memories');
    await ready();
    await press('e');
    const input = await screen.findByTestId('edit-input');
    await userEvent.clear(input);
    await userEvent.type(input, 'User bakes at home.');
    await userEvent.click(screen.getByTestId('btn-edit-save'));
    expect(screen.getByTestId('memory-statement').textContent, 'at once').toBe('User bakes at home.');
    await quiet();
    await waitFor(() => expect(screen.getByRole('listbox').getAttribute('aria-activedescendant')).toMatch(/_v1$/), { timeout: 3_000 });
    expect(decisions(host)).toEqual([{ action: 'edit', id: 'mem_00016', content: 'User bakes at home.', category: null }]);
  });

  test('the trash takes and gives back, with one undo for many', async () => {
    const host = await renderApp('memories');
    await ready();
    await press('x', 'J', 'J');
    expect(screen.getByTestId('bulk-bar').textContent).toContain('3 selected');
    await press('Delete');
    expect(count()).toBe('6');
    await quiet();
    expect((decisions(host)[0] as { ids: string[] }).ids).toHaveLength(3);
    await press('u');
    await quiet();
    expect(count()).toBe('9');
  });

  test('all that match can be filed anew at once', async () => {
    const host = await renderApp('memories');
    await ready();
    await press('^a');
    expect(screen.getByTestId('bulk-bar').textContent).toContain('9 selected');
    await press('c');
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Story' }));
    await quiet();
    expect(decisions(host), 'the one that is a story already is left alone').toEqual([{ action: 'recategorize', ids: expect.arrayContaining(['mem_00016']), category: 'story' }]);
    expect((decisions(host)[0] as { ids: string[] }).ids).toHaveLength(8);
  });

  test('what is in the trash can be restored', async () => {
    setUiState('memories.filters', { ...DEFAULT_FILTERS, status: ['archived'] });
    const host = await renderApp('memories');
    await ready();
    await userEvent.click(screen.getByTestId('btn-memory-restore'));
    await quiet();
    expect(decisions(host)).toEqual([{ action: 'restore', ids: ['mem_00024'] }]);
  });

  test('being asked for a memory shows it, whatever the filters', async () => {
    setUiState('memories.filters', { ...DEFAULT_FILTERS, category: ['story'] });
    await renderApp('memories', {}, { memory: 'mem_00025' });
    await waitFor(() => expect(screen.getByTestId('memory-statement').textContent).toBe('User is very happy.'));
  });
});

describe('erasing for good', () => {
  const erased = (host: { calls: { cmd: string; payload: unknown }[] }) => host.calls.filter((each) => each.cmd === 'memories_erase').map((each) => each.payload);
  const counts = async () => within(await screen.findByTestId('erase-counts')).getAllByRole('listitem').map((each) => each.textContent);

  test('is offered where something was put away, lists what goes, and no key does it', async () => {
    setUiState('memories.filters', { ...DEFAULT_FILTERS, status: ['archived'] });
    const host = await renderApp('memories');
    await ready();
    await userEvent.click(screen.getByTestId('btn-memory-erase'));
    const dialog = within(screen.getByTestId('erase-dialog'));
    expect(dialog.getByText('Erase this memory for good?')).toBeDefined();
    expect(await counts()).toEqual(['1 memory', '1 link to source messages', '1 search vector', '1 summary, session or analysis of the same conversations, recreated without the erased content']);
    expect(dialog.getByText(/^The messages stay as they are\./)).toBeDefined();
    expect(await violations()).toEqual([]);
    await press('Enter', ' ', 'y');
    expect(erased(host)).toEqual([]);
    await userEvent.click(dialog.getByTestId('btn-erase'));
    const receipt = within(await screen.findByTestId('erase-receipt'));
    expect(screen.queryByTestId('btn-undo'), 'no notice offers it back').toBeNull();
    expect(receipt.getByText('Erased: 1 memory.')).toBeDefined();
    expect(erased(host)).toEqual([{ ids: ['mem_00024'] }]);
    await userEvent.click(receipt.getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
    await waitFor(() => expect(count()).toBe('0'));
    await press('u');
    expect(await screen.findByText('Erased data cannot be restored.')).toBeDefined();
    expect(host.calls.filter((each) => each.cmd === 'undo'), 'nothing older is undone in its stead').toEqual([]);
  });

  test('is not offered of what is in use', async () => {
    await renderApp('memories');
    await ready();
    expect(screen.queryByTestId('btn-memory-erase')).toBeNull();
    expect(screen.queryByTestId('btn-empty-trash')).toBeNull();
  });

  test('the whole trash is emptied only where the whole trash is shown', async () => {
    const host = await renderApp('memories');
    await ready();
    await press('x', 'J', 'Delete');
    await quiet();
    act(() => setUiState('memories.filters', { ...DEFAULT_FILTERS, status: ['archived'], category: ['story'] }));
    await waitFor(() => expect(screen.queryByTestId('memory-statement')?.textContent).not.toBe(''));
    expect(screen.queryByTestId('btn-empty-trash'), 'a part of it is no whole').toBeNull();
    act(() => setUiState('memories.filters', { ...DEFAULT_FILTERS, status: ['archived'] }));
    await waitFor(() => expect(count()).toBe('3'));
    await userEvent.click(screen.getByTestId('btn-empty-trash'));
    expect((await counts())[0]).toBe('3 memories');
    await userEvent.click(screen.getByTestId('btn-erase'));
    await screen.findByTestId('erase-receipt');
    expect((erased(host)[0] as { ids: string[] }).ids).toHaveLength(3);
  });

  test.each([
    ['the trash', { status: ['archived'] }, '', true],
    ['in another order', { status: ['archived'], sort: 'oldest' as const }, '', true],
    ['with words', { status: ['archived'] }, 'tea', false],
    ['with more besides', { status: ['archived', 'rejected'] }, '', false],
    ['of one channel', { status: ['archived'], channel: ['dm'] }, '', false],
  ])('%s is the whole trash: %o', (_, filters, query, expected) => expect(isWholeTrash({ ...DEFAULT_FILTERS, ...filters }, query)).toBe(expected));
});
