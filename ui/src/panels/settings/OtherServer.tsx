/**
 * A form for a server that was not found automatically: kind, address, key and model. Nothing is stored until the server is used.
 */
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '../../api';
import { Button, Segmented, TextInput } from '../../design';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ModelList, choose } from './FoundServers';
import { keyPlace, storeKey } from './ModelKey';
import { TestButton, TestResult, useModelTest } from './ModelTest';
import css from './Models.module.css';
import { Problem } from './Rows';
import settingsCss from './Settings.module.css';
import { errorMessage } from '../../state';
import { type Models, addressProblem, isSame } from './models';

type Shape = 'ollama' | 'openai';
type Names = { readonly of: string; readonly isAsking: boolean; readonly items: readonly string[] | null };

export function OtherServer({ models }: { models: Models }) {
  const { view, problems, say } = models;
  const [shape, setShape] = useState<Shape>('ollama');
  const [address, setAddress] = useState('');
  const [model, setModel] = useState('');
  const [key, setKey] = useState('');
  const [names, setNames] = useState<Names | null>(null);
  const ids = useId();
  const url = address.trim();
  const provider = { shape, url, model: model.trim() };
  const problem = addressProblem(url, view.settings.this_computer_only);
  const server = `${shape} ${url}`;
  const shown = names?.of === server ? names : null;
  /** Stores a typed key before a request to the server, and then removes it from the page. */
  const storeTyped = async () => {
    if (key.trim() === '') return;
    await storeKey(models, provider, key.trim());
    setKey('');
  };
  const test = useModelTest(problem === null ? provider : null, storeTyped);
  const isReady = url !== '' && problem === null;

  const list = async () => {
    say('other', null);
    setNames({ of: server, isAsking: true, items: null });
    try {
      await storeTyped();
      const { items } = await call('models_of', provider);
      setNames({ of: server, isAsking: false, items });
      if (items.length === 1 && model.trim() === '') setModel(items[0] ?? '');
    } catch (thrown) {
      setNames(null);
      say('other', errorMessage(thrown));
    }
  };
  const use = async (next: { shape: string; url: string; model: string }) => {
    say('other', null);
    try {
      await storeTyped();
      await choose(models, next, 'other');
    } catch (thrown) {
      say('other', errorMessage(thrown));
    }
  };

  return (
    <details className={css.other} data-testid={TESTIDS.otherServer}>
      <summary className={css.otherSummary}>
        <ChevronRight size={14} aria-hidden="true" />
        <span>
          <span className={settingsCss.name}>{t.models.other}</span>
          <span className={settingsCss.hint}>{t.models.otherHint}</span>
        </span>
      </summary>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && provider.model) void use(provider);
        }}
      >
        <div className={css.formRow}>
          <span className={css.label}>{t.models.kind}</span>
          <Segmented label={t.models.kind} value={shape} choices={(['ollama', 'openai'] as const).map((value) => ({ value, label: nameOf(t.models.shape, value) }))} onChange={setShape} />
        </div>
        <div className={css.formRow}>
          <label className={css.label} htmlFor={`${ids}-address`}>
            {t.models.address}
          </label>
          <div className={css.entry}>
            <TextInput id={`${ids}-address`} className={css.field} inputMode="url" value={address} isBad={problem !== null} aria-describedby={`${ids}-address-hint`} testId={TESTIDS.otherAddress} onType={setAddress} />
            <span id={`${ids}-address-hint`} className={settingsCss.hint}>
              {problem === null ? t.models.addressHint(t.models.addressExample[shape]) : null}
              <Problem text={problem} />
            </span>
          </div>
        </div>
        <div className={css.formRow}>
          <label className={css.label} htmlFor={`${ids}-key`}>
            {t.models.key}
          </label>
          <div className={css.entry}>
            <TextInput id={`${ids}-key`} className={css.field} type="password" value={key} aria-describedby={`${ids}-key-hint`} testId={TESTIDS.otherKey} onType={setKey} />
            <span id={`${ids}-key-hint`} className={settingsCss.hint}>
              {t.models.keyHint} {keyPlace(view)}
            </span>
          </div>
        </div>
        <div className={css.formRow}>
          <label className={css.label} htmlFor={`${ids}-model`}>
            {t.models.modelName}
          </label>
          <div className={css.entry}>
            <div className={css.inline}>
              <TextInput id={`${ids}-model`} className={css.field} value={model} aria-describedby={`${ids}-model-hint`} testId={TESTIDS.otherModel} onType={setModel} />
              <Button size="s" disabled={!isReady || shown?.isAsking} testId={TESTIDS.otherList} onClick={() => void list()}>
                {shown?.isAsking ? t.models.listing : t.models.list}
              </Button>
            </div>
            <span id={`${ids}-model-hint`} className={settingsCss.hint} role="status">
              {shown?.items ? t.models.listed(shown.items.length) : t.models.modelHint}
            </span>
            {shown?.items && shown.items.length > 0 ? <ModelList label={t.models.listed(shown.items.length)} shape={shape} url={url} names={shown.items} chosen={view.settings.provider} onUse={(next) => void use(next)} /> : null}
          </div>
        </div>
        <Problem text={problems.other} />
        <div className={css.formFoot}>
          <TestButton test={test} isDisabled={!isReady} />
          <Button size="s" tone="primary" disabled={!isReady || provider.model === '' || isSame(view.settings.provider, provider)} testId={TESTIDS.otherUse} onClick={() => void use(provider)}>
            {isSame(view.settings.provider, provider) ? t.models.inUse : t.models.chooseThis}
          </Button>
        </div>
        <TestResult test={test} />
      </form>
    </details>
  );
}
