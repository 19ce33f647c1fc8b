/**
 * Settings → Models: which engine makes proposals, which model it uses, and what may be sent to the model and when.
 *
 * Not in this module: the log of sent texts (Activity), and the embedding model, which needs no choice (General).
 */
import { CirclePause, Clock, Globe, Monitor, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { type ModelsView, type ProviderView, call, useRpc } from '../../api';
import { Badge, Button, Dialog, EntryField, ErrorState, LoadingRows, PaneBody, Segmented, Switch } from '../../design';
import { errorMessage, go, hideToasts, setUiState, showToast } from '../../state';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { FoundServers } from './FoundServers';
import { ModelKey } from './ModelKey';
import { TestButton, TestResult, useModelTest } from './ModelTest';
import css from './Models.module.css';
import { OtherServer } from './OtherServer';
import { Problem, Row, Section } from './Rows';
import settingsCss from './Settings.module.css';
import { TaskModels } from './TaskModels';
import { KINDS, type Models, PRESETS, type Preset, hostOf, presetOf, profileOf, useModels } from './models';

/** Maximum daily budget, more than any plan allows. The backend accepts larger numbers, but they are probably typos. */
const BUDGET_TOKENS_MAX = 100_000_000;
/**
 * Limits of the context size. With less than the minimum, a prompt has no room for its input. The backend does not use more than
 * the maximum.
 */
const CONTEXT_TOKENS_MIN = 2_000;
const CONTEXT_TOKENS_MAX = 10_000_000;
/** From this share of the budget on, the bar has the warning color. */
const BUDGET_WARN = 0.9;

export function ModelsTab() {
  const { models, error, retry } = useModels();
  if (error && !models) return <ErrorState title={t.models.loadFailed} text={t.models.loadFailedText} detail={error.message} onRetry={retry} />;
  if (!models) return <LoadingRows />;
  return (
    <PaneBody label={t.models.models}>
      <div className={settingsCss.measure}>
        <Engines models={models} />
        <ChosenModel models={models} />
        <Leaving models={models} />
        <Reading models={models} />
        <Profile models={models} />
      </div>
    </PaneBody>
  );
}

const ENGINES = ['built_in', 'model', 'both'] as const;
const ENGINE_IDS = { built_in: TESTIDS.engineBuiltIn, model: TESTIDS.engineModel, both: TESTIDS.engineBoth };

function Engines({ models: { view, change, problems } }: { models: Models }) {
  const { engines, provider } = view.settings;
  return (
    <Section title={t.models.engines}>
      <div role="radiogroup" aria-label={t.models.engines}>
        {ENGINES.map((engine) => {
          const { name, text } = t.models.engine[engine];
          const isMissing = engine !== 'built_in' && provider === null;
          return (
            <label key={engine} className={css.engine} data-off={isMissing || undefined}>
              <input
                type="radio"
                name="engines"
                className={css.radio}
                checked={engines === engine}
                disabled={isMissing && engines !== engine}
                aria-describedby={`engine-${engine}`}
                data-testid={ENGINE_IDS[engine]}
                onChange={() => {
                  // Hides the notice about a newly chosen model, which offers the same choice.
                  hideToasts('model');
                  void change('engines', { engines: engine });
                }}
              />
              <span className={css.engineName}>{name}</span>
              <span className={css.engineText} id={`engine-${engine}`}>
                {text}
                {isMissing ? <span className={css.missing}>{t.models.engineMissing}</span> : null}
              </span>
            </label>
          );
        })}
      </div>
      <Problem text={problems.engines} />
      <p className={settingsCss.hint}>{t.models.enginesAlso}</p>
    </Section>
  );
}

export function PlaceBadge({ isLocal }: { isLocal: boolean }) {
  return isLocal ? (
    <Badge>
      <Monitor size={12} aria-hidden="true" />
      {t.models.local}
    </Badge>
  ) : (
    <Badge tone="warn">
      <Globe size={12} aria-hidden="true" />
      {t.models.remote}
    </Badge>
  );
}

function showJobs(tab: 'jobs' | 'calls') {
  setUiState('activity.tab', tab);
  go('activity');
}

function ChosenModel({ models }: { models: Models }) {
  const { view, problems } = models;
  const { provider, this_computer_only } = view.settings;
  const test = useModelTest(provider);
  const isForbidden = provider !== null && !view.is_local && this_computer_only;
  return (
    <Section title={t.models.model}>
      <div className={css.chosen} data-testid={TESTIDS.modelChosen}>
        {provider ? (
          <>
            <div className={css.chosenWords}>
              <p className={css.chosenName}>
                <span className={css.modelName}>{provider.model}</span>
                <PlaceBadge isLocal={view.is_local} />
              </p>
              <p className={settingsCss.hint}>{t.models.at(nameOf(t.models.shape, provider.shape), provider.url)}</p>
            </div>
            <TestButton test={test} isDisabled={isForbidden} />
          </>
        ) : (
          <div className={css.chosenWords}>
            <p className={css.chosenName}>{t.models.none}</p>
            <p className={settingsCss.hint}>{t.models.noneText}</p>
          </div>
        )}
      </div>
      <Problem text={problems.provider} />
      <TestResult test={test} />
      {isForbidden ? (
        <div className={css.notice} data-tone="warn" role="status">
          <TriangleAlert size={16} aria-hidden="true" />
          <p className={css.noticeText}>{t.models.forbidden}</p>
        </div>
      ) : null}
      {provider ? <ContextLength key={`${provider.url} ${provider.model}`} models={models} provider={provider} /> : null}
      <Hold view={view} />
      {provider && (!view.is_local || view.has_key) ? <ModelKey key={`key ${provider.url}`} models={models} provider={provider} /> : null}
      <FoundServers models={models} />
      <OtherServer models={models} />
      {provider ? <TaskModels key={`tasks ${provider.url}`} models={models} provider={provider} /> : null}
    </Section>
  );
}

/** The context size of the model, if its server does not report it or reports too much. */
function ContextLength({ models: { change, problems }, provider }: { models: Models; provider: ProviderView }) {
  const known = provider.context_tokens;
  const [typed, setTyped] = useState<string | null>(null);
  const entry = typed?.trim() === '' ? undefined : typed === null ? known : wholeNumber(typed);
  const isBad = entry !== undefined && !(Number.isInteger(entry) && entry >= CONTEXT_TOKENS_MIN && entry <= CONTEXT_TOKENS_MAX);
  const save = () => {
    if (typed === null || isBad) return;
    setTyped(null);
    if (entry !== known) void change('context', { provider: { ...provider, context_tokens: entry } });
  };
  return (
    <Row name={t.models.context} hint={t.models.contextHint} problem={isBad ? t.models.contextBad(CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX) : problems.context}>
      <EntryField className={css.number} inputMode="numeric" name={t.models.context} typed={typed} stored={known === undefined ? '' : number(known)} placeholder={t.models.contextAsked} isBad={isBad} testId={TESTIDS.contextTokens} onType={setTyped} onSave={save} />
    </Row>
  );
}

const wholeNumber = (typed: string) => Number(typed.replace(/[\s,.]/g, ''));

/** The reason why queued jobs do not start, or their number. */
function Hold({ view }: { view: ModelsView }) {
  if (view.hold === null && view.waiting === 0) return null;
  return (
    <div className={css.notice} role="status" data-tone={view.hold === null ? undefined : 'warn'} data-testid={TESTIDS.modelHold}>
      {view.hold === null ? <Clock size={16} aria-hidden="true" /> : <CirclePause size={16} aria-hidden="true" />}
      <div className={css.noticeText}>
        {view.hold === null ? null : <b>{t.models.held}</b>}
        <p>
          {view.hold} {view.waiting > 0 ? t.models.waiting(view.waiting) : null}
        </p>
      </div>
      <Button size="s" onClick={() => showJobs('jobs')}>
        {t.models.activity}
      </Button>
    </div>
  );
}

function Leaving({ models: { view, change, problems } }: { models: Models }) {
  const { settings, today } = view;
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const isOnlyHere = settings.this_computer_only;
  const entry = typed === null ? settings.remote_tokens_a_day : wholeNumber(typed);
  const isBad = !Number.isInteger(entry) || entry < 0 || entry > BUDGET_TOKENS_MAX || typed?.trim() === '';
  const save = () => {
    if (typed === null || isBad) return;
    setTyped(null);
    if (entry !== settings.remote_tokens_a_day) void change('remote_tokens_a_day', { remote_tokens_a_day: entry });
  };
  const allow = () => {
    setAsking(false);
    void change('this_computer_only', { this_computer_only: false });
  };
  return (
    <Section title={t.models.leaves}>
      <Row name={t.models.onlyHere} hint={isOnlyHere ? t.models.onlyHereHint : t.models.onlyHereOff} problem={problems.this_computer_only}>
        <Switch label={t.models.onlyHere} checked={isOnlyHere} testId={TESTIDS.onlyHere} onChange={(next) => (next ? void change('this_computer_only', { this_computer_only: true }) : setAsking(true))} />
      </Row>
      <Row name={t.models.budget} hint={isOnlyHere ? `${t.models.budgetHint} ${t.models.budgetIdle}` : t.models.budgetHint} problem={isBad ? t.models.budgetBad(BUDGET_TOKENS_MAX) : problems.remote_tokens_a_day}>
        <div className={css.budget}>
          <EntryField className={css.number} inputMode="numeric" name={t.models.budget} typed={typed} stored={number(settings.remote_tokens_a_day)} isBad={isBad} testId={TESTIDS.budget} onType={setTyped} onSave={save} />
          <BudgetUse used={today.remote_tokens} of={settings.remote_tokens_a_day} />
        </div>
      </Row>
      <Row name={t.models.calls} hint={t.models.callsHint}>
        <span className={settingsCss.muted}>{t.models.callsToday(today.calls, today.remote_calls)}</span>
        <Button size="s" label={`${t.models.callsShow}: ${t.models.calls}`} onClick={() => showJobs('calls')}>
          {t.models.callsShow}
        </Button>
      </Row>
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.models.allowTitle}
        size="s"
        testId={TESTIDS.onlyHereDialog}
        confirm={{ label: t.models.allow, run: allow, otherwise: t.models.keepHere, testId: TESTIDS.onlyHereAllow }}
      >
        <p>{t.models.allowText}</p>
        <p className={css.after}>{t.models.allowNever}</p>
      </Dialog>
    </Section>
  );
}

function BudgetUse({ used, of }: { used: number; of: number }) {
  if (of === 0) return <span className={settingsCss.muted}>{t.models.budgetNone(used)}</span>;
  const share = Math.min(1, used / of);
  return (
    <span className={css.used} data-testid={TESTIDS.budgetUse}>
      <span className={css.track} role="meter" aria-label={t.models.budget} aria-valuemin={0} aria-valuemax={of} aria-valuenow={Math.min(used, of)} aria-valuetext={t.models.budgetUsed(used, of)}>
        <span className={css.bar} data-full={share >= BUDGET_WARN || undefined} style={{ width: `${share * 100}%` }} />
      </span>
      <span className={css.usage}>{t.models.budgetUsed(used, of)}</span>
    </span>
  );
}

function Reading({ models: { view, change, problems, say } }: { models: Models }) {
  const { settings, unread, is_local } = view;
  const { provider } = settings;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const read = async () => {
    setAsking(false);
    setBusy(true);
    say('earlier', null);
    try {
      const { queued } = await call('models_read_all', {});
      showToast({ text: t.models.earlierQueued(queued), replaces: 'model' });
    } catch (thrown) {
      say('earlier', errorMessage(thrown));
    } finally {
      setBusy(false);
    }
  };
  const where = provider === null ? t.models.earlierNoModel : unread === 0 ? t.models.earlierNone : is_local ? t.models.earlierLocal(unread, provider.model) : t.models.earlierRemote(unread, provider.model, hostOf(provider.url), settings.remote_tokens_a_day);
  const isForbidden = !is_local && settings.this_computer_only;
  const { data: cost } = useRpc('models_read_estimate', {}, { enabled: provider !== null && settings.engines !== 'built_in' && unread > 0 });
  const willCost = cost && cost.conversations > 0 ? t.models.earlierCost(cost.tokens, cost.duration_ms) : null;
  return (
    <Section title={t.models.when}>
      <Row name={t.models.battery} hint={t.models.batteryHint} problem={problems.pause_on_battery}>
        <Switch label={t.models.battery} checked={settings.pause_on_battery} testId={TESTIDS.battery} onChange={(pause_on_battery) => void change('pause_on_battery', { pause_on_battery })} />
      </Row>
      <div className={css.block}>
        <span className={settingsCss.name}>{t.models.earlier}</span>
        <p className={settingsCss.hint}>
          {where} {willCost}
        </p>
        <Problem text={problems.earlier} />
        {provider !== null && unread > 0 ? (
          <Button size="s" className={css.after} disabled={isBusy || isForbidden} testId={TESTIDS.readEarlier} onClick={() => (is_local ? void read() : setAsking(true))}>
            {t.models.earlierRead(unread)}
          </Button>
        ) : null}
      </div>
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.models.earlierTitle}
        size="s"
        confirm={{ label: t.models.earlierSend, run: read, testId: TESTIDS.readEarlierConfirm }}
      >
        <p>{where}</p>
        {willCost ? <p className={css.after}>{willCost}</p> : null}
        <p className={css.after}>{t.models.allowNever}</p>
      </Dialog>
    </Section>
  );
}

function Profile({ models: { view, change, problems } }: { models: Models }) {
  const { profile } = view.settings;
  const now = presetOf(profile);
  const choices: Preset[] = now === 'own' ? [...PRESETS, 'own'] : PRESETS;
  return (
    <Section title={t.models.profile}>
      <Row name={t.models.preset} hint={t.models.profileHint} problem={problems.profile}>
        <Segmented
          label={t.models.preset}
          value={now}
          testId={TESTIDS.profilePreset}
          choices={choices.map((preset) => ({ value: preset, label: nameOf(t.models.presets, preset) }))}
          onChange={(preset) => (preset === 'own' ? undefined : void change('profile', { profile: profileOf(preset) }))}
        />
      </Row>
      {KINDS.map((kind) => (
        <Row key={kind} name={t.models.kindOf[kind].name} hint={t.models.kindOf[kind].text}>
          <Switch label={t.models.kindOf[kind].name} checked={profile[kind]} testId={TESTIDS.profileKind} onChange={(on) => void change('profile', { profile: { ...profile, [kind]: on } })} />
        </Row>
      ))}
    </Section>
  );
}

