import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GapsResponse } from '../../api';
import { shortDate } from '../../design';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { NOW, press, renderApp, violations } from '../../test/render';
import { fileName, isTasksPath, needWords } from './gaps';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.queryAllByTestId('gap-row').map((row) => row.textContent ?? '');
const need = () => screen.getByTestId('gap-need').textContent;
const open = async (options: FakeOptions = {}) => {
  setUiState('people.tab', 'gaps');
  const host = await renderApp('people', options);
  await screen.findAllByTestId('gap-row');
  return host;
};
/** A day as formatted on this computer. */
const day = (time: number) => shortDate(time, NOW);
const FILE = '/home/robin/notes/todo.md';

beforeEach(() => {
  for (const [key, value] of [['people.tab', 'people'], ['people.part', 'about'], ['people.filters', {}]] as const) setUiState(key, value);
});

describe('gaps', () => {
  test('a row says what, how often and with whom; what came back says so', async () => {
    await open();
    expect(rows()).toHaveLength(3);
    for (const words of ['Read my training calendar', '3 requests, you']) expect(rows()[1]).toContain(words);
    for (const words of ['Came back', '4 requests, several people']) expect(rows()[0]).toContain(words);
    expect(need()).toBe('Remember which books I have read');
    expect(screen.getByTestId('gap-task').textContent).toContain(`It came up again after it was done on ${day(NOW - 30 * 86_400_000)}.`);
    expect(await violations()).toEqual([]);
  });

  test('j and k move, and o opens the line where it showed', async () => {
    await open();
    await press('j');
    await waitFor(() => expect(need()).toBe('Read my training calendar'));
    expect(screen.getAllByTestId('quote')[0]?.querySelector('mark')?.textContent).toBe('Can you look at my training week');
    await press('o');
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { conversation: 'conv_running', message: 'int_conv_running_0' } });
  });

  test('a makes a task; the first time the file is asked for, and a path that is none is not taken', async () => {
    const host = await open();
    await press('j', 'a');
    const dialog = within(await screen.findByTestId('tasks-dialog'));
    expect(asked(host, 'gap_confirm'), 'not before the file is known').toEqual([]);
    const field = dialog.getByLabelText('Full path of the file');
    fireEvent.change(field, { target: { value: 'todo' } });
    fireEvent.click(dialog.getByTestId('btn-tasks-save'));
    expect(dialog.getByRole('alert').textContent).toContain('Enter the full path of a Markdown file');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(await violations()).toEqual([]);
    fireEvent.change(field, { target: { value: FILE } });
    fireEvent.click(dialog.getByTestId('btn-tasks-save'));
    await waitFor(() => expect(asked(host, 'gap_confirm')).toEqual([{ id: 'gap_calendar', file: FILE }]));
    await screen.findByText(`Written to ${FILE}`);
    await waitFor(() => expect(rows()).toHaveLength(2));
    await waitFor(() => expect(screen.getByTestId('tasks-file').textContent).toBe(`Tasks are saved to ${FILE}`));
    await waitFor(() => expect(need(), 'the next one follows').toBe('Export the kitchen plan as a drawing'));
    // From now on, one key is sufficient.
    await press('a');
    await waitFor(() => expect(asked(host, 'gap_confirm').at(-1)).toEqual({ id: 'gap_export', file: null }));
  });

  test('the system’s dialog fills in the path where there is one; a page in a browser writes it', async () => {
    await open();
    fireEvent.click(screen.getByTestId('btn-tasks-file'));
    fireEvent.click(await screen.findByTestId('btn-tasks-browse'));
    await waitFor(() => expect((screen.getByTestId('tasks-path') as HTMLInputElement).value).toBe('/home/robin/notes/tasks.md'));
  });

  test('without such a dialog there is no button for it', async () => {
    await open({ fileAccess: 'upload' });
    fireEvent.click(screen.getByTestId('btn-tasks-file'));
    await screen.findByTestId('tasks-path');
    expect(screen.queryByTestId('btn-tasks-browse')).toBeNull();
  });

  test('the file alone can be changed, and a refusal says why', async () => {
    const host = await open();
    host.failNext('tasks_file_set', new RpcError('refused', 'That is a folder.'));
    fireEvent.click(screen.getByTestId('btn-tasks-file'));
    fireEvent.change(await screen.findByTestId('tasks-path'), { target: { value: FILE } });
    await press('^Enter');
    await screen.findByText('That is a folder.');
    await press('^Enter');
    await waitFor(() => expect(screen.getByTestId('tasks-file').textContent).toContain(FILE));
    expect(asked(host, 'gap_confirm'), 'nothing was confirmed by it').toEqual([]);
  });

  test('a task that came back is written to its own file without asking', async () => {
    const host = await open();
    await press('a');
    await waitFor(() => expect(asked(host, 'gap_confirm')).toEqual([{ id: 'gap_books', file: null }]));
    await screen.findByText('Written to /home/robin/notes/tasks.md');
    await press('u');
    await screen.findByText('This cannot be undone here: the task is in /home/robin/notes/tasks.md. To remove it, delete it there.');
    expect(asked(host, 'undo'), 'nothing older is undone in its stead').toEqual([]);
  });

  test('r dismisses at once, and u brings it back', async () => {
    const host = await open();
    await press('r');
    expect(rows(), 'before the backend has answered').toHaveLength(2);
    await waitFor(() => expect(asked(host, 'gap_dismiss')).toEqual([{ id: 'gap_books', is_dismissed: true }]));
    await press('u');
    await waitFor(() => expect(asked(host, 'gap_dismiss').at(-1)).toEqual({ id: 'gap_books', is_dismissed: false }));
    await waitFor(() => expect(rows()).toHaveLength(3));
    await waitFor(() => expect(need()).toBe('Remember which books I have read'));
  });

  test('a refused dismissal brings it back and says why', async () => {
    const host = await open();
    host.failNext('gap_dismiss', new RpcError('internal', 'The disk is busy.'));
    await press('r');
    await screen.findByText('The disk is busy.');
    expect(rows()).toHaveLength(3);
  });

  test('boxes are read whenever the window is turned to', async () => {
    const host = await open();
    await press('a');
    fireEvent.click(screen.getByTestId('gaps-tasks'));
    await waitFor(() => expect(rows()).toHaveLength(1));
    expect(screen.getByTestId('gap-task').textContent).toContain('To do: its box is unchecked.');
    expect(screen.queryByTestId('btn-gap-confirm'), 'nothing to decide').toBeNull();
    const before = (await host.rpc('gaps_list', {})) as GapsResponse;
    host.answer('gaps_list', () => ({ ...before, items: before.items.map((gap) => (gap.id === 'gap_books' ? { ...gap, status: 'resolved', resolved: Date.UTC(2026, 10, 19), task: { id: 'task', status: 'resolved', file: FILE } } : gap)) }));
    fireEvent(window, new Event('focus'));
    await waitFor(() => expect(rows()).toHaveLength(0));
    fireEvent.click(screen.getByTestId('gaps-done'));
    await waitFor(() => expect(screen.getByTestId('gap-task').textContent).toContain(`Done: its box was found checked on ${day(Date.UTC(2026, 10, 19))}.`));
  });

  test('with nothing to decide it says what would stand there; a failure says what is safe', async () => {
    setUiState('people.tab', 'gaps');
    const host = await renderApp('people', { firstRun: true });
    await screen.findByText('Nothing to decide');
    host.answer('gaps_list', () => {
      throw new RpcError('internal', 'The disk is busy.');
    });
    expect(await violations()).toEqual([]);
  });

  test('every key has a button, and the tab counts what is to be decided', async () => {
    await open();
    for (const [id, key] of [['btn-gap-confirm', 'a'], ['btn-gap-dismiss', 'r']] as const) expect(screen.getByTestId(id).getAttribute('aria-keyshortcuts')).toContain(key);
    expect(screen.getByTestId('people-tab-gaps').textContent).toContain('3');
    fireEvent.click(screen.getByText('Read my training calendar'));
    fireEvent.click(await within(screen.getByRole('main')).findByRole('button', { name: 'You' }));
    expect(nav.get().target).toMatchObject({ person: 'ent_Robin Hale' });
  });
});

test.each([
  ['/home/you/notes/tasks.md', true],
  ['C:\\Users\\you\\tasks.markdown', true],
  ['tasks.md', false],
  ['/home/you/notes', false],
  ['/home/you/.md', false],
  ['/home/you/tasks.md ', true],
])('a path for tasks: %j', (path, expected) => expect(isTasksPath(path)).toBe(expected));

test.each([['/a/b/c.md', 'c.md'], ['C:\\a\\b.md', 'b.md'], ['c.md', 'c.md']])('the file of %s', (path, expected) => expect(fileName(path)).toBe(expected));

test('a need begins like a heading', () => expect(needWords({ need: ' export my notes ' })).toBe('Export my notes'));
