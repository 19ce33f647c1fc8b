/** Model servers on this computer. The search starts only when the person asks for it. */
import { Check, PlugZap, Search, ServerOff } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { type FoundServer, type ProviderView, call } from '../../api';
import { Badge, Button } from '../../design';
import { errorMessage, showToast } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Models.module.css';
import { PullModel } from './PullModel';
import { Row } from './Rows';
import settingsCss from './Settings.module.css';
import { type Models, isSame } from './models';

type Search = { readonly kind: 'idle' } | { readonly kind: 'asking' } | { readonly kind: 'failed'; readonly message: string } | { readonly kind: 'done'; readonly servers: readonly FoundServer[] };

/** Chooses a model, and offers to enable proposals by models if they are off. */
export async function choose(models: Models, provider: ProviderView, field: 'provider' | 'other' = 'provider'): Promise<boolean> {
  const isTaken = await models.change(field, { provider });
  if (isTaken && models.view.settings.engines === 'built_in') {
    showToast({ text: t.models.didChoose(provider.model), replaces: 'model', actions: [{ label: t.models.letBoth, run: () => void models.change('engines', { engines: 'both' }) }] });
  }
  return isTaken;
}

/** After a search that found nothing, it is repeated at this interval, because the person is probably about to start a server. */
const LOOK_AGAIN_MS = 5_000;

export function FoundServers({ models }: { models: Models }) {
  const [search, setSearch] = useState<Search>({ kind: 'idle' });
  const look = useCallback(
    () =>
      call('models_detect', {}).then(
        ({ items }) => setSearch({ kind: 'done', servers: items }),
        (thrown: unknown) => setSearch({ kind: 'failed', message: errorMessage(thrown) }),
      ),
    [],
  );
  const find = () => {
    setSearch({ kind: 'asking' });
    void look();
  };
  const isWaiting = search.kind === 'done' && search.servers.length === 0;
  useEffect(() => {
    if (!isWaiting) return;
    const again = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => clearInterval(again);
  }, [isWaiting, look]);
  return (
    <>
      <Row name={t.models.find} hint={t.models.findHint} problem={search.kind === 'failed' ? `${t.models.findFailed}. ${search.message}` : undefined}>
        <span className={settingsCss.muted} role="status">
          {search.kind === 'done' && search.servers.length > 0 ? t.models.found(search.servers.length) : ''}
        </span>
        <Button
          size="s"
          icon={<Search size={13} aria-hidden="true" />}
          label={search.kind === 'idle' ? t.models.find : undefined}
          disabled={search.kind === 'asking'}
          testId={TESTIDS.modelsFind}
          onClick={find}
        >
          {search.kind === 'asking' ? t.models.finding : search.kind === 'idle' ? t.models.findShort : t.models.again}
        </Button>
      </Row>
      {search.kind === 'done' ? (
        <div className={css.results}>
          {search.servers.length === 0 ? (
            <div className={css.empty} role="status">
              <ServerOff size={16} aria-hidden="true" />
              <div>
                <b>{t.models.nothing}</b>
                <p className={settingsCss.hint}>{t.models.nothingText}</p>
              </div>
            </div>
          ) : (
            <ul>
              {search.servers.map((server) => (
                <Server key={`${server.name} ${server.url}`} server={server} models={models} onChanged={look} />
              ))}
            </ul>
          )}
        </div>
      ) : null}
    </>
  );
}

function Server({ server, models, onChanged }: { server: FoundServer; models: Models; onChanged: () => void }) {
  const canPull = server.shape === 'ollama' && server.state !== 'loading' && server.state !== 'key_needed';
  return (
    <li className={css.server} data-testid={TESTIDS.foundServer}>
      <p className={css.serverHead}>
        <b>{server.name}</b>
        <code className={css.url}>{server.url}</code>
        {server.version ? <Badge>{server.version}</Badge> : null}
        {server.name === nameOf(t.models.shape, server.shape) ? null : <Badge>{nameOf(t.models.shape, server.shape)}</Badge>}
      </p>
      {server.models.length === 0 ? (
        <div className={css.empty}>
          <PlugZap size={16} aria-hidden="true" />
          <div>
            <b>{(t.models.serverState[server.state] ?? t.models.noModel)(server.name)}</b>
            <p className={settingsCss.hint}>{canPull ? t.models.pullHint : (t.models.serverStateText[server.state] ?? t.models.noModelText)(server.name)}</p>
          </div>
        </div>
      ) : (
        <ModelList label={t.models.modelsOf(server.name)} shape={server.shape} url={server.url} names={server.models} chosen={models.view.settings.provider} onUse={(provider) => void choose(models, provider)} />
      )}
      {canPull && server.models.length === 0 ? <PullModel url={server.url} onDone={onChanged} /> : null}
    </li>
  );
}

export function ModelList({ label, shape, url, names, chosen, onUse }: { label: string; shape: string; url: string; names: readonly string[]; chosen: ProviderView | null; onUse: (provider: ProviderView) => void }) {
  return (
    <ul className={css.models} aria-label={label}>
      {names.map((model) => {
        const provider = { shape, url, model };
        return (
          <li key={model} className={css.modelRow}>
            <span className={css.modelName}>{model}</span>
            {isSame(chosen, provider) ? (
              <span className={css.inUse}>
                <Check size={13} aria-hidden="true" />
                {t.models.inUse}
              </span>
            ) : (
              <Button size="s" label={t.models.chooseModel(model)} testId={TESTIDS.modelUse} onClick={() => onUse(provider)}>
                {t.models.choose}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
