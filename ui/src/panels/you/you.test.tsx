import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { MemoryDetail, MemoryRow } from '../../api';
import { endOfDay } from '../../design';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { settled } from '../../state/decisions';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
import { dayAfter, dayOf, daysBetween } from './days';
import { partners, shownConflicts } from './pairs';
import { plainText, sectionOf, sections, sentence } from './sections';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const row = (id: string, more: Partial<MemoryRow> = {}) => ({ id, kind: 'fact', status: 'active', category: 'experience', attribute: null, content: `Says ${id}`, said_at: 1, is_private_source: false, is_hidden: false, ...more }) as MemoryRow;
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const statements = () => screen.queryAllByTestId('you-statement');
const statement = (words: string) => statements().find((each) => each.querySelector('p')?.textContent?.includes(words)) as HTMLElement;
const ready = () => screen.findByTestId('you-page');
const quiet = () => act(async () => settled());
/** Puts the cursor on a statement, as the Tab key does. */
const focus = (words: string) => act(async () => within(statement(words)).getAllByTestId('you-source')[0]?.focus());

describe('where a statement stands', () => {
  test.each<[attribute: string | null, category: string, expected: string]>([
    ['home', 'personal_info', 'home'],
    ['pet', 'personal_info', 'home'],
    ['child', 'personal_info', 'people'],
    ['allergy', 'preference', 'health'],
    ['diet', 'preference', 'health'],
    ['job', 'personal_info', 'work'],
    ['like', 'personal_info', 'preferences'],
    ['plan', 'experience', 'plans'],
    ['birthday', 'personal_info', 'more'],
    ['other', 'relationship', 'people'],
    [null, 'project', 'work'],
    [null, 'preference', 'preferences'],
    [null, 'goal', 'plans'],
    [null, 'personal_info', 'more'],
    [null, 'not_known_here', 'more'],
  ])('%s, %s: %s', (attribute, category, expected) => expect(sectionOf({ attribute, category })).toBe(expected));

  test('the newest first, and no heading with nothing under it', () => {
    const found = sections([row('old', { category: 'goal' }), row('tale'), row('new', { category: 'goal', said_at: 2 })]);
    expect(found.map((each) => [each.id, each.rows.map(({ id }) => id)])).toEqual([['plans', ['new', 'old']], ['more', ['tale']]]);
    expect(sections([])).toEqual([]);
  });

  test.each([
    ['User lives in Leith', 'User lives in Leith.'],
    ['User lives in Leith.', 'User lives in Leith.'],
    ['User asks: why?', 'User asks: why?'],
    ['User: “i live in Leith”', '“i live in Leith”'],
    ['User: “i live in Leith!”', '“i live in Leith!”'],
  ])('%s reads %s', (content, expected) => expect(sentence(content)).toBe(expected));

  test('the plain text leaves out what agents are not told', () => {
    const headings = { plans: 'Plans', more: 'More' } as never;
    const text = plainText(sections([row('a', { category: 'goal' }), row('b', { is_hidden: true }), row('c', { category: 'goal', is_private_source: true })]), headings, null);
    expect(text).toBe('Plans\n- Says a.\n');
    expect(plainText(sections([row('b', { is_hidden: true })]), headings, 'True on Monday')).toBe('');
  });
});

describe('days', () => {
  test.each([
    ['2026-11-20', '2026-11-20', 0],
    ['2026-10-01', '2026-11-01', 31],
    ['2024-02-28', '2024-03-01', 2],
  ])('from %s to %s are %d', (from, to, days) => {
    expect(daysBetween(from, to)).toBe(days);
    expect(dayAfter(from, days)).toBe(to);
  });
  test('of a moment, on this computer', () => expect(dayOf(new Date(2026, 2, 5, 23, 59).getTime())).toBe('2026-03-05'));
});

describe('which contradicts which', () => {
  const pairsOf = (rows: MemoryRow[], details = new Map<string, MemoryDetail>()) => [...partners(rows, details)].map(([id, other]) => [id, other?.id ?? null]);
  const home = (id: string) => row(id, { attribute: 'home' });
  test('of one attribute two', () => expect(pairsOf([home('a'), row('x', { attribute: 'job' }), home('b'), row('y', { attribute: 'job' })])).toEqual([['a', 'b'], ['x', 'y'], ['b', 'a'], ['y', 'x']]));
  test('another kind never', () => expect(pairsOf([row('a'), row('b', { kind: 'knowledge' })])).toEqual([['a', null], ['b', null]]));
  test('of three, what the detail names', () => {
    const detail = { changes: [], near: { id: 'c' } } as unknown as MemoryDetail;
    expect(pairsOf([home('a'), home('b'), home('c')], new Map([['a', detail]]))[0]).toEqual(['a', 'c']);
    expect(pairsOf([home('a'), home('b'), home('c')])[0]).toEqual(['a', null]);
  });
  test('each pair is asked about once', () => {
    const [a, b] = [home('a'), home('b')];
    expect([...shownConflicts([b, a], partners([a, b], new Map()))].map(([id, other]) => [id, other?.id])).toEqual([['b', 'a']]);
  });
});

describe('the page', () => {
  test('says what is approved of the owner, under headings, and nothing else', async () => {
    await renderApp('you');
    await ready();
    expect(screen.getAllByRole('heading', { level: 2 }).map((each) => each.textContent)).toEqual(['People', 'Preferences', 'Plans', 'More']);
    expect(statement('User has a dog called Moss.')).toBeDefined();
    expect(statement('very happy'), 'rejected').toBeUndefined();
    expect(statement('sourdough'), 'not approved').toBeUndefined();
    expect(await violations()).toEqual([]);
  });

  test('a number opens the message that it was said in', async () => {
    await renderApp('you');
    await ready();
    const source = within(statement('dog called Moss')).getByTestId('you-source');
    expect(source.getAttribute('aria-label')).toMatch(/^Source \d+: .+, .+\d/);
    fireEvent.click(source);
    await waitFor(() => expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_family', message: expect.stringContaining('int_conv_family') } }));
  });

  test('by keys: j and k move, o opens', async () => {
    await renderApp('you');
    await ready();
    await press('End', 'Home', 'j', 'k', 'j');
    const second = statements()[1] as HTMLElement;
    expect(second.dataset.cursor).toBe('true');
    expect(second.contains(document.activeElement)).toBe(true);
    await press('o');
    await waitFor(() => expect(nav.get().panel).toBe('conversations'));
  });

  test('with nothing approved it leads to Review', async () => {
    await renderApp('you', { firstRun: true });
    await screen.findByText('No approved memories yet');
    fireEvent.click(screen.getByRole('button', { name: 'Go to Review' }));
    expect(nav.get().panel).toBe('review');
  });

  test('what cannot be loaded can be asked for again', async () => {
    const host = await renderApp('settings');
    let isDown = true;
    host.answer('memories_list', () => {
      if (isDown) throw new RpcError('internal', 'The disk is busy.');
      return { total: 1, items: [row('a', { conversation_title: 'A talk' })], by_status: [], by_category: [], by_subject: [], by_channel: [], by_said: [] };
    });
    await press('g', 'u');
    await screen.findByText('The disk is busy.');
    isDown = false;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await ready();
    expect(statement('Says a.')).toBeDefined();
  });
});

describe('a contradiction', () => {
  const conflict = () => screen.findByTestId('you-conflict');
  /** Adds a pending memory that names another town. */
  const withConflict = async () => {
    const host = await renderApp('you');
    await ready();
    const { items } = (await host.rpc('memories_list', { status: ['pending'] })) as { items: MemoryRow[] };
    const town = items.find((each) => each.content.includes('Utrecht'));
    return { host, town: town as MemoryRow };
  };

  test('stands below the statement, and 1 keeps that; u takes the answer back', async () => {
    const { host, town } = await withConflict();
    const box = await conflict();
    expect(box.textContent).toContain('Said later: ');
    expect(box.textContent).toContain('not approved yet');
    expect(await violations()).toEqual([]);
    await focus('User lives in Utrecht.');
    await press('1');
    await waitFor(() => expect(screen.queryByTestId('you-conflict')).toBeNull());
    await quiet();
    expect(asked(host, 'memory_decide')).toEqual([{ action: 'reject', ids: [town.id], reason: null }]);
    await press('u');
    await conflict();
    await quiet();
  });

  test('2 approves the other in its place, in one step with one undo', async () => {
    const { host, town } = await withConflict();
    const gone = statement('User lives in Utrecht.').dataset.memory;
    await conflict();
    await focus('User lives in Utrecht.');
    await press('2');
    await waitFor(() => expect(statement('User lives in Utrecht.')).toBeUndefined());
    await quiet();
    expect(asked(host, 'memory_decide')).toEqual([{ action: 'approve', ids: [town.id] }, { action: 'archive', ids: [gone] }]);
    await waitFor(() => expect(statements().some((each) => each.dataset.memory === town.id)).toBe(true));
    await press('u');
    await waitFor(() => expect(statement('User lives in Utrecht.')).toBeDefined());
    await quiet();
    expect(asked(host, 'undo')).toHaveLength(2);
    await conflict();
  });
});

describe('another day', () => {
  test('the slider asks what was true at the end of that day, and t leads back', async () => {
    const host = await renderApp('you');
    await ready();
    await screen.findByTestId('you-conflict');
    const slider = screen.getByRole('slider', { name: 'Show what was true on' }) as HTMLInputElement;
    const all = statements().length;
    fireEvent.change(slider, { target: { value: '0' } });
    await waitFor(() => expect(asked(host, 'memories_list').some((each) => (each as { as_of?: number }).as_of != null)).toBe(true));
    const sent = asked(host, 'memories_list').map((each) => (each as { as_of?: number }).as_of).find((each) => each != null) as number;
    expect(sent).toBe(endOfDay(dayOf(sent)));
    await screen.findByTestId('you-as-of');
    await waitFor(() => expect(statements().length).toBeLessThan(all));
    expect(screen.queryByTestId('you-conflict')).toBeNull();
    expect(await violations()).toEqual([]);
    await press('t');
    await waitFor(() => expect(statements()).toHaveLength(all));
    expect(screen.queryByTestId('you-as-of')).toBeNull();
  });
});

describe('for others', () => {
  const copied = vi.fn(async (_text: string) => undefined);
  beforeEach(() => {
    copied.mockClear();
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: copied } });
  });

  test('what is copied leaves out hidden memories and those kept out of memory', async () => {
    const host = await renderApp('you');
    const rows = (await host.rpc('memories_list', { status: ['active'], subject: ['owner'] })) as { items: MemoryRow[] };
    const items = rows.items.map((each) => (each.content.includes('Moss') ? { ...each, is_private_source: true } : each.content.includes('walnuts') ? { ...each, is_hidden: true } : { ...each, is_private_source: false }));
    host.answer('memories_list', () => ({ total: items.length, items, by_status: [], by_category: [], by_subject: [], by_channel: [], by_said: [] }));
    host.emit({ type: 'changed', tags: ['memories'] });
    await waitFor(() => expect(statement('walnuts').textContent).toContain('Hidden'));
    await press('c');
    await waitFor(() => expect(copied).toHaveBeenCalledTimes(1));
    const text = copied.mock.calls[0]?.[0] ?? '';
    expect(text).toContain('Plans\n- User is training for a half marathon.');
    expect(text).not.toMatch(/Moss|walnuts|mem_/);
    await screen.findByText(`Copied ${items.length - 2} statements, left out 2`);
  });

  test('as an agent, what it would be told is shown instead', async () => {
    const host = await renderApp('you');
    await ready();
    await userEvent.click(screen.getByTestId('you-agent'));
    await userEvent.click(await screen.findByRole('option', { name: /helpdesk/ }));
    await screen.findByTestId('view-text');
    expect(asked(host, 'context_preview').at(-1)).toEqual({ agent: 'helpdesk', as_of: null });
    expect(statements()).toHaveLength(0);
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Back to your page' }));
    await ready();
  });
});
