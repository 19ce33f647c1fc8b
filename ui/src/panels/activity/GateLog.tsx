/**
 * The gate log: statements that were filtered out before Review, with the gate and the reason, so that the person can check the
 * gates.
 */
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { type GateEntry, useRpc } from '../../api';
import { Button, EmptyState, ErrorState, LoadingRows, PaneBar, RelativeTime, SplitPane, VirtualList, shownStatement } from '../../design';
import { openConversation, rememberWords } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { usePages } from '../shared/pages';
import { proposerName } from '../shared/proposers';
import css from './Activity.module.css';

const PAGE_ENTRIES = 200;
const ROW_PX = 76;
const LIST_PX = 280;
const rowHeight = () => ROW_PX;

export function GateLog({ conversation, gate: first, onAll }: { conversation: string | null; gate: string | null; onAll: () => void }) {
  const [gate, setGate] = useState(first);
  const pages = usePages('gate_log_list', {
    request: (offset, limit) => ({ gate, conversation, offset, limit }),
    size: PAGE_ENTRIES,
    items: (response) => response.items,
    total: (response) => response.total,
    list: `${gate ?? ''} ${conversation ?? ''}`,
  });
  const { data: about } = useRpc('conversation_get', { id: conversation ?? '' }, { enabled: conversation !== null });
  const gates = (pages.head?.by_gate ?? []).toSorted((a, b) => b.count - a.count);
  const all = gates.reduce((sum, each) => sum + each.count, 0);
  if (pages.error) return <ErrorState title={t.activity.gateFailed} text={t.activity.failedText} detail={pages.error.message} onRetry={pages.retry} />;
  if (pages.head && all === 0) return <EmptyState icon={<ShieldCheck size={20} />} title={t.activity.gateEmpty} text={t.activity.gateEmptyText} />;
  return (
    <SplitPane
      name="activity.gates"
      initial={LIST_PX}
      list={
        <nav className={css.gates} aria-label={t.activity.gates}>
          <GateButton label={t.activity.allGates} count={conversation ? null : all} isCurrent={gate === null} onClick={() => setGate(null)} />
          {gates.map((each) => (
            <GateButton key={each.name} label={each.label ?? nameOf(t.activity.gateName, each.name)} count={conversation ? null : each.count} isCurrent={gate === each.name} onClick={() => setGate(each.name)} />
          ))}
          <p className={css.hint}>{t.activity.gateHint}</p>
        </nav>
      }
      detail={
        <>
          {conversation ? (
            <PaneBar tone="accent">
              <span className={css.scoped}>{t.activity.onlyConversation(about?.title ?? '')}</span>
              <Button size="s" tone="quiet" onClick={onAll}>
                {t.app.showAll}
              </Button>
            </PaneBar>
          ) : null}
          <div className={css.body}>
            {pages.isLoading ? (
              <LoadingRows height={ROW_PX} />
            ) : pages.total === 0 ? (
              <EmptyState title={t.activity.gateEmptyFilter} />
            ) : (
              <VirtualList
                label={t.activity.entries}
                pattern="grid"
                rowTestId={TESTIDS.gateRow}
                count={pages.total}
                keyOf={String}
                heightOf={rowHeight}
                activeIndex={-1}
                onRange={pages.onRange}
                render={(index) => {
                  const entry = pages.at(index);
                  return entry ? <Entry entry={entry} /> : null;
                }}
              />
            )}
          </div>
        </>
      }
    />
  );
}

/** `count` covers all conversations, so it is null if only one conversation is shown. */
function GateButton({ label, count, isCurrent, onClick }: { label: string; count: number | null; isCurrent: boolean; onClick: () => void }) {
  return (
    <button type="button" className={css.gate} aria-current={isCurrent || undefined} data-testid={TESTIDS.gateFilter} onClick={onClick}>
      <span className={css.gateName}>{label}</span>
      {count === null ? null : (
        <span className={css.gateCount} title={t.activity.stopped(count)}>
          {number(count)}
        </span>
      )}
    </button>
  );
}

/**
 * Whether the person may override the gate. Not possible for instructions to a machine and for statements that are already
 * stored.
 */
function canBeKept(entry: GateEntry): boolean {
  return entry.interaction_id !== null && entry.start !== null && entry.end !== null && !['instruction_like', 'duplicate', 'echo', 'suppressed', 'unnamed_voice'].includes(entry.gate);
}

function Entry({ entry }: { entry: GateEntry }) {
  return (
    <div className={css.entry}>
      <div className={css.entryBody}>
        <p className={css.content} title={shownStatement(entry.content)}>
          {shownStatement(entry.content)}
        </p>
        <p className={css.reason} title={entry.reason}>
          <b>{nameOf(t.activity.gateName, entry.gate)}</b> {entry.reason}
        </p>
        <p className={css.meta}>
          {entry.conversation_title} · <RelativeTime time={entry.created_at} /> · {t.activity.proposedBy(proposerName(entry.proposer))}
        </p>
      </div>
      {canBeKept(entry) ? (
        <Button size="s" tone="quiet" label={t.activity.keepLabel(shownStatement(entry.content))} testId={TESTIDS.gateKeep} onClick={() => rememberWords(entry.interaction_id ?? '', entry.start ?? 0, entry.end ?? 0)}>
          {t.activity.keep}
        </Button>
      ) : null}
      <Button size="s" tone="quiet" onClick={() => openConversation(entry.conversation_id, entry.interaction_id ?? undefined)}>
        {t.app.openInConversation}
      </Button>
    </div>
  );
}
