import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LinkView } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.getAllByTestId('person-row');
const links = () => screen.queryAllByTestId('link-row');
const name = () => screen.getByTestId('person-name').textContent;
const question = () => screen.getByTestId('link-question').textContent;
const detailOf = async (who: string) => {
  fireEvent.click(rows().find((row) => row.textContent?.includes(who)) as HTMLElement);
  await waitFor(() => expect(name()).toBe(who));
  await screen.findByText('Recent messages');
};
const openPeople = async () => {
  const host = await renderApp('people');
  await screen.findAllByTestId('person-row');
  return host;
};
const openLinks = async () => {
  setUiState('people.tab', 'links');
  const host = await renderApp('people');
  await screen.findAllByTestId('link-row');
  await screen.findByTestId('link-preview');
  return host;
};

beforeEach(() => {
  for (const [key, value] of [['people.tab', 'people'], ['people.part', 'about'], ['people.filters', {}], ['privacy.tab', 'channels'], ['privacy.view', {}]] as const) setUiState(key, value);
});

describe('everybody', () => {
  test('a row says who, where, when, and what waits', async () => {
    await openPeople();
    const row = rows().find((each) => each.textContent?.includes('priya') || each.textContent?.includes('Priya'));
    for (const words of ['Person', 'Priya Nair', 'Email', '1 suggestion']) expect(row?.textContent).toContain(words);
    expect(rows()[0]?.textContent, 'the owner comes first').toContain('You');
  });

  test('words, kinds and channels narrow the list, and there is a way back', async () => {
    await openPeople();
    const all = rows().length;
    fireEvent.change(screen.getByTestId('people-search'), { target: { value: '@tw:atlas' } });
    await waitFor(() => expect(rows()).toHaveLength(1));
    fireEvent.change(screen.getByTestId('people-search'), { target: { value: 'no such person' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(rows()).toHaveLength(all));
    fireEvent.click(screen.getByTestId('facet-kind'));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: /Services/ }));
    await waitFor(() => expect(rows()).toHaveLength(1));
    expect(rows()[0]?.textContent).toContain('Atlas build');
  });

  test('j and k move, and only where the cursor rests is asked for', async () => {
    const host = await openPeople();
    await waitFor(() => expect(asked(host, 'person_get')).toHaveLength(1));
    await press('j', 'j', 'j', 'k');
    await waitFor(() => expect(asked(host, 'person_get')).toHaveLength(2));
  });

  test('a thousand people are a screenful in the document', async () => {
    const host = await openPeople();
    const one = ((await host.rpc('people_list', {})) as { items: { type: string }[] }).items.find((each) => each.type === 'person');
    host.answer('people_list', () => ({ items: Array.from({ length: 1_000 }, (_, index) => ({ ...one, id: `ent_${index}`, name: `Person ${index}` })) as never }));
    host.emit({ type: 'changed', tags: ['people'] });
    await screen.findByText('Person 3');
    expect(rows().length).toBeLessThan(40);
  });

  test('who is known by a number is listed with the words in which they said their name', async () => {
    const host = await openPeople();
    const { items } = (await host.rpc('people_list', {})) as { items: { is_owner: boolean }[] };
    host.answer('people_list', () => ({ items: items.map((each) => (each.is_owner ? each : { ...each, name: '+44 7700 900123', said_name: 'it’s Erik from the choir' })) }) as never);
    host.emit({ type: 'changed', tags: ['people'] });
    await waitFor(() => expect(rows()[1]?.textContent).toContain('“it’s Erik from the choir”'));
  });

  test('with nobody there is one thing to do; a failure says what is safe', async () => {
    await renderApp('people', { firstRun: true });
    fireEvent.click(await screen.findByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });

  test('a list that cannot be loaded says what is safe and tries again', async () => {
    const host = await renderApp('review');
    host.failNext('people_list', new RpcError('internal', 'The disk is busy.'));
    await press('g', 'p');
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findAllByTestId('person-row')).not.toHaveLength(0);
  });
});

describe('one person', () => {
  test('handles, places and lines, each leading where it stands', async () => {
    await openPeople();
    await detailOf('Mum');
    expect(screen.getByTestId('person-handle').textContent).toContain('WhatsApp');
    expect(screen.getAllByTestId('person-line')[0]?.textContent, 'its lock shows wherever its lines do').toContain('Not used for memory');
    fireEvent.click(screen.getAllByTestId('person-line')[0] as HTMLElement);
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_family' } });
    expect(nav.get().target?.message).toMatch(/^int_conv_family_/);
  });

  test('1, 2 and 3 turn to what is known, what they wrote, and what each channel may see', async () => {
    await openPeople();
    await detailOf('Mum');
    await press('3');
    expect(screen.getByTestId('person-place').textContent).toContain('Not used for memory');
    expect(screen.queryByTestId('person-handle'), 'the page shows one part').toBeNull();
    await press('2');
    expect(screen.getAllByTestId('person-line')).toHaveLength(2);
    expect(screen.getByTestId('person-part-lines').getAttribute('aria-checked')).toBe('true');
    expect(await violations()).toEqual([]);
    await press('j', '1');
    await screen.findAllByTestId('person-handle');
  });

  test('a memory may be told anywhere, and that can be undone', async () => {
    const host = await openPeople();
    const detail = (await host.rpc('person_get', { id: 'ent_Mum' })) as object;
    const memory = { id: 'mem_1', content: 'Mum likes apple cake.', category: 'relationship', visibility: 'private', is_shared: false, time: 1 };
    host.answer('person_get', () => ({ ...detail, memories: [memory] }) as never);
    await detailOf('Mum');
    expect(screen.getByTestId('person-memory').textContent).toContain('Private');
    fireEvent.click(screen.getByRole('switch', { name: 'Agents may use this anywhere: Mum likes apple cake.' }));
    await waitFor(() => expect(asked(host, 'memory_share')).toEqual([{ id: 'mem_1', is_shared: true }]));
    await press('u');
    await waitFor(() => expect(asked(host, 'memory_share').at(-1)).toEqual({ id: 'mem_1', is_shared: false }));
    expect(await violations()).toEqual([]);
  });

  test('View as begins with this person', async () => {
    const host = await openPeople();
    await detailOf('Mum');
    await press('v');
    expect(nav.get()).toMatchObject({ panel: 'privacy', target: { viewAs: { person: 'ent_Mum' } } });
    await screen.findByTestId('view-withheld');
    await waitFor(() => expect(asked(host, 'context_preview').at(-1)).toMatchObject({ person: 'ent_Mum' }));
  });

  test('a suggestion of theirs leads to the pair, and coming back to it later moves no cursor', async () => {
    await openPeople();
    await detailOf('Tomasz Wrona');
    fireEvent.click(screen.getByRole('button', { name: /^View: tw/ }));
    await waitFor(() => expect(question()).toBe('Are tw and Tomasz Wrona the same person?'));
    await press('k');
    const left = question();
    expect(left).not.toBe('Are tw and Tomasz Wrona the same person?');
    await press('t');
    await screen.findByTestId('tasks-file');
    await press('t');
    await screen.findAllByTestId('person-row');
    await press('t');
    await waitFor(() => expect(question()).toBe(left));
  });

  const linkByHand = async (other: string) => {
    await press('l');
    const dialog = await screen.findByTestId('link-dialog');
    expect((within(dialog).getByTestId('btn-link-confirm') as HTMLButtonElement).disabled, 'nothing to link yet').toBe(true);
    const user = userEvent.setup();
    await user.click(within(dialog).getByTestId('link-other'));
    await user.keyboard(other);
    await user.click(await screen.findByRole('option', { name: new RegExp(other) }));
    return dialog;
  };

  test('two handles are linked by hand after the preview, shown as one person, and unlinked', async () => {
    const host = await openPeople();
    const before = rows().map((row) => row.textContent);
    await detailOf('Mum');
    const dialog = await linkByHand('N. Aziz');
    const preview = await within(dialog).findByTestId('link-preview');
    expect(preview.textContent).toContain('One person with 2 accounts');
    expect(preview.textContent).toContain('nothing visible in new places');
    expect(asked(host, 'link_handles'), 'not before it is confirmed').toEqual([]);
    expect(await violations()).toEqual([]);
    fireEvent.click(within(dialog).getByTestId('btn-link-confirm'));
    await waitFor(() => expect(screen.getAllByTestId('person-handle')).toHaveLength(2));
    expect(rows()).toHaveLength(before.length - 1);
    expect(screen.getAllByText('Confirmed by you')).toHaveLength(2);
    fireEvent.click(await screen.findByTestId('btn-unlink'));
    await waitFor(() => expect(rows().map((row) => row.textContent)).toEqual(before));
    await press('u');
    await waitFor(() => expect(rows()).toHaveLength(before.length - 1));
  });

  test('a link by hand is undone by u', async () => {
    const host = await openPeople();
    const before = rows().length;
    await detailOf('Mum');
    const dialog = await linkByHand('N. Aziz');
    await within(dialog).findByTestId('link-preview');
    fireEvent.click(within(dialog).getByTestId('btn-link-confirm'));
    await waitFor(() => expect(rows()).toHaveLength(before - 1));
    await press('u');
    await waitFor(() => expect(rows()).toHaveLength(before));
    expect(asked(host, 'link_remove')).toHaveLength(1);
  });

  test('what stands in the way is said, and nothing can be linked', async () => {
    const host = await openPeople();
    host.answer('link_preview', () => ({ handles: [], newly_visible: [], obstacle: 'You said that these are different people.' }));
    await detailOf('Mum');
    const dialog = await linkByHand('N. Aziz');
    await within(dialog).findByText('You said that these are different people.');
    expect((within(dialog).getByTestId('btn-link-confirm') as HTMLButtonElement).disabled).toBe(true);
  });

  test('the cursor follows a person whose id changes', async () => {
    await openPeople();
    fireEvent.click(rows().find((row) => row.textContent?.includes('N. Aziz')) as HTMLElement);
    await waitFor(() => expect(name()).toBe('N. Aziz'));
    const dialog = await linkByHand('Mum');
    await within(dialog).findByTestId('link-preview');
    fireEvent.click(within(dialog).getByTestId('btn-link-confirm'));
    await waitFor(() => expect(screen.getAllByTestId('person-handle')).toHaveLength(2));
    expect(screen.getByTestId('person-detail').textContent).toContain('N. Aziz');
  });
});

describe('suggestions', () => {
  test('both sides, the reasons with their words marked, and what it would make', async () => {
    await openLinks();
    expect(question()).toBe('Is Priya Nair the same person in both places?');
    expect(screen.getByTestId('link-for').textContent).toContain('Both give priya.nair@atlas.example as their own');
    expect(screen.getByTestId('link-for').querySelector('mark')?.textContent).toBe('Fine by me');
    expect(screen.getByTestId('link-against').textContent).toContain('No evidence against it was found.');
    expect(screen.getByTestId('link-preview').textContent).toContain('One person with 2 accounts');
    expect(await violations()).toEqual([]);
  });

  test('a guess is called a guess', async () => {
    await openLinks();
    await press('j', 'j');
    await waitFor(() => expect(question()).toBe('Are tw and Tomasz Wrona the same person?'));
    expect(screen.getByText('Guess', { selector: 'p *' })).toBeDefined();
    expect(screen.getByText(/^Only a guess/)).toBeDefined();
    expect(screen.getByTestId('link-against').textContent).toContain('Tomasz Wrona (Meeting) says that the other account is not theirs');
  });

  test.each([
    ['s', 'same'],
    ['d', 'different'],
    ['n', 'unsure'],
  ])('%s answers %s, the next pair follows at once, and u takes it back', async (key, answer) => {
    const host = await openLinks();
    await press(key);
    expect(links(), 'before the backend has answered').toHaveLength(2);
    expect(question()).toBe('Are Noor Aziz and N. Aziz the same person?');
    await waitFor(() => expect(asked(host, 'link_answer')).toEqual([{ id: 'lnk_priya', answer }]));
    await press('u');
    await waitFor(() => expect(links()).toHaveLength(3));
    await waitFor(() => expect(question()).toBe('Is Priya Nair the same person in both places?'));
    await waitFor(async () => expect(((await host.rpc('links_list', {})) as { items: LinkView[] }).items.map((each) => each.status)).toEqual(['open', 'open', 'open']));
  });

  test('what was answered is kept under Answered and can be taken back there', async () => {
    const host = await openLinks();
    await press('s', 'd');
    await waitFor(() => expect(asked(host, 'link_answer')).toHaveLength(2));
    fireEvent.click(screen.getByTestId('links-answered'));
    await waitFor(() => expect(links()).toHaveLength(2));
    await screen.findByText(/You answered: same person/);
    expect(screen.getByTestId('btn-take-back').textContent).toContain('Unlink');
    await press('p');
    await waitFor(() => expect(asked(host, 'link_remove')).toEqual([{ id: 'lnk_priya' }]));
    await waitFor(() => expect(links()).toHaveLength(1));
    await press('p');
    await waitFor(() => expect(asked(host, 'link_answer').at(-1)).toEqual({ id: 'lnk_noor', answer: 'open' }));
  });

  test('a refused answer brings the pair back and says why', async () => {
    const host = await openLinks();
    host.failNext('link_answer', new RpcError('refused', 'They were linked elsewhere.'));
    await press('s');
    await screen.findByText('They were linked elsewhere.');
    expect(links()).toHaveLength(3);
  });

  test('where something stands in the way, Same does nothing', async () => {
    const host = await openLinks();
    host.answer('link_preview', () => ({ handles: [], newly_visible: [{ title: 'Mum', memories: 2 }], obstacle: 'You said that these are different people.' }));
    host.emit({ type: 'changed', tags: ['people'] });
    await screen.findByText('You said that these are different people.');
    expect(screen.getByTestId('link-preview').textContent).toContain('2 memories in Mum');
    await press('s');
    expect(asked(host, 'link_answer')).toEqual([]);
    expect((screen.getByTestId('btn-same') as HTMLButtonElement).disabled).toBe(true);
  });

  test('every key has a button, and o opens the first line', async () => {
    await openLinks();
    for (const [id, key] of [['btn-same', 's'], ['btn-different', 'd'], ['btn-unsure', 'n']] as const) expect(screen.getByTestId(id).getAttribute('aria-keyshortcuts')).toContain(key);
    await press('o');
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_standup' } });
  });

  test('with nothing to answer it says so', async () => {
    setUiState('people.tab', 'links');
    const host = await renderApp('people');
    host.answer('links_list', () => ({ total: 0, open: 0, answered: 0, items: [] }));
    host.emit({ type: 'changed', tags: ['people'] });
    expect(await screen.findByText('No open suggestions')).toBeDefined();
  });

  test('of many pairs the first are asked for, all are counted, and the next come when the end is near', async () => {
    setUiState('people.tab', 'links');
    const host = await renderApp('people');
    const { items } = (await host.rpc('links_list', { answered: false, offset: 0, limit: 1 })) as { items: LinkView[] };
    const [one] = items;
    if (!one) throw new Error('the fake has a pair');
    const many = Array.from({ length: 250 }, (_, index): LinkView => ({ ...one, id: `lnk_${index}` }));
    host.answer('links_list', ({ answered, limit }) => {
      const asked = answered ? [] : many;
      return { total: asked.length, open: many.length, answered: 0, items: asked.slice(0, limit) };
    });
    host.emit({ type: 'changed', tags: ['people'] });
    await waitFor(() => expect(screen.getByTestId('links-open').textContent).toContain('250'));
    const limits = () => asked(host, 'links_list').map((request) => (request as { limit: number }).limit);
    expect(Math.max(...limits()), 'one page').toBe(100);
    await press('End');
    await waitFor(() => expect(Math.max(...limits())).toBe(200));
    await waitFor(async () => {
      await press('End');
      expect(Math.max(...limits())).toBe(300);
    });
    expect(screen.getByTestId('links-open').textContent, 'the count stays').toContain('250');
  });
});
