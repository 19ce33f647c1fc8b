import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { TopicRulesView } from '../../api';
import { RpcError } from '../../platform';
import type { FakePlatform } from '../../platform/fake';
import { renderApp, violations } from '../../test/render';
import { CHOICES, parsed, shown } from './topicRules';

const RULES: TopicRulesView = { min_messages: 20, min_time_minutes: 60, automatic: true, batch_size: 20, overlap: 0.25, similarity: 0.7, target_words: 400, max_words: 1_000 };

const written = (host: FakePlatform) => host.calls.filter((each) => each.cmd === 'topic_rules_set').map((each) => each.payload as TopicRulesView);
const field = (name: string) => screen.getByTestId<HTMLInputElement>(`topic-rule-${name}`);

async function open() {
  const host = await renderApp('settings');
  fireEvent.click(await screen.findByTestId('settings-topics'));
  await screen.findByTestId('topic-rule-batch_size');
  return host;
}

function enter(name: string, text: string) {
  fireEvent.change(field(name), { target: { value: text } });
  fireEvent.keyDown(field(name), { key: 'Enter' });
}

describe('how topics are made', () => {
  test('what holds is shown, and back to default has nothing to do', async () => {
    await open();
    expect(CHOICES.map(({ name }) => field(name).value)).toEqual(['20', '60', '20', '25', '0.7', '400', '1000']);
    expect(screen.getByTestId<HTMLButtonElement>('btn-topic-defaults').disabled).toBe(true);
    expect(await violations()).toEqual([]);
  });

  test('a number is written whole with the others, and back to default brings all of them back', async () => {
    const host = await open();
    enter('batch_size', '30');
    await waitFor(() => expect(written(host)).toEqual([{ ...RULES, batch_size: 30 }]));
    enter('overlap', '50');
    await waitFor(() => expect(written(host)[1]).toEqual({ ...RULES, batch_size: 30, overlap: 0.5 }));
    expect(screen.getByText(/Default: 25\./)).toBeDefined();
    fireEvent.click(screen.getByTestId('btn-topic-defaults'));
    await waitFor(() => expect(written(host)[2]).toEqual(RULES));
    await waitFor(() => expect(field('batch_size').value).toBe('20'));
  });

  test('what cannot be followed is said beside the field and not written', async () => {
    const host = await open();
    enter('similarity', '2');
    await screen.findByText('Enter a number from 0.3 to 0.99.');
    expect(field('similarity').getAttribute('aria-invalid')).toBe('true');
    expect(written(host)).toEqual([]);
    fireEvent.keyDown(field('similarity'), { key: 'Escape' });
    expect(field('similarity').value).toBe('0.7');
  });

  test('a failure brings the old value back and says so', async () => {
    const host = await open();
    host.failNext('topic_rules_set', new RpcError('refused', 'The disk is full.'));
    fireEvent.click(screen.getByTestId('topic-automatic'));
    await screen.findByText('The disk is full.');
    expect(screen.getByTestId('topic-automatic').getAttribute('aria-checked')).toBe('true');
  });
});

test.each([
  ['min_messages', '20', 20],
  ['min_messages', '2.5', 'Enter a number from 1 to 1,000.'],
  ['overlap', '30', 0.3],
  ['overlap', '95', 'Enter a number from 0 to 90.'],
  ['similarity', '0,75', 0.75],
  ['similarity', '', 'Enter a number from 0.3 to 0.99.'],
  ['target_words', '1000', 1_000],
  ['max_words', '300', 'Shorter than the usual length of 400 words.'],
] as const)('%s parsed from %j', (name, text, expected) => {
  const choice = CHOICES.find((each) => each.name === name);
  if (!choice) throw new Error(name);
  expect(parsed(choice, text, RULES)).toEqual(typeof expected === 'number' ? { value: expected } : { problem: expected });
});

test('a share is shown in percent', () => {
  const overlap = CHOICES.find((each) => each.name === 'overlap');
  expect(overlap && shown(overlap, { ...RULES, overlap: 0.29 })).toBe(29);
});
