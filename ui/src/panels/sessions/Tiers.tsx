/**
 * The tiers of long-term memory exactly as served to an agent, and below each tier the lines that did not fit.
 *
 * It uses the same code as an agent's request, so it shows exactly what would be served.
 */
import { Layers2 } from 'lucide-react';
import { type ReactNode, useId, useMemo } from 'react';
import { type TierLineView, type TierView, type TiersRequest, useRpc } from '../../api';
import { EmptyState, ErrorState, LoadingRows, type Option, PaneBar, PaneBody, PaneHeader, Pick, Segmented, SplitPane, fullTime } from '../../design';
import { useUiState } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { SaidLine } from '../shared/DetailPane';
import { Significance } from './Significance';
import css from './Sessions.module.css';

interface Form {
  agent: string;
  person: string;
  role: string;
}
const EMPTY: Form = { agent: '', person: '', role: 'own' };
const ROLES = ['own', 'guest', 'friend', 'owner'] as const;
type Role = (typeof ROLES)[number];

const orNull = (text: string): string | null => text.trim() || null;

export function requestOf(form: Form): Partial<TiersRequest> {
  return { agent: orNull(form.agent), person: orNull(form.person), role: form.role === 'own' ? null : orNull(form.role) };
}

export function Tiers({ tabs }: { tabs: ReactNode }) {
  const [kept, setKept] = useUiState<object>('sessions.tiers', EMPTY);
  const form = useMemo<Form>(() => ({ ...EMPTY, ...(kept as Partial<Form>) }), [kept]);
  const set = (change: Partial<Form>) => setKept({ ...form, ...change });
  const request = useMemo(() => requestOf(form), [form]);
  const { data, error, isPending, refetch } = useRpc('tiers_preview', request, { keepPrevious: true });
  const words = t.sessions;
  return (
    <SplitPane
      name="tiers"
      initial={320}
      list={
        <>
          <PaneHeader title={t.panels.sessions} />
          <PaneBar>{tabs}</PaneBar>
          <PaneBody label={words.tiersForm}>
            <Fields form={form} onChange={set} />
          </PaneBody>
        </>
      }
      detail={
        <>
          <PaneHeader level={2} title={words.tiersTitle} count={data ? words.asRole(nameOf(words.roles, data.role)) : undefined} />
          <PaneBody label={words.tiersTitle}>
            {error ? (
              <ErrorState title={words.tiersFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
            ) : isPending || !data ? (
              <LoadingRows />
            ) : data.tiers.every((tier) => tier.lines.length === 0 && tier.is_allowed) ? (
              <EmptyState icon={<Layers2 size={20} />} title={words.tierEmpty} text={words.emptyText} />
            ) : (
              <div className={css.detail}>
                {data.tiers.map((tier) => (
                  <Tier key={`${tier.tier} ${tier.agent ?? ''} ${tier.user ?? ''}`} tier={tier} />
                ))}
                {data.withheld.length > 0 ? (
                  <section className={css.section}>
                    <h3 className={css.heading}>{words.withheldTitle}</h3>
                    {data.withheld.map((held) => (
                      <p key={held.rule} className={css.hint}>
                        {words.withheld(held.count, nameOf(t.privacy.rules, held.rule))}
                      </p>
                    ))}
                  </section>
                ) : null}
              </div>
            )}
          </PaneBody>
        </>
      }
    />
  );
}

function Fields({ form, onChange }: { form: Form; onChange: (change: Partial<Form>) => void }) {
  const { data } = useRpc('agents_overview', {});
  const words = t.sessions;
  const [agent, person] = [useId(), useId()];
  const agents = useMemo<Option[]>(() => (data?.agents ?? []).map((each) => ({ value: each.name, label: each.name })), [data]);
  const people = useMemo<Option[]>(() => (data?.people ?? []).map((each) => ({ value: each.id, label: each.name, hint: nameOf(words.roles, each.role) })), [data, words]);
  return (
    <div className={css.form}>
      <p className={css.hint}>{words.tiersText}</p>
      <div className={css.formRow}>
        <label className={css.formLabel} htmlFor={agent}>
          {words.agent}
        </label>
        <Pick id={agent} describedBy={`${agent}-hint`} label={words.agent} options={agents} value={form.agent} onChange={(next) => onChange({ agent: next })} none={words.noOption} testId={TESTIDS.tiersAgent} />
        <span id={`${agent}-hint`} className={css.hint}>
          {words.agentHint}
        </span>
      </div>
      <div className={css.formRow}>
        <label className={css.formLabel} htmlFor={person}>
          {t.app.talkingWith}
        </label>
        <Pick id={person} describedBy={`${person}-hint`} label={t.app.talkingWith} options={people} value={form.person} onChange={(next) => onChange({ person: next })} none={words.noOption} testId={TESTIDS.tiersPerson} />
        <span id={`${person}-hint`} className={css.hint}>
          {t.app.talkingWithHint}
        </span>
      </div>
      <div className={css.formRow}>
        <span className={css.formLabel}>{words.role}</span>
        <Segmented<Role> label={words.role} value={(ROLES as readonly string[]).includes(form.role) ? (form.role as Role) : 'own'} choices={ROLES.map((value) => ({ value, label: nameOf(words.roles, value), testId: `tiers-role-${value}` }))} onChange={(role) => onChange({ role })} />
        <span className={css.hint}>{words.roleHint}</span>
      </div>
    </div>
  );
}

function titleOf(tier: TierView): string {
  const words = t.sessions;
  if (tier.tier === 'agent' && tier.agent) return words.ofAgent(tier.agent);
  if (tier.tier === 'user' && tier.user) return words.ofUser(tier.user, tier.agent ?? '');
  return nameOf(words.tiers, tier.tier);
}

function Tier({ tier }: { tier: TierView }) {
  const words = t.sessions;
  return (
    <section className={css.section} data-testid={TESTIDS.tier} data-tier={tier.tier}>
      <div className={css.tierHead}>
        <h3 className={css.heading}>{titleOf(tier)}</h3>
        <span className={css.used} data-testid={TESTIDS.tierBudget}>
          <span className={css.meter} aria-hidden="true">
            <span className={css.full} style={{ width: `${(100 * tier.chars) / tier.budget}%` }} />
          </span>
          <span className="num">{words.budget(number(tier.chars), number(tier.budget))}</span>
        </span>
      </div>
      {!tier.is_allowed ? (
        <p className={css.hint}>{words.notAllowed}</p>
      ) : tier.lines.length === 0 ? (
        <p className={css.hint}>{words.tierEmpty}</p>
      ) : (
        <Lines lines={tier.lines} testId={TESTIDS.tierLine} />
      )}
      {tier.left_out.length > 0 ? (
        <details className={css.left} data-testid={TESTIDS.tierLeftOut}>
          <summary>{words.leftOut(tier.left_out.length)}</summary>
          <p className={css.hint}>{words.leftOutText}</p>
          <Lines lines={tier.left_out} testId={TESTIDS.tierLine} />
        </details>
      ) : null}
      {tier.repeated > 0 ? <p className={css.hint}>{words.repeated(tier.repeated)}</p> : null}
    </section>
  );
}

function Lines({ lines, testId }: { lines: readonly TierLineView[]; testId: string }) {
  return (
    <ul className={css.lines}>
      {lines.map((line) => (
        <li key={line.id} className={css.tierLine}>
          <Significance level={line.significance} />
          <SaidLine conversation={line.line.conversation_id} message={line.line.message_id} testId={testId} title={`${t.app.openInConversation} · ${line.line.conversation_title} · ${fullTime(line.line.time)}`}>
            <span className={css.given}>{line.text}</span>
          </SaidLine>
        </li>
      ))}
    </ul>
  );
}
