import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ModelSettingsView, ModelsView } from '../../api';
import { RpcError } from '../../platform';
import type { FakeOptions, FakePlatform } from '../../platform/fake';
import { nav } from '../../state/nav';
import { getUiState, setUiState } from '../../state/uiState';
import { renderApp, violations } from '../../test/render';
import { addressProblem, isThisComputer, presetOf, profileOf } from './models';

const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload);
const written = (host: FakePlatform) => asked(host, 'models_set') as ModelSettingsView[];
const show = async (options: FakeOptions = {}) => {
  const host = await renderApp('settings', options);
  await screen.findByTestId('model-chosen');
  return host;
};
/** Starts the application with a changed answer to `models_get`. */
const showWith = async (options: FakeOptions, change: (view: ModelsView) => ModelsView) => {
  setUiState('settings.tab', 'general');
  const host = await renderApp('settings', options);
  const view = change((await host.rpc('models_get', {})) as ModelsView);
  host.answer('models_get', () => view);
  host.emit({ type: 'changed', tags: ['settings'] });
  fireEvent.click(await screen.findByTestId('settings-models'));
  await screen.findByTestId('model-chosen');
  return host;
};
const radio = (engine: string) => screen.getByTestId(`engine-${engine}`) as HTMLInputElement;
const openOther = () => fireEvent.click(within(screen.getByTestId('other-server')).getByText('Another server'));
const type = (id: string, value: string) => fireEvent.change(screen.getByTestId(id), { target: { value } });

beforeEach(() => setUiState('settings.tab', 'models'));

describe('who proposes', () => {
  test('without a model only the built-in engine can, and it says what is missing', async () => {
    await show();
    expect([radio('built_in').checked, radio('model').disabled, radio('both').disabled]).toEqual([true, true, true]);
    expect(screen.getAllByText(/Choose a model below first/)).toHaveLength(2);
  });

  test('with a model it is one click, written whole', async () => {
    const host = await show({ models: 'local' });
    fireEvent.click(radio('model'));
    expect(radio('model').checked, 'at once').toBe(true);
    await waitFor(() => expect(written(host)[0]).toMatchObject({ engines: 'model', this_computer_only: true, pause_on_battery: true }));
    expect(screen.queryByText(/Choose a model below first/)).toBeNull();
  });

  test('a failure brings the old choice back and says so in its place', async () => {
    const host = await show({ models: 'local' });
    host.failNext('models_set', new RpcError('internal', 'The disk is full.'));
    fireEvent.click(radio('built_in'));
    const problem = await screen.findByText('The disk is full.');
    expect(radio('both').checked).toBe(true);
    expect(problem.closest('section')?.getAttribute('aria-label')).toBe('Memory engine');
  });

  test('a failure takes back its own choice and no other', async () => {
    const host = await show({ models: 'local', latency_ms: 20 });
    host.failNext('models_set', new RpcError('internal', 'The disk is full.'));
    fireEvent.click(radio('built_in'));
    fireEvent.click(screen.getByTestId('pause-on-battery'));
    await screen.findByText('The disk is full.');
    expect(radio('both').checked, 'the failed one is back').toBe(true);
    expect(screen.getByTestId('pause-on-battery').getAttribute('aria-checked'), 'the other stays').toBe('false');
  });
});

describe('models on this computer', () => {
  test('are looked for only when asked, and chosen with one click', async () => {
    const host = await show();
    expect(asked(host, 'models_detect')).toEqual([]);
    fireEvent.click(screen.getByTestId('btn-models-find'));
    const [ollama, studio] = await screen.findAllByTestId('found-server');
    expect(ollama?.textContent).toContain('http://127.0.0.1:11434');
    expect(studio?.textContent, 'running without a model is a state of its own').toContain('LM Studio is running but has no model');
    fireEvent.click(screen.getByRole('button', { name: 'Use qwen2.5:7b' }));
    await within(screen.getByTestId('model-chosen')).findByText('qwen2.5:7b');
    expect(written(host)[0]).toMatchObject({ provider: { shape: 'ollama', url: 'http://127.0.0.1:11434', model: 'qwen2.5:7b' }, engines: 'built_in' });
    fireEvent.click(await screen.findByRole('button', { name: 'Use both engines' }));
    await waitFor(() => expect(written(host)[1]).toMatchObject({ engines: 'both', provider: { model: 'qwen2.5:7b' } }));
  });

  test('when none answers it says what to start', async () => {
    const host = await show();
    host.answer('models_detect', () => ({ items: [] }));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    fireEvent.click(screen.getByTestId('btn-models-find'));
    await screen.findByText('No model server found on this computer');
    expect(screen.getByText(/install Ollama from ollama\.com and start it\. It appears here within seconds.*LM Studio, llama\.cpp and Jan/)).toBeDefined();
    // A server that is started in the meantime is found without another click.
    host.answer('models_detect', () => ({ items: [{ name: 'Ollama', shape: 'ollama', url: 'http://127.0.0.1:11434', version: '0.12.3', state: 'ready', models: ['qwen3:4b'] }] }));
    vi.advanceTimersByTime(5_000);
    expect(await screen.findByRole('button', { name: 'Use qwen3:4b' })).toBeDefined();
  });

  test('a search that fails can be repeated', async () => {
    const host = await show();
    host.failNext('models_detect', new RpcError('internal', 'No free handles.'));
    fireEvent.click(screen.getByTestId('btn-models-find'));
    await screen.findByText(/No free handles/);
    fireEvent.click(screen.getByTestId('btn-models-find'));
    expect(await screen.findAllByTestId('found-server')).toHaveLength(2);
  });
});

describe('another server', () => {
  test('an address elsewhere is refused while the switch is on, before anything is asked', async () => {
    const host = await show();
    openOther();
    type('other-address', 'https://example.invalid/v1');
    await screen.findByText(/example\.invalid is another computer/);
    type('other-model', 'large-instruct');
    expect((screen.getByTestId('btn-other-use') as HTMLButtonElement).disabled).toBe(true);
    fireEvent.submit(screen.getByTestId('other-address'));
    expect([written(host), asked(host, 'models_of')]).toEqual([[], []]);
  });

  test('what the backend refuses is said there and not kept', async () => {
    const host = await show();
    openOther();
    type('other-address', 'http://127.0.0.1:9999');
    type('other-model', 'mine');
    host.failNext('models_set', new RpcError('refused', 'There is no such model.'));
    fireEvent.click(screen.getByTestId('btn-other-use'));
    const problem = await screen.findByText('There is no such model.');
    expect(screen.getByTestId('other-server').contains(problem)).toBe(true);
    expect(screen.getByTestId('model-chosen').textContent).toContain('No model chosen');
  });

  test('its models are listed, the typed key is stored first and leaves the page', async () => {
    const host = await show({ models: 'remote' });
    openOther();
    fireEvent.click(within(screen.getByTestId('other-server')).getByRole('radio', { name: 'OpenAI-compatible' }));
    type('other-address', 'https://example.invalid/v1');
    type('other-key', 'sk-secret');
    fireEvent.click(screen.getByTestId('btn-other-list'));
    await screen.findByText('2 models on this server');
    expect(asked(host, 'model_key_set')).toEqual([{ provider: { shape: 'openai', url: 'https://example.invalid/v1', model: '' }, key: 'sk-secret' }]);
    const commands = host.calls.map((each) => each.cmd);
    expect(commands.indexOf('model_key_set')).toBeLessThan(commands.indexOf('models_of'));
    expect((screen.getByTestId('other-key') as HTMLInputElement).value).toBe('');
    fireEvent.click(screen.getByRole('button', { name: 'Use small-instruct' }));
    await within(screen.getByTestId('model-chosen')).findByText('small-instruct');
    expect(within(screen.getByTestId('model-chosen')).getByText('Another computer')).toBeDefined();
  });
});

describe('the key', () => {
  test('is shown as stored, never itself; it can be replaced and forgotten', async () => {
    const host = await show({ models: 'remote' });
    await screen.findByText('A key is saved');
    expect(screen.getAllByText(/Saved in your system’s keyring/).length).toBeGreaterThan(0);
    fireEvent.click(screen.getByRole('button', { name: 'Replace' }));
    const field = screen.getByTestId('model-key') as HTMLInputElement;
    expect([field.type, field.value]).toEqual(['password', '']);
    type('model-key', '  sk-new ');
    fireEvent.click(screen.getByTestId('btn-key-save'));
    await screen.findByText('Key saved in your system’s keyring');
    fireEvent.click(await screen.findByTestId('btn-key-forget'));
    await screen.findByText('No key is saved');
    expect(asked(host, 'model_key_set')).toMatchObject([{ key: 'sk-new' }, { key: null }]);
  });

  test('without a keyring it says until when it is kept, and why', async () => {
    await showWith({ models: 'remote' }, (view) => ({ ...view, key_store: 'session', key_store_problem: 'No keyring answers on this desktop.' }));
    expect((await screen.findAllByText(/Kept only until Keepsake closes\. No keyring answers/)).length).toBeGreaterThan(0);
  });
});

describe('this computer only', () => {
  test('is on; turning it off is asked first and says what may leave', async () => {
    const host = await show({ models: 'local' });
    fireEvent.click(screen.getByTestId('this-computer-only'));
    const dialog = await screen.findByTestId('allow-dialog');
    expect(dialog.textContent).toContain('conversations not used for memory');
    expect(written(host), 'nothing yet').toEqual([]);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Keep it here' }));
    await waitFor(() => expect(screen.queryByTestId('allow-dialog')).toBeNull());
    expect(screen.getByTestId('this-computer-only').getAttribute('aria-checked')).toBe('true');
    fireEvent.click(screen.getByTestId('this-computer-only'));
    fireEvent.click(await screen.findByTestId('btn-allow'));
    await waitFor(() => expect(written(host)).toMatchObject([{ this_computer_only: false }]));
  });

  test('turning it on asks nothing, and a model elsewhere is not asked any more', async () => {
    const host = await show({ models: 'remote' });
    fireEvent.click(screen.getByTestId('this-computer-only'));
    await waitFor(() => expect(written(host)).toMatchObject([{ this_computer_only: true }]));
    expect(screen.getByText(/is on, so it is not used/)).toBeDefined();
    expect((within(screen.getByTestId('model-chosen')).getByTestId('btn-model-test') as HTMLButtonElement).disabled).toBe(true);
  });

  test('the promise in About says what holds', async () => {
    setUiState('settings.tab', 'general');
    await renderApp('settings', { models: 'remote' });
    await screen.findByText(/Only what you allowed in Models is sent/);
    expect(screen.queryByText(/Nothing is sent anywhere/)).toBeNull();
  });
});

describe('downloading a model', () => {
  const empty = { name: 'Ollama', shape: 'ollama', url: 'http://127.0.0.1:11434', version: '0.12.3', state: 'no_model', models: [] };

  test('an Ollama without a model offers some, with size and licence, and shows how far it is', async () => {
    const host = await show({ models: 'none' });
    host.answer('models_detect', () => ({ items: [empty] }));
    fireEvent.click(screen.getByTestId('btn-models-find'));
    const offer = await screen.findByRole('list', { name: 'Models to download' });
    expect(offer.textContent).toContain('qwen3:4b2.5 GB, Apache 2.0 license, for a computer with 8 GB of memory');
    expect(asked(host, 'model_pull'), 'nothing is downloaded unasked').toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Download qwen3:4b' }));
    const running = await screen.findByRole('progressbar', { name: 'Downloading qwen3:4b' });
    expect(running.getAttribute('aria-valuenow')).toBe('400000000');
    expect(asked(host, 'model_pull').at(-1)).toEqual({ url: empty.url, model: 'qwen3:4b' });
    fireEvent.click(screen.getByTestId('btn-model-pull-stop'));
    await screen.findByRole('button', { name: 'Download qwen3:4b' });
  });

  test('why a download failed is said', async () => {
    const host = await show({ models: 'none' });
    host.answer('models_detect', () => ({ items: [empty] }));
    host.answer('model_pull_state', () => ({ model: 'qwen3:4b', done: 1, total: 2, is_over: true, problem: 'There is no room on the disk.' }));
    fireEvent.click(screen.getByTestId('btn-models-find'));
    expect(await screen.findByText('There is no room on the disk.')).toBeDefined();
  });
});

describe('trying a model', () => {
  const start = () => fireEvent.click(within(screen.getByTestId('model-chosen')).getByTestId('btn-model-test'));

  test('shows what was sent and what came back, in full', async () => {
    const host = await show({ models: 'local' });
    start();
    await screen.findByText('The reply is usable');
    const result = screen.getByTestId('model-test-result');
    for (const words of ['2.4 s, 312 tokens', 'I moved to Lisbon in spring', '"category":"personal_info"']) expect(result.textContent).toContain(words);
    expect(asked(host, 'model_test')).toHaveLength(1);
  });

  test('says what it is good for', async () => {
    const host = await show({ models: 'local' });
    start();
    fireEvent.click(await screen.findByTestId('btn-model-rate'));
    const rating = await screen.findByRole('list', { name: 'Suitable tasks for this model' });
    for (const words of ['Good at finding facts. 8 of 9 right', 'Not suitable for checking. Choose another model for that. 2 of 6 right, 3 wrong proposals accepted']) expect(rating.textContent).toContain(words);
    expect(asked(host, 'model_rate_stop')).toEqual([]);
  });

  test('what it is good for is stopped with one click', async () => {
    const host = await show({ models: 'local', latency_ms: 60 });
    start();
    fireEvent.click(await screen.findByTestId('btn-model-rate'));
    fireEvent.click(screen.getByTestId('btn-model-rate-stop'));
    expect(screen.getByTestId('btn-model-rate')).toBeDefined();
    await waitFor(() => expect(asked(host, 'model_rate_stop')).toHaveLength(1));
    expect(screen.queryByRole('list', { name: 'Suitable tasks for this model' })).toBeNull();
  });

  test('does not block the page while it runs', async () => {
    await show({ models: 'local', latency_ms: 60 });
    start();
    expect(screen.getByRole('progressbar', { name: 'Testing llama3.2:3b' })).toBeDefined();
    fireEvent.click(screen.getByTestId('pause-on-battery'));
    expect(screen.getByTestId('pause-on-battery').getAttribute('aria-checked')).toBe('false');
    await screen.findByText('The reply is usable');
  });

  test('an unusable answer is shown open, with what to do', async () => {
    const host = await show({ models: 'local' });
    host.answer('model_test', () => ({ sent: 'S', received: 'Sure! Here you are.', is_usable: false, problem: 'It wrapped the answer in prose; choose a larger model.', duration_ms: 900, tokens: 40 }));
    start();
    await screen.findByText('The reply is not usable');
    expect(screen.getByText('Sure! Here you are.').closest('details')?.open).toBe(true);
    expect(screen.getByText(/choose a larger model/)).toBeDefined();
  });

  test('no answer at all says what to do', async () => {
    const host = await show({ models: 'local' });
    host.failNext('model_test', new RpcError('internal', 'Cannot connect; see that the server runs.'));
    start();
    await screen.findByText('The test failed');
    expect(screen.getByText(/see that the server runs/)).toBeDefined();
  });
});

describe('budget and background', () => {
  test('the budget is a number, the meter says what is used', async () => {
    const host = await show({ models: 'remote' });
    expect(screen.getByRole('meter').getAttribute('aria-valuetext')).toMatch(/of 200,000 used today$/);
    type('model-budget', '-5');
    await screen.findByText(/Enter a whole number from 0/);
    fireEvent.blur(screen.getByTestId('model-budget'));
    expect(written(host), 'what is no number is not written').toEqual([]);
    type('model-budget', '50,000');
    fireEvent.keyDown(screen.getByTestId('model-budget'), { key: 'Enter' });
    await waitFor(() => expect(written(host)).toMatchObject([{ remote_tokens_a_day: 50_000 }]));
  });

  test('how much the model takes is asked of its server unless a number is given', async () => {
    const host = await show({ models: 'local' });
    const field = screen.getByTestId<HTMLInputElement>('model-context-tokens');
    expect([field.value, field.placeholder]).toEqual(['', 'from server']);
    type('model-context-tokens', '100');
    await screen.findByText(/Enter a whole number from 2,000/);
    fireEvent.blur(field);
    expect(written(host), 'too little is not written').toEqual([]);
    type('model-context-tokens', '4,096');
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(written(host)).toMatchObject([{ provider: { context_tokens: 4096 } }]));
    type('model-context-tokens', '');
    fireEvent.blur(screen.getByTestId('model-context-tokens'));
    await waitFor(() => expect(written(host)).toHaveLength(2));
    expect(JSON.stringify(written(host)[1])).not.toContain('context_tokens');
  });

  test('a task may have another model of the same server', async () => {
    const host = await show({ models: 'local' });
    const details = screen.getByTestId<HTMLDetailsElement>('task-models');
    expect(details.textContent).toContain('The same model does every task.');
    expect(asked(host, 'models_of'), 'the server is asked when it is opened').toEqual([]);
    details.open = true;
    fireEvent(details, new Event('toggle'));
    const judge = screen.getByTestId<HTMLSelectElement>('task-models-judge');
    await waitFor(() => expect(judge.options.length).toBeGreaterThan(1));
    const other = judge.options[1]?.value ?? '';
    fireEvent.change(judge, { target: { value: other } });
    await waitFor(() => expect(written(host)).toMatchObject([{ task_models: { judge: other, analysis: null, topics: null } }]));
    await waitFor(() => expect(details.textContent).toContain(`${other} on the same server.`));
    fireEvent.change(screen.getByTestId('task-models-judge'), { target: { value: '' } });
    await waitFor(() => expect(written(host)[1]).toMatchObject({ task_models: { judge: null } }));
  });

  test('why waiting work does not start is said, with how much waits', async () => {
    await showWith({ models: 'local' }, (view) => ({ ...view, hold: 'The computer runs on battery.', waiting: 3 }));
    const hold = await screen.findByTestId('model-hold');
    for (const words of ['Waiting jobs are on hold', 'The computer runs on battery.', '3 jobs are waiting for the model.']) expect(hold.textContent).toContain(words);
  });

  test('earlier conversations: what goes where is said before; here it is one click', async () => {
    const host = await show({ models: 'local' });
    const said = screen.getByText(/masked text of 5 conversations goes only to llama3\.2:3b on this computer/);
    await waitFor(() => expect(said.textContent, 'what it will cost').toContain('That is about 45,000 tokens, or 8 minutes at the speed of its last replies.'));
    fireEvent.click(screen.getByTestId('btn-read-earlier'));
    await screen.findByText('5 conversations are waiting for the model');
    expect(asked(host, 'models_read_all')).toHaveLength(1);
    await screen.findByText(/has read every conversation, except those not used for memory/);
  });

  test('earlier conversations to another computer are asked for once more', async () => {
    const host = await show({ models: 'remote' });
    fireEvent.click(screen.getByTestId('btn-read-earlier'));
    const confirm = await screen.findByTestId('btn-read-earlier-confirm');
    expect(asked(host, 'models_read_all')).toEqual([]);
    expect(screen.getAllByText(/on another computer \(example\.invalid\), up to 200,000 tokens a day/).length).toBe(2);
    fireEvent.click(confirm);
    await waitFor(() => expect(asked(host, 'models_read_all')).toHaveLength(1));
  });

  test('presets set the five kinds; a kind of one’s own makes it one’s own', async () => {
    const host = await show({ models: 'local' });
    const on = () => screen.getAllByTestId('profile-kind').map((each) => each.getAttribute('aria-checked') === 'true');
    expect(on()).toEqual([true, true, true, false, false]);
    fireEvent.click(screen.getByRole('radio', { name: 'Minimal' }));
    expect(on()).toEqual([true, true, false, false, false]);
    fireEvent.click(screen.getByRole('switch', { name: 'Relationships' }));
    expect(screen.getByRole('radio', { name: 'Custom' }).getAttribute('aria-checked')).toBe('true');
    await waitFor(() => expect(written(host).at(-1)?.profile).toEqual({ fact: true, project: true, experience: false, story: false, relationship: true }));
  });

  test('what left this computer is one click away', async () => {
    await show({ models: 'local' });
    fireEvent.click(screen.getByRole('button', { name: 'Show: What left this computer' }));
    expect([nav.get().panel, getUiState('activity.tab', '')]).toEqual(['activity', 'calls']);
  });
});

test('the choices that cannot be loaded say so, and can be asked for again', async () => {
  const host = await renderApp('review');
  host.failNext('models_get', new RpcError('internal', 'The disk is busy.'));
  fireEvent.click(screen.getByTestId('nav-settings'));
  await screen.findByText('The disk is busy.');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('model-chosen')).toBeDefined();
});

test.each([['light'], ['dark']] as const)('axe finds nothing in %s, with everything open', async (theme) => {
  await showWith({ models: 'remote', theme }, (view) => ({ ...view, hold: 'The computer runs on battery.', waiting: 3 }));
  openOther();
  fireEvent.click(within(screen.getByTestId('model-chosen')).getByTestId('btn-model-test'));
  await screen.findByText('The reply is usable');
  fireEvent.click(screen.getByTestId('btn-models-find'));
  await screen.findAllByTestId('found-server');
  expect(document.documentElement.dataset.theme).toBe(theme);
  expect(await violations()).toEqual([]);
}, 15_000);

test('axe finds nothing in the question before text may leave', async () => {
  await show({ models: 'local' });
  fireEvent.click(screen.getByTestId('this-computer-only'));
  await screen.findByTestId('allow-dialog');
  expect(await violations()).toEqual([]);
}, 15_000);

test.each([
  ['http://127.0.0.1:11434', true],
  ['http://127.1:80', true],
  ['https://[::1]:8080/v1', true],
  ['HTTP://LOCALHOST:1234/', true],
  ['http://0.0.0.0:11434', false],
  ['http://192.168.1.5:11434', false],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['nonsense', false],
])('%s is this computer: %s', (address, expected) => expect(isThisComputer(address)).toBe(expected));

test.each([
  ['', true, null],
  ['http://127.0.0.1:1234/v1', true, null],
  ['https://example.invalid', false, null],
  ['https://example.invalid', true, /another computer/],
  ['127.0.0.1:11434', true, /Enter the address/],
  ['ftp://127.0.0.1', true, /Enter the address/],
  ['http://127.0.0.1@example.invalid', false, /before “@”/],
  ['http://127.0.0.1?to=example', true, /Remove “\?”/],
])('the address %s (only here: %s)', (address, isOnlyHere, expected) => {
  expect(addressProblem(address, isOnlyHere) ?? '').toMatch(expected ?? /^$/);
});

test.each(['minimal', 'balanced', 'full', 'unbounded'] as const)('the preset %s is recognised', (preset) => expect(presetOf(profileOf(preset))).toBe(preset));
test('any other choice is one’s own', () => expect(presetOf({ fact: false, project: false, experience: false, story: true, relationship: false })).toBe('own'));
