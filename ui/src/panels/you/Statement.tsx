/** One statement with the number of its source, and below it the statement that contradicts it, if any. */
import { EyeOff } from 'lucide-react';
import type { MemoryRow } from '../../api';
import { Button, PrivateLock, shortDate } from '../../design';
import { type ListState, type Store, moveTo, openMemory, useNow, useStore } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { keep } from './answers';
import { sentence } from './sections';
import css from './You.module.css';

/** The id of the element that is focused when the cursor is moved by keys. */
export const sourceId = (id: string): string => `you-source-${id}`;

interface SourceProps {
  row: MemoryRow;
  n: number;
  onOpen: (row: MemoryRow) => void;
  id?: string;
  /** The cursor follows the focus. */
  onFocus: () => void;
}

function Source({ row, n, onOpen, id, onFocus }: SourceProps) {
  const label = t.you.source(n, row.conversation_title, shortDate(row.said_at, useNow()));
  return (
    <sup className={css.source}>
      <button type="button" id={id} aria-label={label} title={label} data-testid={TESTIDS.youSource} onFocus={onFocus} onClick={() => onOpen(row)}>
        {n}
      </button>
    </sup>
  );
}

/** Why this statement is not copied. */
function Marks({ row }: { row: MemoryRow }) {
  return (
    <>
      {row.is_private_source ? <PrivateLock /> : null}
      {row.is_hidden ? (
        <span className={css.mark} title={t.memory.hidden}>
          <EyeOff size={13} aria-hidden="true" />
          <span className="srOnly">{t.memory.hidden}</span>
        </span>
      ) : null}
    </>
  );
}

interface StatementProps {
  row: MemoryRow;
  /** The statement that contradicts it; null if it is not known which one. */
  other?: MemoryRow | null;
  numbers: ReadonlyMap<string, number>;
  list: Store<ListState>;
  onOpen: (row: MemoryRow) => void;
}

export function Statement({ row, other, numbers, list, onOpen }: StatementProps) {
  const isCursor = useStore(list, (state) => state.cursor === row.id);
  const toCursor = () => list.update((state) => moveTo(state, row.id));
  return (
    <li
      className={css.statement}
      data-testid={TESTIDS.youStatement}
      data-memory={row.id}
      data-cursor={isCursor}
    >
      <p className={css.sentence}>
        {sentence(row.content)}
        <Source row={row} n={numbers.get(row.id) ?? 0} id={sourceId(row.id)} onOpen={onOpen} onFocus={toCursor} /> <Marks row={row} />
      </p>
      {other === undefined ? null : other === null ? (
        <div className={css.conflict} data-testid={TESTIDS.youConflict}>
          <div className={css.ask}>
            <span>{t.you.conflictUnknown}</span>
            <Button size="s" onClick={() => openMemory(row.id)}>
              {t.you.conflictOpen}
            </Button>
          </div>
        </div>
      ) : (
        <Conflict row={row} other={other} n={numbers.get(other.id) ?? 0} isCursor={isCursor} onOpen={onOpen} onFocus={toCursor} />
      )}
    </li>
  );
}

/**
 * Two contradicting statements with buttons. The keys are shown only on the buttons of the statement under the cursor, on which
 * they act.
 */
function Conflict({ row, other, n, isCursor, onOpen, onFocus }: { row: MemoryRow; other: MemoryRow; n: number; isCursor: boolean; onOpen: (row: MemoryRow) => void; onFocus: () => void }) {
  const words = t.you;
  return (
    <div className={css.conflict} role="group" aria-label={words.which} data-testid={TESTIDS.youConflict}>
      <p className={css.sentence}>
        <span className={css.when}>{other.said_at >= row.said_at ? words.saidLater : words.saidEarlier}</span> {sentence(other.content)}
        <Source row={other} n={n} onOpen={onOpen} onFocus={onFocus} /> <Marks row={other} />
        {other.status === 'pending' ? <span className={css.pending}>({words.isPending})</span> : null}
      </p>
      <div className={css.ask}>
        <span>{words.which}</span>
        <Button size="s" action={isCursor ? 'you.keepThis' : undefined} label={words.keepThisLabel(sentence(row.content))} testId={TESTIDS.youKeepThis} onFocus={onFocus} onClick={() => keep(row, other)}>
          {words.keepThis}
        </Button>
        <Button size="s" action={isCursor ? 'you.keepOther' : undefined} label={words.keepOtherLabel(sentence(other.content))} testId={TESTIDS.youKeepOther} onFocus={onFocus} onClick={() => keep(other, row)}>
          {words.keepOther}
        </Button>
      </div>
    </div>
  );
}
