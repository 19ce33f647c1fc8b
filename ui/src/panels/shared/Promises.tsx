/** Promises between people: open ones first, settled ones on request. Each opens the message in which it was made. */
import { Circle, CircleDot } from 'lucide-react';
import { useState } from 'react';
import type { CommitmentView } from '../../api';
import { Button, fullTime, shortDate } from '../../design';
import { openConversation, useNow } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Promises.module.css';

/** "You to Noor", "Noor, to everyone there". */
export function partiesOf({ debtor, creditor, is_owed_to_owner }: Pick<CommitmentView, 'debtor' | 'creditor' | 'is_owed_to_owner'>): string {
  return t.promises.owed(debtor ?? t.promises.you, is_owed_to_owner ? t.promises.toYou : creditor);
}

/** The due date in words, and whether it has passed. */
export function dueOf({ due, due_precision, settled }: Pick<CommitmentView, 'due' | 'due_precision' | 'settled'>, now: number): { text: string; isLate: boolean } | null {
  if (due === null) return null;
  const when = due_precision === 'hour' ? fullTime(due) : shortDate(due, now);
  const isLate = !settled && due < now;
  return { text: isLate ? t.promises.late(when) : t.promises.due(due_precision, when), isLate };
}

export const isOpen = (promise: Pick<CommitmentView, 'settled'>): boolean => !promise.settled;

/** `withPlace` shows the conversation, for lists with promises from several. */
export function Promises({ items, withPlace = false }: { items: readonly CommitmentView[]; withPlace?: boolean }) {
  const [isAll, setAll] = useState(false);
  const open = items.filter(isOpen);
  const settled = items.filter((each) => !isOpen(each));
  const shown = isAll ? [...open, ...settled] : open;
  return (
    <>
      {shown.length > 0 ? (
        <ul className={css.rows}>
          {shown.map((promise) => (
            <Row key={`${promise.place.message_id} ${promise.place.start}`} promise={promise} withPlace={withPlace} />
          ))}
        </ul>
      ) : null}
      {settled.length > 0 ? (
        <Button size="s" tone="quiet" className={css.more} aria-expanded={isAll} testId={TESTIDS.promisesSettled} onClick={() => setAll(!isAll)}>
          {t.promises.settled(settled.length)}
        </Button>
      ) : null}
    </>
  );
}

function Row({ promise, withPlace }: { promise: CommitmentView; withPlace: boolean }) {
  const now = useNow();
  const words = t.promises;
  const Icon = promise.settled ? CircleDot : Circle;
  const due = dueOf(promise, now);
  const open = (message: string) => () => openConversation(promise.conversation_id, message);
  return (
    <li className={css.promise} data-testid={TESTIDS.promise} data-settled={promise.settled || undefined}>
      <Icon size={15} aria-hidden="true" />
      <div className={css.words}>
        <button type="button" className={css.what} title={words.openPromise} onClick={open(promise.place.message_id)}>
          {promise.what}
        </button>
        <p className={css.meta}>
          <span className={promise.settled ? undefined : 'srOnly'}>{promise.settled ? words.isSettled : words.open}</span>
          <span>{partiesOf(promise)}</span>
          {due ? <span className={due.isLate ? css.late : 'num'}>{due.text}</span> : null}
          {withPlace ? <span>{promise.conversation_title}</span> : null}
          {promise.settled_at ? (
            <button type="button" className={css.link} onClick={open(promise.settled_at.message_id)}>
              {words.settledHere}
            </button>
          ) : null}
        </p>
      </div>
    </li>
  );
}
