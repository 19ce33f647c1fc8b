import { describe, expect, test } from 'vitest';
import { EMPTY_LIST, type ListState, afterChange, beforeLeaving, concerned, extendTo, keepCursor, stepFrom, toggleSelected } from './list';

const split = (text: string) => text.split('').filter((each) => each !== ' ');

describe('the cursor keeps to identity', () => {
  test.each([
    ['its row stays', 'a b c', 'a b c', 'b', 'b'],
    ['its row moved', 'a b c', 'c b a', 'c', 'c'],
    ['its row left: the next one', 'a b c', 'a c', 'b', 'c'],
    ['it and the next left: the one after', 'a b c d', 'a d', 'b', 'd'],
    ['the last row left: the one before', 'a b c', 'a b', 'c', 'b'],
    ['all left', 'a b', '', 'a', null],
    ['there was none', '', 'a b', null, 'a'],
    ['new rows came before it', 'b', 'a b', 'b', 'b'],
    ['it was never there', 'a', 'x y', 'q', 'x'],
  ])('%s', (_, before, after, cursor, expected) => expect(keepCursor(split(before), split(after), cursor)).toBe(expected));

  test.each([
    ['the next one', 'a b c', 'b', 'b', 'c'],
    ['past others that leave', 'a b c d', 'b c', 'b', 'd'],
    ['the last leaves', 'a b c', 'c', 'c', 'b'],
    ['the last few leave', 'a b c d', 'c d', 'd', 'b'],
    ['another leaves', 'a b c', 'a', 'b', 'b'],
    ['all leave', 'a b', 'a b', 'a', null],
  ])('before rows leave: %s', (_, ids, leaving, cursor, expected) => {
    const all = split(ids);
    const gone = split(leaving);
    const moved = beforeLeaving({ ...EMPTY_LIST, cursor }, all, gone);
    expect(moved.cursor).toBe(expected);
    const after = afterChange(moved, all, all.filter((id) => !gone.includes(id)));
    expect(after, 'nothing is left to be drawn again when they have').toBe(moved);
  });

  test.each([
    ['down', 'a', 1, 'b'],
    ['up at the top', 'a', -1, 'a'],
    ['down at the end', 'c', 1, 'c'],
    ['from nowhere down', null, 1, 'a'],
    ['from nowhere up', null, -1, 'c'],
  ])('stepping %s', (_, cursor, step, expected) => expect(stepFrom(['a', 'b', 'c'], cursor, step)).toBe(expected));
});

describe('the selection', () => {
  const state = (change: Partial<ListState>): ListState => ({ ...EMPTY_LIST, ...change });
  test('a range grows from where it began', () => {
    const ids = split('a b c d e');
    const started = toggleSelected(state({ cursor: 'b' }), 'b');
    const grown = extendTo(extendTo(started, ids, 'c'), ids, 'd');
    expect([...grown.selected]).toEqual(['b', 'c', 'd']);
    expect(grown.cursor).toBe('d');
  });
  test('toggling twice selects nothing', () => expect(toggleSelected(toggleSelected(EMPTY_LIST, 'a'), 'a').selected.size).toBe(0));
  test('rows that left are no longer selected', () => expect([...afterChange(state({ cursor: 'a', selected: new Set(['a', 'b']) }), ['a', 'b'], ['b']).selected]).toEqual(['b']));
  test('a change that concerns nothing keeps the state', () => {
    const same = state({ cursor: 'a', selected: new Set(['a']) });
    expect(afterChange(same, ['a', 'b'], ['a']), 'nobody is drawn again').toBe(same);
  });
  test('actions concern the selection, or else the cursor', () => {
    expect(concerned(state({ cursor: 'a' }))).toEqual(['a']);
    expect(concerned(state({ cursor: 'a', selected: new Set(['b']) }))).toEqual(['b']);
    expect(concerned(EMPTY_LIST)).toEqual([]);
  });
});
