import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { IconButton } from './Button';
import { editableStatement, shownStatement } from './statement';
import { facetValues, toggled } from './Facets';
import { SplitPane } from './SplitPane';
import { Toasts } from './Toasts';
import { VirtualList } from './VirtualList';
import { WordDiff } from './WordDiff';
import { hideToasts, showToast } from '../state/toasts';

const rows = Array.from({ length: 10_000 }, (_, index) => `row-${index}`);
const keyOf = (index: number) => rows[index] ?? '';
const heightOf = () => 56;

function list(props: Partial<Parameters<typeof VirtualList>[0]> = {}) {
  return <VirtualList label="Rows" testId="list" rowTestId="row" count={rows.length} keyOf={keyOf} heightOf={heightOf} activeIndex={-1} render={(index) => <span>{rows[index]}</span>} {...props} />;
}

test('ten thousand rows put a screenful into the document', () => {
  render(list());
  expect(screen.getAllByTestId('row').length, '800 px of 56 px rows and a few more').toBeLessThan(40);
  expect((screen.getByTestId('list').firstElementChild as HTMLElement).style.height, 'the scroll bar is true').toBe(`${10_000 * 56 + 72}px`);
});

test('the list names the row its cursor is on, by identity', () => {
  render(list({ activeIndex: 3 }));
  const active = screen.getByRole('listbox').getAttribute('aria-activedescendant');
  expect(active).toMatch(/row-3$/);
  const row = document.getElementById(active ?? '');
  expect(row?.getAttribute('aria-selected')).toBe('true');
  expect(row?.getAttribute('aria-posinset')).toBe('4');
  expect(row?.getAttribute('aria-setsize')).toBe('10000');
});

test('headings are no choices', async () => {
  const onPick = vi.fn();
  render(list({ pattern: 'grid', isHeading: (index) => index === 0, onPick }));
  expect(screen.getAllByTestId('row')[0]?.getAttribute('data-key'), 'the heading is no row').toBe('row-1');
  await userEvent.click(screen.getByText('row-0'));
  expect(onPick).not.toHaveBeenCalled();
  await userEvent.click(screen.getByText('row-1'));
  expect(onPick).toHaveBeenCalledOnce();
});

test('a button in a row does not open the row', async () => {
  const onPick = vi.fn();
  const act = vi.fn();
  render(
    list({
      onPick,
      render: (index) =>
        index === 0 ? (
          <IconButton label="Erase" onClick={act}>
            x
          </IconButton>
        ) : (
          rows[index]
        ),
    }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Erase' }));
  expect(act).toHaveBeenCalledOnce();
  expect(onPick, 'deleting must never open the editor').not.toHaveBeenCalled();
});

test('the divider moves by keys and says where it is', async () => {
  render(<SplitPane name="test" initial={400} list={<p>list</p>} detail={<p>detail</p>} />);
  const divider = screen.getByRole('separator');
  divider.focus();
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}');
  expect(divider.getAttribute('aria-valuenow')).toBe('416');
  await userEvent.keyboard('{End}{ArrowRight}');
  expect(divider.getAttribute('aria-valuenow'), 'it stops at its widest').toBe('560');
});

test.each([
  ['a value in use stays when nothing has it any more', [{ name: 'goal', label: null, count: 2 }], ['skill'], 'Goal 2, Skill 0'],
  ['a chosen value counted as none stays', [{ name: 'goal', label: null, count: 0 }], ['goal'], 'Goal 0'],
  ['a value that nothing has is not offered', [{ name: 'goal', label: null, count: 0 }], [], ''],
  ['a label of the backend wins', [{ name: 'x', label: 'Ana', count: 1 }], [], 'Ana 1'],
  ['known values come in their usual order', [{ name: 'skill', label: null, count: 9 }, { name: 'goal', label: null, count: 1 }], [], 'Goal 1, Skill 9'],
])('%s', (_, counts, chosen, expected) => {
  const label = (name: string) => name.replace(/^./, (first) => first.toUpperCase());
  expect(facetValues(counts, chosen, label, ['goal', 'skill']).map((value) => `${value.label} ${value.count}`).join(', ')).toBe(expected);
});

test('choosing a value twice takes it off', () => expect(toggled(toggled([], 'a'), 'a')).toEqual([]));

test.each([
  ['words in the middle', 'User lives in Utrecht.', 'User lives in an old flat in Utrecht.', ['ins an old flat in']],
  ['a word for another', 'User likes tea.', 'User likes coffee.', ['del tea', 'ins coffee']],
  ['words at the end', 'User runs', 'User runs every day', ['ins every day']],
])('a difference marks words and no spaces around them: %s', (_, before, after, marks) => {
  const { container } = render(<WordDiff before={before} after={after} />);
  expect([...container.querySelectorAll('ins, del')].map((mark) => `${mark.tagName.toLowerCase()} ${mark.textContent}`)).toEqual(marks);
  for (const gone of container.querySelectorAll('del')) gone.remove();
  expect(container.textContent?.replaceAll(/\s+/g, ' '), 'nothing is lost').toBe(after);
});

test.each([
  ['User: “i live in Leith”', '“i live in Leith”'],
  ['Ada: “i live in Leith”', 'Ada: “i live in Leith”'],
  ['User lives in Leith', 'User lives in Leith'],
  ['User: “a” and “b”', 'User: “a” and “b”'],
])('the statement %s is shown as %s', (content, shown) => expect(shownStatement(content)).toBe(shown));

test.each([
  ['User: “i live in Leith”', 'owner', 'i live in Leith', 'i live in “Gorgie”', 'User: “i live in "Gorgie"”'],
  ['Ada: “i live in Leith”', 'Ada', 'i live in Leith', 'i live in Gorgie', 'Ada: “i live in Gorgie”'],
  ['User lives in Leith', 'owner', 'User lives in Leith', 'User lives in Gorgie', 'User lives in Gorgie'],
  ['User told Ben: “no”', 'owner', 'User told Ben: “no”', 'User told Ben', 'User told Ben'],
])('of the statement %s about %s an editor shows %s', (content, subject, words, edited, whole) => {
  const form = editableStatement(content, subject);
  expect(form.words).toBe(words);
  expect(form.whole(words)).toBe(content);
  expect(form.whole(edited)).toBe(whole);
});

test('a notice waits for the paint of its change, and one that was hidden is gone at once', async () => {
  render(<Toasts />);
  act(() => void showToast({ text: 'Moved to the trash.', replaces: 'decision' }));
  expect(screen.queryByText('Moved to the trash.'), 'it is drawn after the change').toBeNull();
  expect(await screen.findByText('Moved to the trash.')).toBeDefined();
  act(() => hideToasts('decision'));
  expect(screen.queryByText('Moved to the trash.'), 'what it offers may be impossible now').toBeNull();
});
