import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TimelineSeries } from '../../../api';
import { RpcError } from '../../../platform';
import type { FakeOptions, FakePlatform } from '../../../platform/fake';
import { edgesOf } from '../../../platform/fake/charts';
import { nav } from '../../../state/nav';
import { setUiState } from '../../../state/uiState';
import { press, renderApp, violations } from '../../../test/render';
import { axisLabels, periodName, spanName, weekStart } from './periods';
import { folded, mostOf, short, stacked, ticks } from './scale';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import '../../activity/index';
import '../../conversations/index';
import '../../people/index';

const series = (name: string, counts: number[], off_record: number[] = counts.map(() => 0)): TimelineSeries => ({ name, total: counts.reduce((sum, each) => sum + each, 0), counts, off_record });
const local = (year: number, month: number, day: number) => new Date(year, month - 1, day).getTime();

describe('axes', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 5, 10]],
    [40, [0, 20, 40]],
    [96, [0, 50, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
  ])('up to %d it is marked at %j', (most, expected) => expect(ticks(most)).toEqual(expected));

  test('every axis begins at zero, ends above the highest bar, and has whole numbers', () => {
    for (let most = 1; most < 20_000; most = Math.ceil(most * 1.17)) {
      const marks = ticks(most);
      expect(marks[0]).toBe(0);
      expect(marks[marks.length - 1]).toBeGreaterThanOrEqual(most);
      expect(marks.length).toBeLessThanOrEqual(6);
      expect(marks.every(Number.isInteger)).toBe(true);
    }
  });

  test.each([
    [950, '950'],
    [1_000, '1k'],
    [1_250, '1250'],
    [12_500, '12.5k'],
    [2_500_000, '2.5M'],
  ])('%d is written %s', (value, expected) => expect(short(value)).toBe(expected));
});

describe('bars', () => {
  test('parts stand upon each other, and nothing stands where nothing is', () => {
    expect(stacked([series('a', [2, 0, 1], [1, 0, 0]), series('b', [3, 0, 0])], 3)).toEqual([
      [
        { series: 0, from: 0, to: 2, offRecord: 1 },
        { series: 1, from: 2, to: 5, offRecord: 0 },
      ],
      [],
      [{ series: 0, from: 0, to: 1, offRecord: 0 }],
    ]);
  });

  test('what has no colour of its own is one, and nothing is lost', () => {
    const all = Array.from({ length: 9 }, (_, at) => series(`c${at}`, [at, 1], [at % 2, 0]));
    const few = folded(all, 5, 'Others');
    expect(few.map((each) => each.name)).toEqual(['c0', 'c1', 'c2', 'c3', 'Others']);
    expect(few.reduce((sum, each) => sum + each.total, 0)).toBe(all.reduce((sum, each) => sum + each.total, 0));
    expect(mostOf(few, 2)).toBe(mostOf(all, 2));
    expect(few.flatMap((each) => each.off_record).reduce((sum, each) => sum + each, 0)).toBe(4);
    expect(folded(all.slice(0, 5), 5, 'Others')).toEqual(all.slice(0, 5));
  });
});

describe('stretches in words', () => {
  test.each([
    ['day', local(2026, 11, 12), local(2026, 11, 13), 'Thu, 12 November 2026'],
    ['week', local(2026, 11, 9), local(2026, 11, 16), '9–15 Nov 2026'],
    ['month', local(2026, 11, 1), local(2026, 12, 1), 'November 2026'],
    ['year', local(2026, 1, 1), local(2027, 1, 1), '2026'],
  ] as const)('a %s', (unit, from, to, expected) => expect(periodName(unit, from, to, 'en-GB').replaceAll(/\s*–\s*/g, '–')).toBe(expected));

  test('several together are one span', () => {
    expect(spanName('month', local(2025, 11, 1), local(2026, 2, 1), 3, 'en-GB').replaceAll(/\s/g, ' ')).toContain('Jan 2026');
    expect(spanName('day', local(2026, 11, 12), local(2026, 11, 13), 1, 'en-GB')).toContain('12 November 2026');
  });

  test('labels are as many as have room, and a year is called a year', () => {
    const edges = edgesOf('month', 1, local(2023, 3, 5), local(2026, 11, 20)) ?? [];
    const labels = axisLabels('month', edges, 640, 'en-GB');
    expect(labels.filter((each) => each.isYear).map((each) => each.text)).toEqual(['2024', '2025', '2026']);
    const band = 640 / (edges.length - 1);
    const steps = labels.slice(1).map((label, at) => (label.at - (labels[at]?.at ?? 0)) * band);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(57);
    expect(axisLabels('day', [], 640)).toEqual([]);
  });

  test.each([
    ['en-GB', 1],
    ['en-US', 7],
    ['no such language', 1],
  ])('in %s weeks begin on day %d', (locale, expected) => expect(weekStart(locale)).toBe(expected));
});

const stretches = () => screen.queryAllByTestId('time-stretch');
const asked = (host: FakePlatform, cmd: string) => host.calls.filter((each) => each.cmd === cmd).map((each) => each.payload as Record<string, unknown>);

async function openTime(options: FakeOptions = {}) {
  setUiState('activity.tab', 'time');
  const host = await renderApp('activity', options);
  await screen.findAllByTestId('time-stretch');
  return host;
}

describe('over time', () => {
  beforeEach(() => {
    setUiState('time.view', 'chart');
    setUiState('time.byDecision', false);
  });

  test.each(['light', 'dark'] as const)('chart and table are sound for assistive technology in the %s theme', async (theme) => {
    await openTime({ theme });
    document.documentElement.dataset.theme = theme;
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByTestId('time-table'));
    await screen.findByTestId('time-rows');
    expect(await violations()).toEqual([]);
  });

  test('every stretch says what it holds, and all of them together hold everything', async () => {
    await openTime();
    const words = stretches().map((each) => each.getAttribute('aria-label') ?? '');
    expect(words.some((each) => /: 9 messages \(ChatGPT 9\)/.test(each)), words.join('\n')).toBe(true);
    const messages = words.map((each) => Number(/: ([\d,]+) messages?/.exec(each)?.[1] ?? 0)).reduce((sum, each) => sum + each, 0);
    expect(messages).toBe(35);
    expect(words.filter((each) => each.endsWith(': Nothing')).length, 'a gap is a gap').toBeGreaterThan(0);
    const bars = document.querySelectorAll('[data-part="messages"]').length;
    expect(bars, 'and has no bar').toBe(words.filter((each) => / messages?/.test(each)).length);
  });

  test('what is off the record is marked, in the bars, beside them and in the table', async () => {
    await openTime();
    expect(screen.getAllByTestId('time-off-record')[0]?.textContent).toContain('4');
    expect(document.querySelectorAll('[data-off-record]').length).toBeGreaterThan(0);
    fireEvent.click(screen.getByTestId('time-table'));
    const table = await screen.findByTestId('time-rows');
    expect(within(table).getByRole('columnheader', { name: 'Not used for memory' })).toBeTruthy();
  });

  test('keys choose stretches and lead to their conversations', async () => {
    const host = await openTime();
    const list = screen.getByTestId('time-plot');
    list.focus();
    await press('End', 'ArrowLeft', ' ');
    const at = stretches().findIndex((each) => each.getAttribute('aria-selected') === 'true');
    expect(at).toBe(stretches().length - 2);
    expect(list.getAttribute('aria-activedescendant')).toBe(stretches()[at]?.id);
    fireEvent.keyDown(list, { key: 'ArrowLeft', shiftKey: true });
    fireEvent.keyDown(list, { key: 'ArrowLeft', shiftKey: true });
    expect(stretches().filter((each) => each.getAttribute('aria-selected') === 'true')).toHaveLength(3);
    await press('Escape');
    expect(screen.queryByTestId('time-chosen')).toBeNull();
    await press('Home', 'Enter');
    expect(nav.get()).toMatchObject({ panel: 'conversations' });
    const { period } = nav.get().target ?? {};
    await screen.findByTestId('conversations-period');
    await waitFor(() => expect(asked(host, 'conversations_list').at(-1)).toMatchObject({ from: period?.from, to: period?.to }));
    await waitFor(() => expect(screen.getAllByTestId('conversation-row')).toHaveLength(1));
    fireEvent.click(screen.getByTestId('btn-period-clear'));
    await waitFor(() => expect(screen.getAllByTestId('conversation-row').length).toBeGreaterThan(1));
  });

  test('three years go by months, closer by weeks, and back', async () => {
    const host = await openTime({ crowd: true });
    expect(asked(host, 'timeline')[0]).toMatchObject({ unit: null, person: null, topic: null });
    const months = stretches().length;
    expect(months).toBeGreaterThan(24);
    const list = screen.getByTestId('time-plot');
    list.focus();
    await press('End', ' ');
    fireEvent.click(screen.getByTestId('btn-time-closer'));
    await waitFor(() => expect(stretches().length).toBeGreaterThan(27));
    expect(asked(host, 'timeline').at(-1)).toMatchObject({ from: expect.any(Number), to: expect.any(Number) });
    fireEvent.click(await screen.findByTestId('btn-time-back'));
    await waitFor(() => expect(stretches()).toHaveLength(months));
    fireEvent.click(screen.getByTestId('time-unit-year'));
    await waitFor(() => expect(stretches().length).toBeLessThan(6));
  });

  test('memories stand where they were said or where it was decided', async () => {
    const host = await openTime();
    fireEvent.click(screen.getByTestId('time-decided'));
    await waitFor(() => expect(asked(host, 'timeline').at(-1)).toMatchObject({ by_decision: true }));
  });

  test('the table holds the same numbers', async () => {
    await openTime();
    fireEvent.click(screen.getByTestId('time-table'));
    const rows = await screen.findAllByTestId('time-row');
    const messages = rows.map((row) => Number(row.querySelector('td')?.textContent)).reduce((sum, each) => sum + each, 0);
    expect(messages).toBe(35);
  });

  test('a person’s lines have their own, and it leads to conversations with them', async () => {
    setUiState('people.part', 'lines');
    const host = await renderApp('people', {}, { person: 'ent_Priya Nair' });
    await screen.findAllByTestId('time-stretch');
    await waitFor(() => expect(asked(host, 'timeline').at(-1)).toMatchObject({ person: 'ent_Priya Nair' }));
    screen.getByTestId('time-plot').focus();
    await press('End', ' ');
    fireEvent.click(screen.getByTestId('btn-time-open'));
    expect(nav.get()).toMatchObject({ panel: 'conversations', target: { period: { person: 'ent_Priya Nair' } } });
  });

  test('with nothing there it says what will be', async () => {
    setUiState('activity.tab', 'time');
    await renderApp('activity', { firstRun: true });
    await screen.findByText('Nothing to show yet');
    fireEvent.click(screen.getByRole('button', { name: 'Add a source' }));
    expect(nav.get().panel).toBe('sources');
  });

  test('what cannot be counted says what is safe and tries again', async () => {
    setUiState('activity.tab', 'jobs');
    const host = await renderApp('activity');
    host.failNext('timeline', new RpcError('internal', 'The disk is busy.'));
    fireEvent.click(await screen.findByTestId('activity-time'));
    await screen.findByText('The disk is busy.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect((await screen.findAllByTestId('time-stretch')).length).toBeGreaterThan(1);
  });
});
