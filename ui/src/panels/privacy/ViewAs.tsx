/**
 * The exact context that an agent would be served and, for the owner only, the withheld items with reasons.
 *
 * It uses the same code as an agent's request, so it shows exactly what would be sent.
 */
import { EyeOff, ScanEye } from 'lucide-react';
import { type ReactNode, useId, useMemo } from 'react';
import { type ContextItemView, type ContextRequestView, type ContextResponse, useRpc } from '../../api';
import { EmptyState, ErrorState, FreePick, LoadingRows, type Option, PaneBody, PaneHeader, Pick, SplitPane, endOfDay } from '../../design';
import { openConversation, openMemory, useSettled, useUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { personName } from '../people/clues';
import { channelKey } from './Channels';
import { charsOf, linesOf, partsOf } from './contextText';
import css from './Privacy.module.css';

/** A request is sent after a pause in typing this long. */
const REST_MS = 250;
/** Minimum budget. A smaller one has no room for a heading and a line. */
const BUDGET_MIN = 200;
const BUDGET_MAX = 200_000;

interface Form {
  agent: string;
  person: string;
  channel: string;
  query: string;
  budget: string;
  asOf: string;
}

const EMPTY: Form = { agent: '', person: '', channel: '', query: '', budget: '', asOf: '' };

/** The problem with a budget, or null. */
export const budgetProblem = (budget: string): string | null => {
  if (budget.trim() === '') return null;
  const value = Number(budget);
  return Number.isInteger(value) && value >= BUDGET_MIN && value <= BUDGET_MAX ? null : t.privacy.budgetBad;
};

const orNull = (text: string): string | null => text.trim() || null;

export function requestOf(form: Form): Partial<ContextRequestView> {
  return {
    agent: orNull(form.agent),
    person: orNull(form.person),
    channel: orNull(form.channel),
    query: orNull(form.query),
    budget: budgetProblem(form.budget) === null ? Number(form.budget) || 0 : 0,
    as_of: endOfDay(form.asOf),
  };
}

export function ViewAs({ tabs }: { tabs: ReactNode }) {
  const [kept, setKept] = useUiState<object>('privacy.view', EMPTY);
  const form = useMemo<Form>(() => ({ ...EMPTY, ...(kept as Partial<Form>) }), [kept]);
  const set = (change: Partial<Form>) => setKept({ ...form, ...change });
  const settled = useSettled(form, REST_MS);
  const request = useMemo(() => requestOf(settled), [settled]);
  const { data, error, isPending, refetch } = useRpc('context_preview', request, { keepPrevious: true });
  return (
    <SplitPane
      name="view"
      initial={320}
      list={
        <>
          <PaneHeader title={t.privacy.title}>{tabs}</PaneHeader>
          <PaneBody label={t.privacy.viewForm}>
            <FormFields form={form} onChange={set} />
          </PaneBody>
        </>
      }
      detail={
        <>
          <PaneHeader level={2} title={t.privacy.contextTitle} count={data ? t.privacy.contextOf(charsOf(data.text), data.items.length) : undefined} />
          <PaneBody label={t.privacy.contextTitle}>
            {error ? (
              <ErrorState title={t.privacy.contextFailed} text={t.app.nothingChanged} detail={error.message} onRetry={() => void refetch()} />
            ) : isPending || !data ? (
              <LoadingRows />
            ) : (
              <div className={css.frame}>
                <Given context={data} />
              </div>
            )}
          </PaneBody>
        </>
      }
    />
  );
}

function Field({ label, hint, problem, children }: { label: string; hint: string; problem?: string | null; children: (ids: { id: string; describedBy: string }) => ReactNode }) {
  const id = useId();
  return (
    <div className={css.formRow}>
      <label className={css.formLabel} htmlFor={id}>
        {label}
      </label>
      {children({ id, describedBy: `${id}-hint` })}
      <span id={`${id}-hint`} className={problem ? css.problem : css.hint}>
        {problem ?? hint}
      </span>
    </div>
  );
}

function FormFields({ form, onChange }: { form: Form; onChange: (change: Partial<Form>) => void }) {
  const { data: people } = useRpc('people_list', {}, { select: (response) => response.items });
  const { data: channels } = useRpc('channels_list', {}, { select: (response) => response.items });
  const { data: agents } = useRpc('agents_list', {}, { select: (response) => response.items });
  const words = t.privacy;
  const personOptions = useMemo<Option[]>(
    () => (people ?? []).filter((each) => !each.is_owner).map((each) => ({ value: each.id, label: personName(each), hint: [...new Set(each.handles.map((handle) => nameOf(t.channel, handle.channel)))].join(', ') })),
    [people],
  );
  const channelOptions = useMemo<Option[]>(
    () => (channels ?? []).map((each) => ({ value: channelKey(each), label: each.title, hint: `${nameOf(t.channel, each.channel_type)} · ${nameOf(words.visibility, each.visibility)}` })),
    [channels, words],
  );
  const agentOptions = useMemo<Option[]>(() => (agents ?? []).map((each) => ({ value: each.name, label: each.name, hint: nameOf(words.levels, each.visibility) })), [agents, words]);
  const problem = budgetProblem(form.budget);
  return (
    <div className={css.form}>
      <p className={css.hint}>{words.viewText}</p>
      <Field label={words.agent} hint={words.agentHint}>
        {({ id, describedBy }) => <FreePick id={id} describedBy={describedBy} label={words.agent} options={agentOptions} value={form.agent} onChange={(agent) => onChange({ agent })} testId={TESTIDS.viewAgent} />}
      </Field>
      <Field label={t.app.talkingWith} hint={t.app.talkingWithHint}>
        {({ id, describedBy }) => <Pick id={id} describedBy={describedBy} label={t.app.talkingWith} options={personOptions} value={form.person} onChange={(person) => onChange({ person })} none={words.noOption} testId={TESTIDS.viewPerson} />}
      </Field>
      <Field label={words.place} hint={words.placeHint}>
        {({ id, describedBy }) => <Pick id={id} describedBy={describedBy} label={words.place} options={channelOptions} value={form.channel} onChange={(channel) => onChange({ channel })} none={words.noOption} testId={TESTIDS.viewChannel} />}
      </Field>
      <Field label={words.question} hint={words.questionHint}>
        {({ id, describedBy }) => <input id={id} className={css.field} aria-describedby={describedBy} value={form.query} data-testid={TESTIDS.viewQuery} onChange={(event) => onChange({ query: event.target.value })} />}
      </Field>
      <div className={css.formPair}>
        <Field label={words.budget} hint={words.budgetHint} problem={problem}>
          {({ id, describedBy }) => (
            <input id={id} className={css.field} inputMode="numeric" aria-describedby={describedBy} aria-invalid={problem !== null} value={form.budget} data-testid={TESTIDS.viewBudget} onChange={(event) => onChange({ budget: event.target.value })} />
          )}
        </Field>
        <Field label={words.asOf} hint={words.asOfHint}>
          {({ id, describedBy }) => <input id={id} className={css.field} type="date" aria-describedby={describedBy} value={form.asOf} data-testid={TESTIDS.viewAsOf} onChange={(event) => onChange({ asOf: event.target.value })} />}
        </Field>
      </div>
    </div>
  );
}

/** The action that opens an item, or null if there is none. */
function openerOf(item: ContextItemView): (() => void) | null {
  if (item.kind === 'memory') return () => openMemory(item.id);
  const { conversation_id: conversation } = item;
  return item.kind === 'message' && conversation !== null ? () => openConversation(conversation, item.id) : null;
}

/** The exact text and the withheld items. The You page also shows this for one agent. */
export function Given({ context }: { context: ContextResponse }) {
  const parts = useMemo(() => partsOf(context.text, context.items), [context]);
  const words = t.privacy;
  return (
    <div className={css.given}>
      <div className={css.textSide}>
        {context.detail.level === 'balanced' ? null : (
          <p className={css.hint} data-testid={TESTIDS.viewDetail}>
            {words.detail(nameOf(words.details, context.detail.level), context.detail.reason)}
          </p>
        )}
        {context.text === '' ? (
          <EmptyState icon={<ScanEye size={18} />} title={words.contextEmpty} />
        ) : (
          <div className={css.context} data-testid={TESTIDS.viewText}>
            {parts.map((part, index) => {
              const open = part.item ? openerOf(part.item) : null;
              // oxlint-disable-next-line react/no-array-index-key -- parts of one text
              if (!part.item || !open) return <span key={index}>{part.text}</span>;
              return (
                <button key={part.text} type="button" className={css.id} title={words.openItem(nameOf(words.kinds, part.item.kind), part.text)} data-testid={TESTIDS.viewItem} onClick={open}>
                  {part.text}
                </button>
              );
            })}
          </div>
        )}
      </div>
      <aside className={css.onlyYou} aria-label={words.onlyYou} data-testid={TESTIDS.viewWithheld}>
        <h3 className={css.onlyYouTitle}>
          <EyeOff size={14} aria-hidden="true" />
          {words.onlyYou}
        </h3>
        {context.withheld.length === 0 ? (
          <p>{words.withheldNone}</p>
        ) : (
          <>
            <p className={css.hint}>{words.onlyYouText}</p>
            <dl className={css.rules}>
              {context.withheld.map((each) => (
                <div key={each.rule} data-rule={each.rule}>
                  <dt className="num">{words.ruleCount(each.count)}</dt>
                  <dd>{nameOf(words.rules, each.rule)}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
        {context.items.length > 0 ? <Sources text={context.text} items={context.items} /> : null}
      </aside>
    </div>
  );
}

/** Number of sources shown at first. A context of normal size has fewer. */
const SOURCES_SHOWN = 60;

/** The items with their ids in the original export. */
function Sources({ text, items }: { text: string; items: readonly ContextItemView[] }) {
  const words = t.privacy;
  const lines = useMemo(() => linesOf(text, items), [text, items]);
  return (
    <details className={css.sources}>
      <summary>{words.items}</summary>
      <ul>
        {items.slice(0, SOURCES_SHOWN).map((item) => {
          const open = openerOf(item);
          const said = lines.get(item.id) ?? item.id;
          return (
            <li key={item.id} className={css.source}>
              {open ? (
                <button type="button" className={css.sourceOpen} title={words.openItem(nameOf(words.kinds, item.kind), item.id)} onClick={open}>
                  {said}
                </button>
              ) : (
                <span className={css.sourceOpen}>{said}</span>
              )}
              <code className={css.address}>{item.sources.length === 0 ? words.sharedItem : item.sources.map((source) => `${source.kind}: ${source.conversation} / ${source.message}`).join(', ')}</code>
            </li>
          );
        })}
      </ul>
      {items.length > SOURCES_SHOWN ? <p className={css.hint}>{words.moreItems(items.length - SOURCES_SHOWN)}</p> : null}
    </details>
  );
}
