import type { Count } from './schema';

/** How often each name occurs, in the order in which they occur first. */
export function tally(names: Iterable<string>): Count[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, label: null, count }));
}
