/** Downloads a model for Ollama on this computer with one click. Lists models with size and license, and shows the progress. */
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type ModelPullView, call, useRpc } from '../../api';
import { Button } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Asking } from './Asking';
import css from './Models.module.css';
import { Problem } from './Rows';
import { errorMessage } from '../../state';

/** Small models that can reply in the requested format. Sizes are from Ollama's library. */
const OFFERED = [
  { model: 'qwen3:4b', size_gb: 2.5, memory_gb: 8, licence: 'Apache 2.0' },
  { model: 'qwen3:8b', size_gb: 5.2, memory_gb: 16, licence: 'Apache 2.0' },
] as const;

/** Interval between progress requests. */
const LOOK_MS = 1_000;

export function PullModel({ url, onDone }: { url: string; onDone: () => void }) {
  const { data: known } = useRpc('model_pull_state', {});
  const [pull, setPull] = useState<ModelPullView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const shown = pull ?? known ?? null;
  const isRunning = shown !== null && shown.model !== null && !shown.is_over;
  useEffect(() => {
    if (!isRunning) return;
    const look = setInterval(() => {
      call('model_pull_state', {}).then(
        (next) => {
          setPull(next);
          if (next.is_over && next.model !== null && next.problem === null) onDone();
        },
        (thrown: unknown) => setProblem(errorMessage(thrown)),
      );
    }, LOOK_MS);
    return () => clearInterval(look);
  }, [isRunning, onDone]);
  const start = async (model: string) => {
    setProblem(null);
    try {
      setPull(await call('model_pull', { url, model }));
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  if (isRunning) {
    return (
      <div className={css.rating} data-testid={TESTIDS.modelPull}>
        <Asking
          stage={t.models.pulling(shown.model ?? '')}
          done={shown.done}
          total={shown.total}
          words={shown.total > 0 ? t.models.pulled(shown.done, shown.total) : undefined}
          hint={t.models.pullGoesOn}
          stopTestId={TESTIDS.modelPullStop}
          onStop={() => void call('model_pull_stop', {}).then(setPull, (thrown: unknown) => setProblem(errorMessage(thrown)))}
        />
      </div>
    );
  }
  return (
    <div className={css.rating} data-testid={TESTIDS.modelPull}>
      <ul className={css.models} aria-label={t.models.pullOffer}>
        {OFFERED.map(({ model, size_gb, memory_gb, licence }) => (
          <li key={model} className={css.modelRow}>
            <span className={css.modelName}>{model}</span>
            <span className={css.offer}>{t.models.pullAbout(size_gb, memory_gb, licence)}</span>
            <Button size="s" icon={<Download size={13} aria-hidden="true" />} label={t.models.pullModel(model)} testId={TESTIDS.modelPullStart} onClick={() => void start(model)}>
              {t.models.pull}
            </Button>
          </li>
        ))}
      </ul>
      <Problem text={problem ?? shown?.problem} />
    </div>
  );
}
