/** Shows the exact context that an agent would be served instead of this page, as in Privacy. */
import { useMemo } from 'react';
import { useRpc } from '../../api';
import { Button, ErrorState, LoadingRows, endOfDay, partialDate } from '../../design';
import { go } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Given } from '../privacy/ViewAs';
import css from './You.module.css';

export function AgentView({ agent, day, onClose }: { agent: string; day: string | null; onClose: () => void }) {
  const request = useMemo(() => ({ agent, as_of: day === null ? null : endOfDay(day) }), [agent, day]);
  const { data, error, refetch } = useRpc('context_preview', request, { keepPrevious: true });
  const words = t.you;
  return (
    <section className={css.agentView} aria-label={words.agentTitle(agent)} data-testid={TESTIDS.youAgentView}>
      <div className={css.agentHead}>
        <div className={css.agentWords}>
          <h2>{words.agentTitle(agent)}</h2>
          <p className={css.hint}>{day === null ? words.agentText : words.agentTextAsOf(partialDate(day))}</p>
        </div>
        <Button size="s" tone="quiet" onClick={() => go('privacy', { viewAs: { agent } })}>
          {words.agentMore}
        </Button>
        <Button size="s" onClick={onClose}>
          {words.agentClose}
        </Button>
      </div>
      {error ? (
        <ErrorState title={words.agentFailed} text={words.loadFailedText} detail={error.message} onRetry={() => void refetch()} />
      ) : data ? (
        <div className={css.agentContext}>
          <Given context={data} />
        </div>
      ) : (
        <LoadingRows />
      )}
    </section>
  );
}
