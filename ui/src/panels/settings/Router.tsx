/** Settings → General: whether programs reach the chosen model through Keepsake. Off unless switched on. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { call, rpcKey, useRpc } from '../../api';
import { Switch } from '../../design';
import { errorMessage } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Row } from './Rows';

export function Router({ port }: { /** Where agents are served; `null` if they are not. */ port: number | null }) {
  const client = useQueryClient();
  const { data } = useRpc('router_settings_get', {});
  const { data: models } = useRpc('models_get', {});
  const [problem, setProblem] = useState<string | null>(null);
  const words = t.agents.router;
  if (!data) return null;
  const save = async (is_on: boolean) => {
    setProblem(null);
    try {
      client.setQueryData(rpcKey('router_settings_get', {}), await call('router_settings_set', { is_on }));
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  const missing = () => {
    if (!data.is_on) return words.hint;
    if (port === null) return words.needsServer;
    if (models && !models.settings.provider) return words.needsModel;
    return words.address(port);
  };
  return (
    <Row name={words.name} hint={missing()} problem={problem ?? undefined}>
      <Switch label={words.name} checked={data.is_on} testId={TESTIDS.router} onChange={(is_on) => void save(is_on)} />
    </Row>
  );
}
