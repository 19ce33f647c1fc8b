/**
 * Choices that the backend takes whole while a person changes them one at a time: shown at once, written one after another.
 *
 * Each write is laid over what is stored by then, so that a second choice does not take the first one back before it was answered, and a
 * refused one does not ride along with the next.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/** Writes one part of a choice; rejects where the backend refused it, and the page shows what is stored again. */
export type Change<Part> = (part: Part) => Promise<void>;

interface Choices<View, Part> {
  /** Under which query the choices are kept. */
  readonly key: readonly unknown[];
  /** The choices as a write will leave them. */
  readonly laidOver: (view: View, part: Part) => View;
  /** Writes the whole of them, and resolves to what is stored then. */
  readonly write: (view: View) => Promise<View>;
}

export function useChoices<View extends object, Part>({ key, laidOver, write }: Choices<View, Part>): Change<Part> {
  const client = useQueryClient();
  const queue = useRef<{ last: Promise<unknown>; waiting: { part: Part }[]; stored: View | undefined }>({ last: Promise.resolve(), waiting: [], stored: undefined });
  return (part) => {
    const now = queue.current;
    if (now.waiting.length === 0) now.stored = client.getQueryData<View>(key);
    const show = () => {
      if (now.stored !== undefined) client.setQueryData(key, now.waiting.reduce((view, each) => laidOver(view, each.part), now.stored));
    };
    const mine = { part };
    now.waiting.push(mine);
    show();
    const done = now.last.then(async () => {
      try {
        if (now.stored !== undefined) now.stored = await write(laidOver(now.stored, part));
      } finally {
        now.waiting = now.waiting.filter((each) => each !== mine);
        show();
      }
    });
    // The next one is written whether or not this one was taken.
    now.last = done.catch(() => undefined);
    return done;
  };
}
