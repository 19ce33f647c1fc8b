/** The numbers in the rules for topics: limits, display and validation. */
import type { TopicRulesView } from '../../api';
import { number, t } from '../../strings';

type Name = Exclude<keyof TopicRulesView, 'automatic'>;

export type Group = 'when' | 'belonging' | 'text';

export interface Choice {
  readonly name: Name;
  readonly group: Group;
  readonly min: number;
  readonly max: number;
  /** Factor between the stored and the displayed value: a share is displayed as a percentage. */
  readonly times: number;
  readonly isWhole: boolean;
}

const whole = (name: Name, group: Group, min: number, max: number): Choice => ({ name, group, min, max, times: 1, isWhole: true });

/** Limits of the backend. */
export const CHOICES: readonly Choice[] = [
  whole('min_messages', 'when', 1, 1_000),
  whole('min_time_minutes', 'when', 1, 10_080),
  whole('batch_size', 'when', 2, 200),
  { name: 'overlap', group: 'when', min: 0, max: 90, times: 100, isWhole: true },
  { name: 'similarity', group: 'belonging', min: 0.3, max: 0.99, times: 1, isWhole: false },
  whole('target_words', 'text', 50, 1_000),
  whole('max_words', 'text', 50, 1_000),
];

/** The displayed value. */
export const shown = (choice: Choice, rules: TopicRulesView): number => Math.round(rules[choice.name] * choice.times * 100) / 100;

/** The value of an entry, or the problem with it. */
export function parsed(choice: Choice, text: string, rules: TopicRulesView): { value: number } | { problem: string } {
  const entry = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || Number.isNaN(entry) || entry < choice.min || entry > choice.max || (choice.isWhole && !Number.isInteger(entry))) {
    return { problem: t.topicRules.between(number(choice.min), number(choice.max)) };
  }
  if (choice.name === 'target_words' && entry > rules.max_words) return { problem: t.topicRules.beyondMost(number(rules.max_words)) };
  if (choice.name === 'max_words' && entry < rules.target_words) return { problem: t.topicRules.belowTarget(number(rules.target_words)) };
  return { value: entry / choice.times };
}
