/** Settings → General: what may be tidied at night without asking. Nothing unless it is chosen; what changes words never. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { call, rpcKey, useRpc } from '../../api';
import { Switch } from '../../design';
import { showError } from '../../state/toasts';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Row, Section } from './Rows';

const SAFE = ['archive', 'merge', 'significance'] as const;

export function ReflectionChoices() {
  const client = useQueryClient();
  const { data } = useRpc('reflection_settings_get', {});
  // A second choice follows on the first, whether or not that one was answered yet.
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const chosen = wanted ?? data?.automatic ?? [];
  const choose = (kind: string, on: boolean) => {
    const automatic = on ? [...chosen, kind] : chosen.filter((each) => each !== kind);
    setWanted(automatic);
    call('reflection_settings_set', { automatic }).then(
      (next) => client.setQueryData(rpcKey('reflection_settings_get', {}), next),
      (failure: unknown) => {
        setWanted(null);
        showError(failure);
      },
    );
  };
  return (
    <Section title={t.panels.reflection}>
      <Row name={t.reflection.settingsName} hint={t.reflection.settingsHint} />
      {SAFE.map((kind) => (
        <Row key={kind} name={t.reflection.automatic[kind].name} hint={t.reflection.automatic[kind].hint}>
          <Switch label={t.reflection.automatic[kind].name} checked={chosen.includes(kind)} testId={TESTIDS.reflectionAutomatic} onChange={(on) => choose(kind, on)} />
        </Row>
      ))}
    </Section>
  );
}
