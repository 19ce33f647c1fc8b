import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ImportChannelView } from '../../api';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { waitingFiles } from '../../state/host';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';
import { startedJobs } from './files';
import { type ChannelChoices, type Visibility, channelsToSend, forgetChannelChoices, matchingChannels, visibilityOf } from './importChannels';

const channel = (id: string, change: Partial<ImportChannelView> = {}): ImportChannelView => ({ channel_type: 'slack', channel_id: id, title: `#${id}`, conversations: 1, messages: 3, people: 1, names: ['Ana'], is_known: false, visibility: 'private', ...change });
const choices = (channels: Record<string, Visibility>, others?: Visibility): ChannelChoices => ({ channels: new Map(Object.entries(channels)), others: new Map(others === undefined ? [] : [['t', others]]) });
const chosen = (id: string, visibility: Visibility) => ({ channel_type: 'slack', channel_id: id, visibility });

test.each<[string, ImportChannelView[], ChannelChoices, string[], object]>([
  ['nothing chosen: private, and nothing is sent', [channel('a')], choices({}), ['private'], {}],
  ['one opened', [channel('a'), channel('b')], choices({ 'slack:a': 'public' }), ['public', 'private'], { channels: [chosen('a', 'public')] }],
  ['opened and closed again', [channel('a')], choices({ 'slack:a': 'private' }), ['private'], {}],
  ['what a file says is public can be closed', [channel('a', { visibility: 'public' })], choices({ 'slack:a': 'private' }), ['private'], { channels: [chosen('a', 'private')] }],
  ['what a file says of its conversations stays', [channel('a', { visibility: 'mixed' })], choices({}), ['mixed'], {}],
  ['all opened, one of them closed again', [channel('a'), channel('b')], choices({ 'slack:a': 'public', 'slack:b': 'private' }, 'public'), ['public', 'private'], { channels: [chosen('b', 'private')], other_channels: 'public' }],
  ['a known channel stays, whatever was chosen', [channel('a', { is_known: true, visibility: 'public' })], choices({ 'slack:a': 'private' }, 'private'), ['public'], { other_channels: 'private' }],
])('%s', (_, channels, made, visible, sent) => {
  expect(channels.map((each) => visibilityOf(each, 't', made))).toEqual(visible);
  expect(channelsToSend({ channels }, 't', made)).toEqual(sent);
});

test('a filter finds a channel by its title, its id and its people', () => {
  const all = [channel('C1', { title: 'general', names: ['Ana'] }), channel('C2', { title: 'board', names: ['Béa'] })];
  const found = (text: string) => matchingChannels(all, text).map((each) => each.channel_id);
  expect([found(' Gen'), found('c2'), found('béa'), found(''), found('zoo')]).toEqual([['C1'], ['C2'], ['C2'], ['C1', 'C2'], []]);
});

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload as Record<string, unknown>);
const card = () => screen.getByTestId('source-file');
const rows = () => within(card()).queryAllByTestId('source-channel');
const row = (key: string) => {
  const found = rows().find((each) => each.dataset.channel === key);
  if (!found) throw new Error(`no channel ${key}`);
  return found;
};
const drop = async (name: string, options: FakeOptions = {}) => {
  const host = await renderApp('sources', { pace_ms: 10, ...options });
  act(() => host.emit({ type: 'files_dropped', files: [{ token: `file:${name}`, name, size: 10 }] }));
  await screen.findByTestId('source-channels');
  return host;
};
const start = async (host: FakePlatform) => {
  await waitFor(() => expect(screen.getByTestId('btn-import')).toHaveProperty('disabled', false));
  fireEvent.click(screen.getByTestId('btn-import'));
  await waitFor(() => expect(asked(host, 'import_start')).toHaveLength(1));
  return asked(host, 'import_start')[0];
};

beforeEach(() => {
  waitingFiles.set([]);
  startedJobs.set([]);
  forgetChannelChoices();
});

describe('the card of a file', () => {
  test('a short list is open, says what is already known, and sends nothing that was not chosen', async () => {
    const host = await drop('conversations.zip');
    const list = screen.getByTestId('source-channels');
    expect(list.hasAttribute('open')).toBe(true);
    expect(list.textContent).toContain('Who may see it: 1 known channel, unchanged');
    expect(row('chatgpt:chatgpt').textContent).toContain('Already known, unchanged');
    expect(within(card()).queryByRole('combobox'), 'a known channel offers no choice').toBeNull();
    expect(await start(host)).not.toHaveProperty('channels');
  });

  test('a new channel is private until the person chooses, and the choice is sent', async () => {
    const host = await drop('WhatsApp Chat with Noor.txt');
    const select = screen.getByRole('combobox', { name: 'Who may see Noor Aziz' });
    expect(select).toHaveProperty('value', 'private');
    expect(await violations()).toEqual([]);
    fireEvent.change(select, { target: { value: 'public' } });
    expect(screen.getByTestId('source-channels').textContent).toContain('Who may see it: 1 new channel, public');
    fireEvent.click(within(card()).getByRole('button', { name: /^Robin/ }));
    fireEvent.click(within(card()).getByRole('button', { name: 'Day first' }));
    expect(await start(host)).toMatchObject({ channels: [{ channel_type: 'whatsapp', channel_id: 'Noor Aziz', visibility: 'public' }] });
  });

  test('many channels are closed, filtered, shown in parts, and set with one control', async () => {
    const host = await drop('slack.zip');
    const list = screen.getByTestId('source-channels');
    expect(list.hasAttribute('open')).toBe(false);
    expect(list.textContent).toContain('180 new channels, all private; 2 known channels, unchanged');
    act(() => list.setAttribute('open', ''));
    expect(rows()).toHaveLength(50);
    fireEvent.click(screen.getByTestId('btn-source-channels-more'));
    expect(rows()).toHaveLength(100);
    const all = (visibility: string) => {
      const button = screen.getAllByTestId('btn-source-channels-all').find((each) => each.dataset.visibility === visibility);
      if (!button) throw new Error(`no button ${visibility}`);
      fireEvent.click(button);
    };
    all('public');
    expect(list.textContent).toContain('180 new channels, all public');
    fireEvent.change(screen.getByTestId('source-channels-search'), { target: { value: 'project-17' } });
    expect(rows()).toHaveLength(11);
    expect(screen.getAllByTestId('btn-source-channels-all').map((each) => each.textContent)).toEqual(['The 11 shown: private', 'The 11 shown: public']);
    all('private');
    expect(list.textContent).toContain('180 new channels, 169 public');
    expect(await violations()).toEqual([]);
    fireEvent.change(screen.getByTestId('source-channels-search'), { target: { value: 'nowhere' } });
    expect(list.textContent).toContain('No channel matches.');
    const sent = await start(host);
    expect(sent).toMatchObject({ other_channels: 'public', channels: Array.from({ length: 11 }, () => ({ channel_type: 'slack', visibility: 'private' })) });
  });

  test('a known channel is shown as it is', async () => {
    await drop('slack.zip');
    fireEvent.change(screen.getByTestId('source-channels-search'), { target: { value: 'announcements' } });
    expect(row('slack:C900').dataset.visibility).toBe('public');
    expect(within(row('slack:C900')).queryByRole('combobox')).toBeNull();
    expect(screen.queryByTestId('btn-source-channels-all'), 'there is nothing to choose for all').toBeNull();
  });

  test.each([['light'], ['dark']] as const)('axe finds nothing in %s', async (theme) => {
    await drop('slack.zip', { theme });
    act(() => screen.getByTestId('source-channels').setAttribute('open', ''));
    fireEvent.change(screen.getByTestId('source-channels-search'), { target: { value: 'project-17' } });
    expect(await violations()).toEqual([]);
  });
});
