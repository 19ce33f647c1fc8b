/** Work that a form or dialog starts: whether it is running, and why it failed. */
import { useState } from 'react';

export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

export interface Attempt {
  readonly isBusy: boolean;
  readonly problem: string | null;
  /** Starts the work. Resolves to whether it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly say: (problem: string | null) => void;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [problem, say] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    say(null);
    try {
      await work();
      return true;
    } catch (thrown) {
      say(errorMessage(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run, say };
}
