/** Names of proposers, in words. */
import { listed, t } from '../../strings';

/**
 * Names of built-in engines. Only known prefixes are removed from other names, because a model's name may itself contain `/` and
 * `:`.
 */
const BUILT_IN = /^(?:builtin|reader|form)\b/;
const PREFIX = /^(?:model|ollama|openai)[:/]/;
const PROMPT = /(?:[\s+@#/]+[a-z_]+)?\/\d+$/;

/** Whether the proposal was found on this computer without a language model. */
export const isBuiltIn = (proposer: string): boolean => BUILT_IN.test(proposer);

/** "Built-in", or the model's name without the version of the prompt. */
export function proposerName(proposer: string): string {
  if (isBuiltIn(proposer)) return t.memory.builtIn;
  return proposer.replace(PREFIX, '').replace(PROMPT, '') || proposer;
}

/** "Built-in and llama3.2": each name once, the built-in one first. */
export function proposerNames(proposers: readonly string[]): string {
  const names = [...new Set(proposers.map(proposerName))];
  return listed(names.toSorted((a, b) => Number(b === t.memory.builtIn) - Number(a === t.memory.builtIn)));
}
