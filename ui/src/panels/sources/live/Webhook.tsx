/** What another program needs to send messages: the address, and once the token. */
import { useRpc } from '../../../api';
import { Button } from '../../../design';
import { go } from '../../../state';
import { t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { OnceDialog } from '../../shared/OnceDialog';
import formCss from '../Watched.module.css';
import { CopyField } from './CopyField';
import css from './LiveSources.module.css';

export const webhookAddress = (port: number, id: string): string => `http://127.0.0.1:${port}/v1/in/${id}`;

const EXAMPLE = { conversation: 'kitchen', channel_type: 'chat', channel_id: 'kitchen', id: '1', time: '2026-03-12T09:30:00Z', author: 'Noor', role: 'person', text: 'The jars are here.' };

/** A call that works as it is, for a terminal. */
export function curlExample(address: string, token: string): string {
  return `curl ${address} \\\n  -H 'Authorization: Bearer ${token}' \\\n  -d '${JSON.stringify(EXAMPLE)}'`;
}

export interface WebhookServer {
  readonly port: number;
  readonly isOn: boolean;
}

/** The server that takes the messages; null until it is known, or if it is not wanted. */
export function useWebhookServer(isWanted = true): WebhookServer | null {
  const { data } = useRpc('agent_server_get', {}, { enabled: isWanted });
  // A query that is not enabled still has the answer that another component asked for.
  if (!data || !isWanted) return null;
  return data.state.kind === 'listening' ? { port: data.state.port, isOn: true } : { port: data.choice.port, isOn: false };
}

/** Says that nothing can arrive, and leads to the switch. */
function ServerOff({ onLeave }: { onLeave?: () => void }) {
  const words = t.liveSources.webhook;
  return (
    <p className={css.note}>
      {words.isOff}{' '}
      <Button
        size="s"
        onClick={() => {
          onLeave?.();
          go('settings');
        }}
      >
        {words.settings}
      </Button>
    </p>
  );
}

/** The address of a webhook, in its row. */
export function WebhookAddress({ id, server }: { id: string; server: WebhookServer }) {
  return (
    <>
      <CopyField label={t.liveSources.webhook.address} value={webhookAddress(server.port, id)} testId={TESTIDS.webhookAddress} />
      {server.isOn ? null : <ServerOff />}
    </>
  );
}

export interface NewWebhook {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** The webhook was there before, and has another token now. */
  readonly isRenewed?: boolean;
}

export function WebhookDialog({ made, onClose }: { made: NewWebhook; onClose: () => void }) {
  const server = useWebhookServer();
  const words = t.liveSources.webhook;
  return (
    <OnceDialog title={(made.isRenewed === true ? words.renewed : words.created)(made.name)} testId={TESTIDS.webhookDialog} doneTestId={TESTIDS.webhookDone} onClose={onClose}>
      {({ isWarning, noteCopied, button }) => (
        <>
          <p>{words.once}</p>
          <div className={css.copyFields}>
            <CopyField label={words.token} value={made.token} testId={TESTIDS.webhookToken} copyTestId={TESTIDS.webhookCopy} button={button} onCopied={noteCopied} />
            <CopyField label={words.id} value={made.id} />
            {/* The example contains the token. */}
            {server === null ? null : <CopyField isCode label={words.example} value={curlExample(webhookAddress(server.port, made.id), made.token)} onCopied={noteCopied} />}
          </div>
          <p className={formCss.hint}>{words.exampleText}</p>
          {server?.isOn === false ? <ServerOff onLeave={onClose} /> : null}
          {isWarning ? (
            <p className={formCss.problem} role="alert">
              {words.notCopied}
            </p>
          ) : null}
        </>
      )}
    </OnceDialog>
  );
}
