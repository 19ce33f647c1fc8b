/** The connected accounts: connecting one, the list, and disconnecting one. */
import { Pause, Play, Plug } from 'lucide-react';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type LiveSourceAdded, type LiveSourceView, type LiveSourcesResponse, call, rpcKey, useRpc } from '../../../api';
import { Button, ErrorState, LoadingRows, Menu } from '../../../design';
import { showError } from '../../../state';
import { nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import watchedCss from '../Watched.module.css';
import { ACCOUNT_KINDS, type AccountKind } from './accountSettings';
import { openChannels } from './channelChoices';
import { ConnectForm, ReconnectForm } from './ConnectForm';
import { DisconnectDialog } from './DisconnectDialog';
import { KindIcon } from './KindIcon';
import { LiveSourceRow } from './LiveSourceRow';
import css from './LiveSources.module.css';
import { type NewWebhook, WebhookDialog } from './Webhook';

/** The form that is open: for a new account of a kind, or for an account that is connected again. */
type Open = { readonly add: AccountKind } | { readonly again: string } | null;

const isKind = (kind: string): kind is AccountKind => (ACCOUNT_KINDS as readonly string[]).includes(kind);

export function LiveSources() {
  const client = useQueryClient();
  const { data, error, refetch } = useRpc('live_sources_list', {});
  const [open, setOpen] = useState<Open>(null);
  const [webhook, setWebhook] = useState<NewWebhook | null>(null);
  /** Kept apart from the list, because the receipt outlives the account. */
  const [disconnecting, setDisconnecting] = useState<Pick<LiveSourceView, 'id' | 'name'> | null>(null);
  const words = t.liveSources;
  const take = (sources: LiveSourcesResponse) => client.setQueryData(rpcKey('live_sources_list', {}), sources);
  const items = data?.items ?? [];
  const isAllPaused = items.every((source) => source.state === 'paused');
  const pauseAll = () => {
    call('live_source_pause', { is_paused: !isAllPaused }).then(take, showError);
  };
  const close = () => setOpen(null);
  const added = ({ id, token }: LiveSourceAdded, name: string) => {
    close();
    if (token === null) openChannels(id);
    else setWebhook({ id, name, token });
  };
  const form = { isSecretLost: data?.is_secret_lost_at_end ?? false, onClose: close };
  return (
    <section data-testid={TESTIDS.liveSources}>
      <header className={watchedCss.head}>
        <h2>{words.title}</h2>
        <span className={css.headActions}>
          {items.length >= 2 ? (
            <Button size="s" tone="quiet" icon={isAllPaused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />} testId={TESTIDS.livePauseAll} onClick={pauseAll}>
              {isAllPaused ? words.resumeAll : words.pauseAll}
            </Button>
          ) : null}
          <Menu
            align="end"
            trigger={
              <Button size="s" icon={<Plug size={14} aria-hidden="true" />} testId={TESTIDS.liveConnect}>
                {words.connect}
              </Button>
            }
            entries={ACCOUNT_KINDS.map((kind) => ({ id: kind, label: nameOf(words.kinds, kind), hint: nameOf(words.kindHint, kind), icon: <KindIcon kind={kind} size={14} />, run: () => setOpen({ add: kind }) }))}
          />
        </span>
      </header>
      <p className={watchedCss.text}>{words.text}</p>
      {data?.is_secret_lost_at_end ? <p className={css.note}>{words.noKeyring}</p> : null}
      {open !== null && 'add' in open ? <ConnectForm key={open.add} kind={open.add} {...form} onAdded={added} /> : null}
      {error && !data ? (
        <ErrorState title={words.failed} text={words.failedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows rows={2} />
      ) : items.length === 0 ? (
        <p className={watchedCss.none}>{words.none}</p>
      ) : (
        <ul className={watchedCss.rows}>
          {items.map((source) => {
            const isReconnecting = open !== null && 'again' in open && open.again === source.id;
            return [
              <LiveSourceRow
                key={source.id}
                source={source}
                isReconnecting={isReconnecting}
                onTake={take}
                onReconnect={() => setOpen({ again: source.id })}
                onToken={(token) => setWebhook({ id: source.id, name: source.name, token, isRenewed: true })}
                onDisconnect={() => setDisconnecting({ id: source.id, name: source.name })}
              />,
              isReconnecting && isKind(source.kind) ? (
                <li key={`${source.id} again`}>
                  <ReconnectForm source={source} kind={source.kind} {...form} />
                </li>
              ) : null,
            ];
          })}
        </ul>
      )}
      {webhook === null ? null : <WebhookDialog made={webhook} onClose={() => setWebhook(null)} />}
      {disconnecting === null ? null : <DisconnectDialog source={disconnecting} onClose={() => setDisconnecting(null)} />}
    </section>
  );
}
