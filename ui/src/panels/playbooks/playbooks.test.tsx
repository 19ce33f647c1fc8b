import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { FakePlatform } from '../../platform/fake';
import { RpcError } from '../../platform';
import { nav } from '../../state/nav';
import { press, renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const rows = () => screen.queryAllByTestId('playbook-row');
const title = () => screen.getByTestId('playbook-title').textContent;
const openPlaybooks = async () => {
  const host = await renderApp('playbooks');
  await screen.findAllByTestId('playbook-row');
  await screen.findAllByTestId('playbook-step');
  return host;
};

describe('the list', () => {
  test('a row says what it comes to, with which tools, how often and how sure', async () => {
    await openPlaybooks();
    expect(rows()).toHaveLength(3);
    for (const words of ['gh release create after', 'Edit, cargo, git, gh', '6 times', 'High confidence', 'New']) expect(rows()[0]?.textContent).toContain(words);
    expect(await violations()).toEqual([]);
  });

  test('it is narrowed to a status by key and by click, and there is a way back', async () => {
    await openPlaybooks();
    await press('t');
    await waitFor(() => expect(rows()).toHaveLength(2));
    fireEvent.click(screen.getByTestId('playbooks-rejected'));
    fireEvent.click(await screen.findByRole('button', { name: 'Show all' }));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('with nothing there it says when one appears, and a list that cannot be loaded tries again', async () => {
    const host = await renderApp('review');
    host.failNext('playbooks_list', new RpcError('internal', 'The disk is busy.'));
    await press('g', 'b');
    await screen.findByText('The disk is busy.');
    host.answer('playbooks_list', () => ({ items: [] }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });
});

describe('one playbook', () => {
  test('it says who worded it and, where a model did, when it is used and what its steps are for', async () => {
    await openPlaybooks();
    expect((await screen.findByTestId('playbook-made-by')).textContent).toContain('Described by the built-in engine');
    await press('j', 'j');
    await waitFor(() => expect(screen.getByTestId('playbook-made-by').textContent).toContain('Described by llama3.2:3b'));
    expect(screen.getByTestId('playbook-detail').textContent).toContain('When a new version of the app is deployed');
    expect(screen.getAllByTestId('playbook-step').map((each) => each.textContent)[0]).toBe('docker build -t app:{version} .Build the image of the version');
  });

  test('it shows its steps in order, what varies, and leads to every session for and against it', async () => {
    await openPlaybooks();
    expect(screen.getAllByTestId('playbook-step').map((each) => each.textContent)).toEqual([
      'Edit CHANGELOG.md Cargo.toml',
      'cargo test',
      'git tag {version}',
      'gh release create {version} --notes-file {notes_file}',
    ]);
    expect(screen.getAllByTestId('playbook-parameter')[0]?.textContent).toBe('{version}steps 3, 4; 6 values seen');
    expect(screen.getAllByTestId('playbook-session')).toHaveLength(6);
    expect(screen.getByTestId('playbook-against').textContent).toContain('A step failed');
    fireEvent.click(screen.getByTestId('playbook-against'));
    expect(nav.get()).toMatchObject({ panel: 'conversations' });
    expect(nav.get().target?.message).toBeTruthy();
  });

  test('enter opens the newest session that shows it', async () => {
    await openPlaybooks();
    await press('Enter');
    await waitFor(() => expect(nav.get().panel).toBe('conversations'));
  });

  test.each([
    ['a', 'approved', 'Approved'],
    ['r', 'rejected', 'Dismissed'],
    ['s', 'parked', 'Later'],
  ])('%s makes it %s, and one undo takes that back', async (key, status, word) => {
    const host = await openPlaybooks();
    await press(key);
    await waitFor(() => expect(asked(host, 'playbook_decide')).toEqual([{ id: 'pbk_release', status, version: 1 }]));
    await waitFor(() => expect(rows().find((each) => each.textContent?.includes('gh release create after'))?.textContent).toContain(word));
    await press('u');
    await waitFor(() => expect(asked(host, 'playbook_undo')).toEqual([{ id: 'pbd_1' }]));
    await waitFor(() => expect(rows()[0]?.textContent).toContain('New'));
  });

  test('what was rejected offers to be restored and nothing else', async () => {
    const host = await openPlaybooks();
    await press('r');
    await waitFor(() => expect(asked(host, 'playbook_decide')).toHaveLength(1));
    fireEvent.click(screen.getByTestId('playbooks-rejected'));
    await screen.findByTestId('btn-playbook-restore');
    for (const gone of ['btn-playbook-approve', 'btn-playbook-reject', 'btn-playbook-park', 'btn-playbook-export']) expect(screen.queryByTestId(gone), gone).toBeNull();
    await press('p');
    await waitFor(() => expect(asked(host, 'playbook_decide').at(-1)).toEqual({ id: 'pbk_release', status: 'candidate', version: 1 }));
    // The window remembers the last choice.
    fireEvent.click(screen.getByTestId('playbooks-all'));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  test('an approved one is written into a folder of skills, and the folder is remembered', async () => {
    const host = await openPlaybooks();
    expect(screen.queryByTestId('btn-playbook-export'), 'a candidate is not exported').toBeNull();
    fireEvent.click(screen.getByTestId('playbooks-approved'));
    await waitFor(() => expect(title()).toContain('kubectl apply'));
    await press('e');
    const dialog = await screen.findByTestId('playbook-export-dialog');
    expect((within(dialog).getByTestId('btn-playbook-export-confirm') as HTMLButtonElement).disabled).toBe(true);
    expect(await violations()).toEqual([]);
    fireEvent.change(within(dialog).getByTestId('playbook-export-folder'), { target: { value: '/home/robin/skills' } });
    fireEvent.click(within(dialog).getByTestId('btn-playbook-export-confirm'));
    await screen.findByText('Saved to /home/robin/skills/deploy/SKILL.md');
    expect(asked(host, 'playbook_export')).toEqual([{ id: 'pbk_deploy', dir: '/home/robin/skills' }]);
    await waitFor(() => expect(screen.queryByTestId('playbook-export-dialog')).toBeNull());
    await press('e');
    expect(((await screen.findByTestId('playbook-export-folder')) as HTMLInputElement).value).toBe('/home/robin/skills');
  });
});
