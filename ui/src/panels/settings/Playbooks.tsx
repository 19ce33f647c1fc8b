/** Settings → General: the webhook for new playbooks. Off unless an address is entered. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type PlaybookSettings, call, rpcKey, useRpc } from '../../api';
import { errorMessage } from '../../state';
import { EntryField } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Row, Section } from './Rows';
import css from './Settings.module.css';

export function PlaybookNotices() {
  const client = useQueryClient();
  const { data } = useRpc('playbook_settings_get', {});
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const words = t.playbooks;
  const stored = data?.webhook ?? '';
  const save = async () => {
    if (typed === null || typed.trim() === stored) {
      setTyped(null);
      return;
    }
    setProblem(null);
    try {
      const next: PlaybookSettings = await call('playbook_settings_set', { webhook: typed.trim() || null });
      client.setQueryData(rpcKey('playbook_settings_get', {}), next);
      setTyped(null);
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  const type = (next: string | null) => {
    setTyped(next);
    setProblem(null);
  };
  return (
    <Section title={t.panels.playbooks}>
      <Row name={words.webhook} hint={words.webhookHint} problem={problem ?? undefined}>
        <EntryField className={css.address} type="url" name={words.webhook} placeholder={words.webhookNone} typed={typed} stored={stored} isBad={problem !== null} testId={TESTIDS.playbookWebhook} onType={type} onSave={save} />
      </Row>
    </Section>
  );
}
