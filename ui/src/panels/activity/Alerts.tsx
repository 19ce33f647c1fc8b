/** Alerts: what happened, what it affects, and what to do. Dismissed alerts disappear immediately. */
import { BellOff, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { type AlertView, call, useRpc } from '../../api';
import { Button, EmptyState, ErrorState, LoadingRows, PaneBody, RelativeTime } from '../../design';
import { showError } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { retryJob } from '../shared/jobs';
import css from './Activity.module.css';

export function Alerts() {
  const { data, error, refetch } = useRpc('alerts_list', {});
  const [gone, setGone] = useState<readonly string[]>([]);
  if (error) return <ErrorState title={t.activity.alertsFailed} text={t.activity.failedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={3} height={84} />;
  const shown = data.items.filter((alert) => !gone.includes(alert.id));
  if (shown.length === 0) return <EmptyState icon={<BellOff size={20} />} title={t.activity.alertsEmpty} text={t.activity.alertsEmptyText} />;
  const dismiss = (alert: AlertView) => {
    setGone((ids) => [...ids, alert.id]);
    call('alert_dismiss', { id: alert.id }).catch((thrown: unknown) => {
      setGone((ids) => ids.filter((id) => id !== alert.id));
      showError(thrown);
    });
  };
  return (
    <PaneBody label={t.activity.alerts}>
      <ul>
        {shown.map((alert) => (
          <li key={alert.id} className={css.alert} data-testid={TESTIDS.alertRow}>
            <TriangleAlert size={16} className={css.alertIcon} aria-hidden="true" />
            <div className={css.alertBody}>
              <p className={css.alertHead}>
                <b>{nameOf(t.activity.alertKind, alert.kind)}</b>
                <span className={css.meta}>
                  <RelativeTime time={alert.created_at} />
                </span>
              </p>
              <p className={css.alertText}>{alert.message}</p>
            </div>
            {alert.job_id ? (
              <Button size="s" testId={TESTIDS.alertRetry} onClick={() => retryJob(alert.job_id ?? '')}>
                {t.app.retry}
              </Button>
            ) : null}
            <Button size="s" tone="quiet" testId={TESTIDS.alertDismiss} onClick={() => dismiss(alert)}>
              {t.activity.dismiss}
            </Button>
          </li>
        ))}
      </ul>
    </PaneBody>
  );
}
