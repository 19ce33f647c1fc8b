/** Rates a model: about ten calls about invented conversations, with counts and a way to stop them. */
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';
import { type ProviderView, call } from '../../api';
import { Button } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Asking } from './Asking';
import css from './Models.module.css';
import { Problem } from './Rows';
import { useAsked } from './asked';

const ICONS = { good: CircleCheck, weak: CircleAlert, unfit: CircleX } as const;

const stop = () => void call('model_rate_stop', {});

export function ModelRating({ provider }: { provider: ProviderView }) {
  const { state, start, clear } = useAsked(JSON.stringify(provider), () => call('model_rate', provider), stop);
  return (
    <div className={css.rating} data-testid={TESTIDS.modelRating}>
      {state.kind === 'asking' ? (
        <Asking stage={t.models.ratingNow} since={state.since} hint={t.models.rateHint} stopTestId={TESTIDS.modelRateStop} onStop={clear} />
      ) : state.kind === 'done' ? (
        <ul className={css.ratings} aria-label={t.models.rating}>
          {state.result.tasks.map(({ task, verdict, right, of, wrong }) => {
            const Icon = ICONS[verdict];
            return (
              <li key={task} data-verdict={verdict}>
                <Icon size={14} aria-hidden="true" />
                <span>
                  <b>{t.models.rated[task][verdict]}</b> {t.models.ratedCount(right, of)}
                  {wrong > 0 ? t.models.ratedWrong[task](wrong) : null}
                </span>
              </li>
            );
          })}
        </ul>
      ) : (
        <>
          <Button size="s" testId={TESTIDS.modelRate} title={t.models.rateHint} onClick={start}>
            {t.models.rate}
          </Button>
          <Problem text={state.kind === 'failed' ? state.message : null} />
        </>
      )}
    </div>
  );
}
