/**
 * Changes single settings in a group that the backend stores as a whole. A change is shown immediately; writes are sent one after
 * another.
 *
 * Each write is merged into the settings stored at that time. A second change therefore does not revert the first before its
 * response arrives, and a rejected change is not sent again with the next one.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/** Writes one part of the settings. Rejects if the backend refuses it; the page then shows the stored settings again. */
export type Change<Part> = (part: Part) => Promise<void>;

interface Choices<View, Part> {
  /** Query key of the settings. */
  readonly key: readonly unknown[];
  /** The settings after a write succeeds. */
  readonly apply: (view: View, part: Part) => View;
  /** Writes the settings as a whole and resolves to the stored settings. */
  readonly write: (view: View) => Promise<View>;
}

export function useChoices<View extends object, Part>({ key, apply, write }: Choices<View, Part>): Change<Part> {
  const client = useQueryClient();
  const queue = useRef<{ last: Promise<unknown>; waiting: { part: Part }[]; stored: View | undefined }>({ last: Promise.resolve(), waiting: [], stored: undefined });
  return (part) => {
    const now = queue.current;
    if (now.waiting.length === 0) now.stored = client.getQueryData<View>(key);
    const show = () => {
      if (now.stored !== undefined) client.setQueryData(key, now.waiting.reduce((view, each) => apply(view, each.part), now.stored));
    };
    const mine = { part };
    now.waiting.push(mine);
    show();
    const done = now.last.then(async () => {
      try {
        if (now.stored !== undefined) now.stored = await write(apply(now.stored, part));
      } finally {
        now.waiting = now.waiting.filter((each) => each !== mine);
        show();
      }
    });
    // The next write is sent whether or not this one succeeded.
    now.last = done.catch(() => undefined);
    return done;
  };
}
