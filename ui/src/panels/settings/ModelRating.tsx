/** What a model is good for: some ten calls about made-up conversations, counted, with a way to stop them. */
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type ProviderView, type TaskRatingView, call } from '../../api';
import { Button, Progress } from '../../design';
import { useSeconds } from '../../state/seconds';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Models.module.css';
import { Problem } from './Rows';
import { saidBy } from './models';

type State = { readonly kind: 'idle'; readonly problem?: string } | { readonly kind: 'asking'; readonly since: number } | { readonly kind: 'done'; readonly tasks: readonly TaskRatingView[] };

const ICONS = { good: CircleCheck, weak: CircleAlert, unfit: CircleX } as const;

export function ModelRating({ provider }: { provider: ProviderView }) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  /** The rating that is waited for. */
  const running = useRef<symbol | null>(null);
  const stop = () => {
    running.current = null;
    void call('model_rate_stop', {});
  };
  // Whoever leaves the page does not wait for it any more.
  useEffect(
    () => () => {
      if (running.current) void call('model_rate_stop', {});
    },
    [],
  );
  const start = async () => {
    const mine = Symbol('rating');
    running.current = mine;
    const end = (next: State) => {
      if (running.current !== mine) return;
      running.current = null;
      setState(next);
    };
    setState({ kind: 'asking', since: Date.now() });
    try {
      end({ kind: 'done', tasks: (await call('model_rate', provider)).tasks });
    } catch (thrown) {
      end({ kind: 'idle', problem: saidBy(thrown) });
    }
  };
  if (state.kind === 'asking') {
    return (
      <Asking
        since={state.since}
        onStop={() => {
          stop();
          setState({ kind: 'idle' });
        }}
      />
    );
  }
  return (
    <div className={css.rating} data-testid={TESTIDS.modelRating}>
      {state.kind === 'done' ? (
        <ul className={css.ratings} aria-label={t.models.rating}>
          {state.tasks.map(({ task, verdict, right, of, wrong }) => {
            const Icon = ICONS[verdict];
            return (
              <li key={task} data-verdict={verdict}>
                <Icon size={14} aria-hidden="true" />
                <span>
                  <b>{t.models.rated[task][verdict]}</b> {t.models.ratedCount(right, of, wrong)}
                </span>
              </li>
            );
          })}
        </ul>
      ) : (
        <>
          <Button size="s" testId={TESTIDS.modelRate} title={t.models.rateHint} onClick={() => void start()}>
            {t.models.rate}
          </Button>
          <Problem text={state.problem} />
        </>
      )}
    </div>
  );
}

function Asking({ since, onStop }: { since: number; onStop: () => void }) {
  const now = useSeconds(true);
  return (
    <div className={css.rating} role="status" data-testid={TESTIDS.modelRating}>
      <Progress stage={t.models.ratingNow} done={0} total={0} elapsed_ms={Math.max(0, now - since)} />
      <Button size="s" testId={TESTIDS.modelRateStop} onClick={onStop}>
        {t.app.cancel}
      </Button>
    </div>
  );
}
