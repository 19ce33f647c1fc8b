/** The API key of the chosen server: whether one is stored, and where. It can be entered but never read back. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { type ProviderView, call } from '../../api';
import { Button, TextInput } from '../../design';
import { errorMessage, showToast } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Models.module.css';
import { Problem } from './Rows';
import settingsCss from './Settings.module.css';
import { type Models } from './models';

/** Where a key is stored, and why not elsewhere. */
export function keyPlace(view: Models['view']): string {
  const place = nameOf(t.models.keyStore, view.key_store);
  return view.key_store_problem ? `${place} ${view.key_store_problem}` : place;
}

export async function storeKey(models: Models, provider: ProviderView, key: string | null): Promise<void> {
  const view = await call('model_key_set', { provider, key });
  models.take(view);
  showToast({ text: key === null ? t.models.didKeyForget : nameOf(t.models.didKeyStore, view.key_store), replaces: 'key' });
}

export function ModelKey({ models, provider }: { models: Models; provider: ProviderView }) {
  const { view, problems, say } = models;
  const [typed, setTyped] = useState<string | null>(null);
  const set = async (key: string | null) => {
    say('key', null);
    try {
      await storeKey(models, provider, key);
      setTyped(null);
    } catch (thrown) {
      say('key', errorMessage(thrown));
    }
  };
  const key = typed?.trim() ?? '';
  return (
    <div className={settingsCss.row} data-tall>
      <div className={settingsCss.words}>
        <span className={settingsCss.name}>{t.models.key}</span>
        <span className={settingsCss.hint}>{keyPlace(view)}</span>
        <Problem text={problems.key} />
      </div>
      {typed === null ? (
        <div className={settingsCss.control}>
          <span className={css.keyState} data-has={view.has_key || undefined}>
            <KeyRound size={13} aria-hidden="true" />
            {view.has_key ? t.models.keyKept : t.models.keyNone}
          </span>
          <Button size="s" onClick={() => setTyped('')}>
            {view.has_key ? t.models.keyReplace : t.models.keyAdd}
          </Button>
          {view.has_key ? (
            <Button size="s" tone="danger" testId={TESTIDS.keyForget} onClick={() => void set(null)}>
              {t.models.keyForget}
            </Button>
          ) : null}
        </div>
      ) : (
        <form
          className={settingsCss.control}
          onSubmit={(event) => {
            event.preventDefault();
            if (key) void set(key);
          }}
        >
          <TextInput className={css.field} type="password" autoFocus aria-label={t.models.keyField} placeholder={t.models.keyField} value={typed} testId={TESTIDS.keyField} onType={setTyped} onEscape={() => setTyped(null)} />
          <Button size="s" disabled={key === ''} testId={TESTIDS.keySave} onClick={() => void set(key)}>
            {t.models.keySave}
          </Button>
          <Button size="s" tone="quiet" onClick={() => setTyped(null)}>
            {t.app.cancel}
          </Button>
        </form>
      )}
    </div>
  );
}
