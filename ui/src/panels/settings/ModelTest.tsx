/** Trying a model with an invented conversation: what was sent, what came back, and whether it is of use. */
import { ChevronRight, CircleAlert, CircleCheck, FlaskConical, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type ModelTest, type ProviderView, call } from '../../api';
import { Button, IconButton, Progress } from '../../design';
import { useSeconds } from '../../state/seconds';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ModelRating } from './ModelRating';
import css from './Models.module.css';
import { saidBy } from './models';

export type TestState = { readonly kind: 'idle' } | { readonly kind: 'asking'; readonly since: number; readonly model: string } | { readonly kind: 'failed'; readonly message: string } | { readonly kind: 'done'; readonly result: ModelTest };

export interface Test {
  readonly provider: ProviderView | null;
  readonly state: TestState;
  readonly isPossible: boolean;
  readonly start: () => void;
  readonly clear: () => void;
}

/** An answer belongs to the model that was asked: choosing another forgets it. */
export function useModelTest(provider: ProviderView | null, before?: () => Promise<unknown>): Test {
  const id = JSON.stringify(provider);
  const [answer, setAnswer] = useState<{ of: string; state: TestState }>({ of: id, state: { kind: 'idle' } });
  const asked = useRef(0);
  useEffect(
    () => () => {
      asked.current += 1;
    },
    [],
  );
  const start = () => {
    if (!provider) return;
    asked.current += 1;
    const nth = asked.current;
    const set = (state: TestState) => {
      if (nth === asked.current) setAnswer({ of: id, state });
    };
    set({ kind: 'asking', since: Date.now(), model: provider.model });
    void (async () => {
      try {
        await before?.();
        set({ kind: 'done', result: await call('model_test', provider) });
      } catch (thrown) {
        set({ kind: 'failed', message: saidBy(thrown) });
      }
    })();
  };
  return {
    provider,
    state: answer.of === id ? answer.state : { kind: 'idle' },
    isPossible: provider !== null && provider.url !== '' && provider.model !== '',
    start,
    clear: () => {
      asked.current += 1;
      setAnswer({ of: id, state: { kind: 'idle' } });
    },
  };
}

export function TestButton({ test, isDisabled = false }: { test: Test; isDisabled?: boolean }) {
  return (
    <Button size="s" icon={<FlaskConical size={13} aria-hidden="true" />} disabled={isDisabled || !test.isPossible || test.state.kind === 'asking'} testId={TESTIDS.modelTest} title={t.models.testHint} onClick={test.start}>
      {t.models.test}
    </Button>
  );
}

/** "2.4 s": a model's answer is worth a tenth. */
const seconds = (duration_ms: number) => `${(duration_ms / 1_000).toFixed(1)} s`;

export function TestResult({ test: { provider, state, clear } }: { test: Test }) {
  if (state.kind === 'idle') return null;
  if (state.kind === 'asking') return <Asking since={state.since} model={state.model} />;
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

function Asking({ since, model }: { since: number; model: string }) {
  const now = useSeconds(true);
  return (
    <div className={css.test} role="status" data-testid={TESTIDS.modelTestResult}>
      <Progress stage={t.models.testing(model)} done={0} total={0} elapsed_ms={Math.max(0, now - since)} />
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
        // Focusable, so that it scrolls by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={css.text} tabIndex={0} aria-label={title}>
          {text}
        </pre>
      )}
    </details>
  );
}
