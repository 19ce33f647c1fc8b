import { beforeEach, describe, expect, test } from 'vitest';
import { ACTIONS, ACTION_IDS, action, ariaKeys, isSingleKey, showKey } from './actions';
import { SEQUENCE_MS, createHotkeys, keyName } from './hotkeys';

const event = (key: string, rest: Partial<KeyboardEvent> = {}) =>
  ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, keyCode: 0, defaultPrevented: false, target: document.body, ...rest }) as KeyboardEvent;

describe('the action table', () => {
  test('gives no key two meanings where both could act', () => {
    const clashes: string[] = [];
    for (const a of ACTION_IDS)
      for (const b of ACTION_IDS) {
        if (a >= b || (action(a).scope !== action(b).scope && action(a).scope !== 'global' && action(b).scope !== 'global')) continue;
        for (const key of action(a).keys) if (action(b).keys.includes(key)) clashes.push(`${key}: ${a}, ${b}`);
      }
    expect(clashes, 'a key that two actions share does what nobody expects').toEqual([]);
  });

  test('has no key that begins a sequence of another action', () => {
    const starts = new Set(ACTION_IDS.flatMap((id) => action(id).keys.filter((key) => key.includes(' ')).map((key) => key.split(' ')[0])));
    const alone = ACTION_IDS.filter((id) => action(id).keys.some((key) => starts.has(key)));
    expect(alone, 'g waits for its second key everywhere').toEqual([]);
  });

  test('acts in text fields only with a modifier or Escape', () => {
    const wrong = ACTION_IDS.filter((id) => action(id).inInputs && action(id).keys.some((key) => isSingleKey(key)));
    expect(wrong, 'letters belong to the text').toEqual([]);
  });

  test('holds the habits that people bring', () => {
    expect(
      Object.fromEntries(['review.approve', 'review.reject', 'review.edit', 'review.merge', 'review.snooze', 'review.select', 'review.approveSelected', 'review.rejectSelected'].map((id) => [id, ACTIONS[id as keyof typeof ACTIONS].keys])),
    ).toEqual({
      'review.approve': ['a'],
      'review.reject': ['r'],
      'review.edit': ['e'],
      'review.merge': ['m'],
      'review.snooze': ['s'],
      'review.select': ['x'],
      'review.approveSelected': ['A'],
      'review.rejectSelected': ['R'],
    });
  });
});

describe('keys in words', () => {
  test.each([
    ['j', 'J'],
    ['A', '⇧A'],
    ['g ,', 'G ,'],
    ['Mod+z', 'Ctrl Z'],
    ['Mod+Enter', 'Ctrl ↵'],
    ['Shift+ArrowDown', '⇧↓'],
    ['?', '?'],
  ])('%s is shown as %s', (key, shown) => expect(showKey(key, false)).toBe(shown));

  test.each([
    [['a'], 'a'],
    [['A'], 'Shift+A'],
    [['u', 'Mod+z'], 'u Control+z'],
    [['g r'], undefined],
  ])('%j is announced as %s', (keys, said) => expect(ariaKeys(keys)).toBe(said));

  test.each([
    [event('j'), 'j'],
    [event('A', { shiftKey: true }), 'A'],
    [event('Z', { ctrlKey: true }), 'Mod+z'],
    [event('Z', { metaKey: true, shiftKey: true }), 'Mod+Shift+z'],
    [event('ArrowDown', { shiftKey: true }), 'Shift+ArrowDown'],
    [event('Shift', { shiftKey: true }), null],
    [event('å', { altKey: true }), null],
  ])('an event is named', (given, name) => expect(keyName(given)).toBe(name));
});

describe('the dispatcher', () => {
  let now = 0;
  let done: string[] = [];
  let keys = createHotkeys(() => now);
  const input = document.createElement('input');
  const button = document.createElement('button');

  beforeEach(() => {
    now = 0;
    done = [];
    keys = createHotkeys(() => now);
    keys.setScope('review');
    keys.setContext({ cursor: true, selection: false });
    for (const id of ['review.approve', 'review.approveSelected', 'review.source', 'review.next', 'memories.edit', 'go.memories', 'app.undo', 'editor.save'] as const) keys.register(id, () => void done.push(id));
  });

  const check = (events: KeyboardEvent[], expected: string[], why: string) => {
    for (const each of events) keys.press(each);
    expect(done, why).toEqual(expected);
  };

  test('runs the action of the panel in view', () => check([event('a')], ['review.approve'], 'a approves in Review'));
  test('leaves the other panels alone', () => check([event('e')], [], 'e belongs to Memories here'));
  test('runs what works everywhere', () => check([event('u'), event('z', { ctrlKey: true })], ['app.undo', 'app.undo'], 'undo has two keys'));
  test('never acts while text is typed', () => check([event('a', { target: input }), event('u', { target: input })], [], 'letters belong to the field'));
  test('leaves undo of text to the field', () => check([event('z', { ctrlKey: true, target: input })], [], 'Ctrl+Z undoes typing there'));
  test('saves from within the field', () => check([event('Enter', { ctrlKey: true, target: input })], ['editor.save'], 'Ctrl+Enter keeps the wording'));
  test('never acts during composition', () => check([event('a', { isComposing: true }), event('a', { keyCode: 229 })], [], 'the input method owns the keys'));
  test('leaves Enter to a focused button', () => check([event('Enter', { target: button })], [], 'Enter presses the button'));
  test('needs a selection where the table says so', () => {
    check([event('A', { shiftKey: true })], [], 'nothing is selected');
    keys.setContext({ selection: true });
    check([event('A', { shiftKey: true })], ['review.approveSelected'], 'now something is');
  });
  test('understands g, then m', () => check([event('g'), event('m')], ['go.memories'], 'a sequence goes to a panel'));
  test('forgets a sequence after a while', () => {
    keys.press(event('g'));
    now = SEQUENCE_MS + 1;
    check([event('m')], [], 'g was long ago');
  });
  test('takes the second key of a sequence before its own meaning', () => {
    keys.register('go.activity', () => void done.push('go.activity'));
    check([event('g'), event('a')], ['go.activity'], 'g a goes to Activity and approves nothing');
  });
  test('keeps single keys still when they are switched off', () => {
    keys.setSingleKeys(false);
    check([event('a'), event('g'), event('m'), event('ArrowDown'), event('z', { ctrlKey: true })], ['review.next', 'app.undo'], 'arrows and Ctrl+Z remain');
  });
  test('stays out of menus and dialogs', () => {
    const menu = document.createElement('div');
    menu.setAttribute('role', 'menu');
    check([event('a', { target: menu })], [], 'the menu has its own keys');
  });
  test('forgets an action whose component is gone', () => {
    const stop = keys.register('review.reject', () => void done.push('review.reject'));
    stop();
    check([event('r')], [], 'nobody answers');
  });
});
