/**
 * Tests a second key press or click before the backend has answered the first and before any list was refetched. It must act on
 * the state after the first decision, not on the data last fetched. One case for each panel with decisions about rows.
 */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { PersonDetail } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import type { PanelId } from '../../state/nav';
import { setUiState } from '../../state/uiState';
import { press, renderApp } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../people';
import '../playbooks';
import '../privacy';
import '../reflection';
import '../sessions';
import '../topics';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const row = (testId: string, words: string) => screen.getAllByTestId(testId).find((each) => each.textContent?.includes(words)) as HTMLElement;
const click = (element: HTMLElement) => fireEvent.click(element);

/** A host that answers nothing between `stop` and `go`. */
async function held(panel: PanelId) {
  let gate: Promise<void> | undefined;
  let open = () => undefined as void;
  const host = await renderApp(panel, { hold: () => gate });
  return {
    host,
    stop: () => {
      gate = new Promise<void>((resolve) => {
        open = resolve;
      });
    },
    go: () => {
      gate = undefined;
      open();
    },
  };
}

interface Case {
  panel: PanelId;
  state?: readonly (readonly [string, unknown])[];
  ready: (host: FakePlatform) => Promise<unknown>;
  /** Two actions in a row, with no answer between them. */
  twice: () => Promise<unknown>;
  cmd: string;
  expected: unknown;
}

const CASES: Record<string, Case> = {
  'a playbook is parked and approved again': {
    panel: 'playbooks',
    ready: async () => {
      click(await screen.findByTestId('playbooks-approved'));
      await waitFor(() => expect(screen.getByTestId('playbook-title').textContent).toContain('kubectl apply'));
      click(screen.getByTestId('playbooks-all'));
      await waitFor(() => expect(screen.getAllByTestId('playbook-row')).toHaveLength(3));
    },
    twice: () => press('s', 'a'),
    cmd: 'playbook_decide',
    expected: [{ id: 'pbk_deploy', status: 'parked', version: 2 }, { id: 'pbk_deploy', status: 'approved', version: 2 }],
  },
  'two proposals are parked, not one twice': {
    panel: 'reflection',
    ready: () => screen.findAllByTestId('reflection-row'),
    twice: () => press('s', 's'),
    cmd: 'reflections_decide',
    expected: [{ ids: [expect.stringMatching(/./)], status: 'parked' }, { ids: [expect.stringMatching(/./)], status: 'parked' }],
  },
  'a topic is pinned and unpinned': {
    panel: 'topics',
    ready: () => screen.findAllByTestId('topic-row'),
    twice: () => press('p', 'p'),
    cmd: 'topic_decide',
    expected: [expect.objectContaining({ act: { kind: 'pin' } }), expect.objectContaining({ act: { kind: 'unpin' } })],
  },
  'a gap becomes a task once': {
    panel: 'people',
    state: [['people.tab', 'gaps']],
    ready: () => screen.findAllByTestId('gap-row'),
    // There is no tasks file for the next gap, so the person is asked for one.
    twice: async () => {
      await press('a', 'a');
      await screen.findByTestId('tasks-dialog');
    },
    cmd: 'gap_confirm',
    expected: [{ id: 'gap_books', file: null }],
  },
  'what is known of somebody may be told anywhere, and then not': {
    panel: 'people',
    ready: async (host) => {
      const rows = await screen.findAllByTestId('person-row');
      const detail = (await host.rpc('person_get', { id: 'ent_Priya Nair' })) as PersonDetail;
      host.answer('person_get', () => ({ ...detail, profile: detail.profile.map((each) => ({ ...each, version: { ...each.version, visibility: 'private' } })) }));
      click(rows.find((each) => each.textContent?.includes('Priya Nair') && each.textContent.includes('Meeting')) as HTMLElement);
      await screen.findByText('Prefers short answers');
      click(within(row('profile-entry', 'Prefers short answers')).getByTestId('profile-toggle'));
    },
    twice: async () => {
      for (const _ of [1, 2]) click(screen.getByTestId('profile-share'));
    },
    cmd: 'profile_share',
    expected: [expect.objectContaining({ is_shared: true }), expect.objectContaining({ is_shared: false })],
  },
  'an agent is to remember nothing, and then to remember': {
    panel: 'sessions',
    state: [['sessions.tab', 'agents']],
    ready: () => screen.findAllByTestId('agent-card'),
    twice: async () => {
      for (const _ of [1, 2]) click(within(screen.getAllByTestId('agent-card')[0] as HTMLElement).getByTestId('agent-memory'));
    },
    cmd: 'agent_choose',
    expected: [expect.objectContaining({ skips_memory: true }), expect.objectContaining({ skips_memory: false })],
  },
  'an agent may be told more, and then less again': {
    panel: 'privacy',
    state: [['privacy.tab', 'agents']],
    ready: () => screen.findByTestId('agent-row'),
    twice: async () => {
      click(screen.getByTestId('agent-helpdesk-private'));
      click(screen.getByTestId('agent-helpdesk-public'));
    },
    cmd: 'agent_set',
    expected: [{ name: 'helpdesk', visibility: 'private' }, { name: 'helpdesk', visibility: 'public' }],
  },
};

beforeEach(() => {
  for (const [key, value] of [['people.tab', 'people'], ['people.part', 'about'], ['people.filters', {}], ['playbooks.filter', 'all'], ['reflection.status', 'waiting'], ['reflection.kind', 'all'], ['sessions.tab', 'sessions'], ['privacy.tab', 'channels']] as const) setUiState(key, value);
});

test.each(Object.entries(CASES))('%s', async (_, { panel, state = [], ready, twice, cmd, expected }) => {
  for (const [key, value] of state) setUiState(key, value);
  const { host, stop, go } = await held(panel);
  await ready(host);
  stop();
  await twice();
  go();
  await waitFor(() => expect(asked(host, cmd)).toEqual(expected));
  const ids = asked(host, cmd).flatMap((each) => (each as { ids?: string[] }).ids ?? []);
  expect(new Set(ids).size, 'no row twice').toBe(ids.length);
});

test('what was decided is shown at once; a refusal brings the old one back, and so does an undo', async () => {
  const { host, stop, go } = await held('playbooks');
  await screen.findAllByTestId('playbook-row');
  const shown = () => row('playbook-row', 'gh release create after').textContent;
  stop();
  host.failNext('playbook_decide', new RpcError('refused', 'The disk is full.'));
  await press('a');
  expect(shown()).toContain('Approved');
  go();
  await screen.findByText('The disk is full.');
  expect(shown()).toContain('New');
  stop();
  await press('a');
  expect(shown()).toContain('Approved');
  await press('u');
  expect(shown()).toContain('New');
  go();
  await waitFor(() => expect(asked(host, 'playbook_undo')).toHaveLength(1));
  await waitFor(() => expect(shown()).toContain('New'));
});

test('a channel is made private and public again, and one undo leaves it private', async () => {
  const { host, stop, go } = await held('privacy');
  await screen.findAllByTestId('channel-row');
  click(row('channel-row', 'Planning the kitchen move'));
  await screen.findByRole('heading', { name: 'Planning the kitchen move' });
  stop();
  for (const choice of ['private', 'public']) {
    click(screen.getByTestId(`visibility-${choice}`));
    await press('^Enter');
  }
  await press('u');
  go();
  await waitFor(() => expect(asked(host, 'visibility_set').map((each) => (each as { visibility: string }).visibility)).toEqual(['private', 'public', 'private']));
});
