/** Tests a model with an invented conversation: what was sent, the reply, and whether it is usable. */
import { ChevronRight, CircleAlert, CircleCheck, FlaskConical, X } from 'lucide-react';
import { type ModelTest, type ProviderView, call } from '../../api';
import { Button, IconButton } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Asking } from './Asking';
import { ModelRating } from './ModelRating';
import css from './Models.module.css';
import { type Asked, useAsked } from './asked';

export interface Test extends Asked<ModelTest> {
  readonly provider: ProviderView | null;
  readonly isPossible: boolean;
}

export function useModelTest(provider: ProviderView | null, before?: () => Promise<unknown>): Test {
  const asked = useAsked<ModelTest>(JSON.stringify(provider), async () => {
    await before?.();
    if (!provider) throw new Error(t.models.none);
    return call('model_test', provider);
  });
  return { ...asked, provider, isPossible: provider !== null && provider.url !== '' && provider.model !== '' };
}

export function TestButton({ test, isDisabled = false }: { test: Test; isDisabled?: boolean }) {
  return (
    <Button size="s" icon={<FlaskConical size={13} aria-hidden="true" />} disabled={isDisabled || !test.isPossible || test.state.kind === 'asking'} testId={TESTIDS.modelTest} title={t.models.testHint} onClick={test.start}>
      {t.models.test}
    </Button>
  );
}

/** "2.4 s": the duration of a model's reply, with one decimal. */
const seconds = (duration_ms: number) => `${(duration_ms / 1_000).toFixed(1)} s`;

export function TestResult({ test: { provider, state, clear } }: { test: Test }) {
  if (state.kind === 'idle') return null;
  if (state.kind === 'asking') {
    return (
      <div className={css.test} data-testid={TESTIDS.modelTestResult}>
        <Asking stage={t.models.testing(provider?.model ?? '')} since={state.since} />
      </div>
    );
  }
  const isGood = state.kind === 'done' && state.result.is_usable;
  const problem = state.kind === 'done' ? state.result.problem : state.message;
  return (
    <div className={css.test} data-good={isGood} data-testid={TESTIDS.modelTestResult}>
      <div className={css.testHead} role="status">
        {isGood ? <CircleCheck size={16} aria-hidden="true" /> : <CircleAlert size={16} aria-hidden="true" />}
        <b>{isGood ? t.models.testUsable : state.kind === 'done' && state.result.received !== null ? t.models.testUnusable : t.models.testFailed}</b>
        {state.kind === 'done' ? <span className={css.testTook}>{t.models.testTook(seconds(state.result.duration_ms), state.result.tokens)}</span> : null}
        <span className={css.space} />
        <IconButton label={t.models.testHide} size="s" onClick={clear}>
          <X size={14} />
        </IconButton>
      </div>
      {problem ? <p className={css.testProblem}>{problem}</p> : null}
      {isGood && provider ? <ModelRating key={JSON.stringify(provider)} provider={provider} /> : null}
      {state.kind === 'done' ? (
        <>
          <Folded title={t.models.testSent} text={state.result.sent} />
          <Folded title={t.models.testReceived} text={state.result.received} isOpen={!isGood} />
        </>
      ) : null}
    </div>
  );
}

function Folded({ title, text, isOpen = false }: { title: string; text: string | null; isOpen?: boolean }) {
  return (
    <details className={css.folded} open={isOpen || undefined}>
      <summary className={css.summary}>
        <ChevronRight size={13} aria-hidden="true" />
        {title}
      </summary>
      {text === null ? (
        <p className={css.testNothing}>{t.models.testNothing}</p>
      ) : (
        // Focusable, so that it can be scrolled by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={css.text} tabIndex={0} aria-label={title}>
          {text}
        </pre>
      )}
    </details>
  );
}
