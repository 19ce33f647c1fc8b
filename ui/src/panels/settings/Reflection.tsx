/** Settings → General: cleanups that maintenance applies without asking. Off by default. */
import { type ReflectionSettings, call, rpcKey, useChoices, useRpc } from '../../api';
import { Switch } from '../../design';
import { showError } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Row, Section } from './Rows';

const KINDS = ['archive', 'merge'] as const;

interface Switched {
  readonly kind: (typeof KINDS)[number];
  readonly isOn: boolean;
}

export function ReflectionChoices() {
  const { data } = useRpc('reflection_settings_get', {});
  const chosen = data?.automatic ?? [];
  const change = useChoices<ReflectionSettings, Switched>({
    key: rpcKey('reflection_settings_get', {}),
    apply: ({ automatic }, { kind, isOn }) => ({ automatic: isOn ? [...automatic.filter((each) => each !== kind), kind] : automatic.filter((each) => each !== kind) }),
    write: (next) => call('reflection_settings_set', next),
  });
  return (
    <Section title={t.panels.reflection}>
      <Row name={t.reflection.settingsName} hint={t.reflection.settingsHint} />
      {KINDS.map((kind) => (
        <Row key={kind} name={t.reflection.automatic[kind].name} hint={t.reflection.automatic[kind].hint}>
          <Switch label={t.reflection.automatic[kind].name} checked={chosen.includes(kind)} testId={TESTIDS.reflectionAutomatic} onChange={(isOn) => void change({ kind, isOn }).catch(showError)} />
        </Row>
      ))}
    </Section>
  );
}
