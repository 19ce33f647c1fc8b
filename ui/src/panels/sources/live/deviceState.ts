/** How Keepsake's device at an encrypted account stands, in words, and what the person can do about it. Pure. */
import type { EmojiComparison, LiveDeviceView } from '../../../api';
import { t } from '../../../strings';

export interface DeviceState {
  readonly name: 'not-verified' | 'locked' | 'fetching' | 'verified';
  readonly title: string;
  readonly text: string | null;
  readonly canRecover: boolean;
  readonly canCompare: boolean;
  /** Whether keys are being fetched from the backup. */
  readonly isFetching: boolean;
}

const GOING_ON: ReadonlySet<string> = new Set(['requested', 'offered', 'starting', 'shown', 'confirmed']);

/** Whether a comparison waits for one of the two sides. */
export const isComparing = ({ stage }: Pick<EmojiComparison, 'stage'>): boolean => GOING_ON.has(stage);

/** Null if the account has no encryption that anybody set up, so there is nothing to verify. */
export function deviceState({ is_verified, can_be_verified, backup, keys_done, keys_total, comparison }: LiveDeviceView): DeviceState | null {
  const words = t.liveSources.device;
  const isLocked = backup === 'locked';
  const isFetching = backup === 'open' && keys_done < keys_total;
  if (!is_verified && can_be_verified) {
    const ended = comparison === null ? undefined : words.over[comparison.stage];
    return { name: 'not-verified', title: words.notVerified, text: ended ?? words.notVerifiedText, canRecover: true, canCompare: true, isFetching };
  }
  if (isLocked) return { name: 'locked', title: is_verified ? words.locked : words.lockedOnly, text: words.lockedText, canRecover: true, canCompare: false, isFetching: false };
  if (!is_verified) return null;
  return { name: isFetching ? 'fetching' : 'verified', title: words.verified, text: backup === 'absent' ? words.noBackup : null, canRecover: false, canCompare: false, isFetching };
}
