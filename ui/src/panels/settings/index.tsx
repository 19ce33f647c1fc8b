/**
 * Settings, each with immediate effect. A change is shown immediately, and all settings are stored as a whole. If storing fails,
 * the old value is shown again.
 *
 * Not in this panel: settings of one conversation (its privacy) or of one import.
 */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { type AppStatus, type ModelsView, type Settings, call, rpcKey, useChoices, useRpc } from '../../api';
import { Button, ErrorState, LoadingRows, PaneBody, PaneHeader, Segmented, Switch } from '../../design';
import { hotkeys } from '../../keys';
import { go, showError, useUiState } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { removeSample } from '../sources/Sample';
import { AgentServer } from './AgentServer';
import { Backup } from './Backup';
import { Chips } from './Chips';
import { Connect } from './Connect';
import { ModelsTab } from './Models';
import { Row, Section } from './Rows';
import { PlaybookNotices } from './Playbooks';
import { ReflectionChoices } from './Reflection';
import { TopicsTab } from './Topics';
import { regionName, regionProblem } from './regions';
import css from './Settings.module.css';

export default function SettingsPanel() {
  const { data: settings, error, refetch } = useRpc('settings_get', {});
  const { data: status } = useRpc('app_status', {});
  const [stored, setTab] = useUiState<string>('settings.tab', 'general');
  const tab = stored === 'models' || stored === 'topics' ? stored : 'general';
  return (
    <div className={css.panel}>
      <PaneHeader title={t.settings.title}>
        <Segmented
          value={tab}
          choices={[
            { value: 'general', label: t.models.general, testId: TESTIDS.settingsGeneral },
            { value: 'models', label: t.models.models, testId: TESTIDS.settingsModels },
            { value: 'topics', label: t.topicRules.title, testId: TESTIDS.settingsTopics },
          ]}
          onChange={setTab}
        />
      </PaneHeader>
      {tab === 'models' ? (
        <ModelsTab />
      ) : tab === 'topics' ? (
        <TopicsTab />
      ) : error ? (
        <ErrorState title={t.settings.loadFailed} text={t.app.nothingChanged} detail={error.message} onRetry={() => void refetch()} />
      ) : !settings || !status ? (
        <LoadingRows />
      ) : (
        <PaneBody label={t.settings.title}>
          <div className={css.measure}>
            <Choices settings={settings} />
            <Model status={status} />
            <ReflectionChoices />
            <Connect />
            <AgentServer />
            <PlaybookNotices />
            <Data status={status} />
            <Backup />
            <About status={status} />
          </div>
        </PaneBody>
      )}
    </div>
  );
}

const OFFER_IDS = { few: TESTIDS.offerFew, balanced: TESTIDS.offerBalanced, many: TESTIDS.offerMany };
const THEME_IDS = { system: TESTIDS.themeSystem, light: TESTIDS.themeLight, dark: TESTIDS.themeDark };

function Choices({ settings }: { settings: Settings }) {
  const { data: channels } = useRpc('conversations_list', { limit: 1 }, { select: (response) => response.by_channel.map((each) => each.name) });
  const choose = useChoices<Settings, Partial<Settings>>({ key: rpcKey('settings_get', {}), apply: (before, part) => ({ ...before, ...part }), write: (next) => call('settings_set', next) });
  const change = (part: Partial<Settings>) => void choose(part).catch(showError);
  const words = t.settings;
  return (
    <>
      <Section title={words.appearance}>
        <Row name={words.theme} hint={words.themeHint}>
          <Segmented
            label={words.theme}
            value={settings.theme}
            choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: nameOf(words.themes, value), testId: THEME_IDS[value] }))}
            onChange={(theme) => change({ theme })}
          />
        </Row>
        <Row name={words.singleKeys} hint={words.singleKeysHint}>
          <Switch label={words.singleKeys} checked={settings.single_keys} testId={TESTIDS.singleKeys} onChange={(single_keys) => change({ single_keys })} />
        </Row>
        <Row name={words.keyboard} hint={words.keyboardHint}>
          <Button size="s" action="app.help" onClick={() => hotkeys.run('app.help')}>
            {words.keyboardShow}
          </Button>
        </Row>
      </Section>
      <Section title={words.capture}>
        <Row name={words.extract} hint={words.extractHint}>
          <Switch label={words.extract} checked={settings.extract_on_import} testId={TESTIDS.extractOnImport} onChange={(extract_on_import) => change({ extract_on_import })} />
        </Row>
        <Row name={words.offer} hint={words.offerHint}>
          <Segmented
            label={words.offer}
            value={settings.offer}
            choices={(['few', 'balanced', 'many'] as const).map((value) => ({ value, label: nameOf(words.offers, value), testId: OFFER_IDS[value] }))}
            onChange={(offer) => change({ offer })}
          />
        </Row>
        <Row name={words.analyzeEnded} hint={words.analyzeEndedHint}>
          <Switch label={words.analyzeEnded} checked={settings.analyze_ended} testId={TESTIDS.analyzeEnded} onChange={(analyze_ended) => change({ analyze_ended })} />
        </Row>
        <Row name={words.privateChannels} hint={words.privateChannelsHint} isTall>
          <Chips
            label={words.privateChannels}
            values={settings.private_channels}
            nameOf={(channel) => nameOf(t.channel, channel)}
            suggestions={[...new Set([...(channels ?? []), 'whatsapp', 'dm', 'email', 'meeting'])]}
            addLabel={words.addChannel}
            fieldLabel={words.otherChannel}
            none={words.privateChannelsNone}
            normalise={(text) => text.trim().toLowerCase()}
            problemOf={(channel) => (settings.private_channels.includes(channel) ? words.regionTwice : null)}
            onChange={(private_channels) => change({ private_channels })}
          />
        </Row>
        <Row name={words.regions} hint={words.regionsHint} isTall>
          <Chips
            label={words.regions}
            values={settings.phone_regions}
            nameOf={regionName}
            suggestions={['DE', 'AT', 'CH', 'GB', 'US', 'FR', 'NL', 'ES', 'IT', 'PT', 'IN', 'BR']}
            addLabel={words.addRegion}
            fieldLabel={words.regionField}
            normalise={(text) => text.trim().toUpperCase()}
            problemOf={(region) => regionProblem(region, settings.phone_regions)}
            mayRemove={settings.phone_regions.length > 1}
            mayNotRemove={words.regionLast}
            onChange={(phone_regions) => change({ phone_regions })}
          />
        </Row>
      </Section>
    </>
  );
}

/** The displayed status of the reader. A reader that is not loaded yet counts as ready. */
const READER_SHOWN = { ready: 'ready', idle: 'ready', missing: 'missing', refused: 'broken' } as const;

function Model({ status: { embedding, reader } }: { status: AppStatus }) {
  const words = t.settings;
  return (
    <Section title={words.model}>
      <Row name={words.modelState} hint={words.modelHint}>
        <span className={css.state} data-state={embedding.state}>
          {nameOf(words.modelStates, embedding.state)}
        </span>
      </Row>
      {embedding.problem ? <p className={css.problem}>{embedding.problem}</p> : null}
      <Row name={words.modelName}>
        <span className={css.value}>{embedding.model}</span>
      </Row>
      {embedding.dimension > 0 ? (
        <Row name={words.modelDimension}>
          <span className="num">{embedding.dimension}</span>
        </Row>
      ) : null}
      <Row name={words.modelEmbedded}>
        <span className="num">{words.modelOf(embedding.embedded, embedding.total)}</span>
      </Row>
      <Row name={words.reader} hint={words.readerHint}>
        <span className={css.state} data-state={READER_SHOWN[reader.state]} data-testid={TESTIDS.readerState}>
          {nameOf(words.readerStates, reader.state)}
        </span>
      </Row>
      {reader.problem ? <p className={css.problem}>{reader.problem}</p> : null}
    </Section>
  );
}

function Data({ status }: { status: AppStatus }) {
  const [isCopied, setCopied] = useState(false);
  const words = t.settings;
  const copy = () => {
    navigator.clipboard.writeText(status.data_dir).then(() => setCopied(true), showError);
  };
  return (
    <Section title={words.data}>
      <Row name={words.dataDir} hint={status.shared_dir === null ? undefined : words.dataDirShared(status.shared_dir)}>
        <code className={css.path} data-testid={TESTIDS.dataDir}>
          {status.data_dir}
        </code>
        <Button size="s" icon={isCopied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />} onClick={copy}>
          {isCopied ? words.copied : words.copy}
        </Button>
      </Row>
      <Row name={words.holds}>
        <span className="num">{words.holdsText(status.counts.messages, status.counts.conversations, status.counts.active)}</span>
      </Row>
      <Row name={words.owner}>
        {status.owner ? (
          <span className={css.owner}>
            {status.owner.name}
            {status.owner.handles.map((each) => (
              <span key={`${each.channel} ${each.handle}`} className={css.handle}>
                {nameOf(t.channel, each.channel)}: {each.handle}
              </span>
            ))}
          </span>
        ) : (
          <span className={css.muted}>{words.ownerUnknown}</span>
        )}
      </Row>
      <Row name={words.sample} hint={words.sampleHint}>
        {status.sample_loaded ? (
          <Button size="s" testId={TESTIDS.sampleRemove} onClick={() => void removeSample()}>
            {words.sampleRemove}
          </Button>
        ) : (
          <span className={css.muted}>{words.sampleOff}</span>
        )}
      </Row>
    </Section>
  );
}

const isHereOf = (models: ModelsView) => models.settings.this_computer_only;

function About({ status }: { status: AppStatus }) {
  // The default until the setting is loaded.
  const { data: isHere = true } = useRpc('models_get', {}, { select: isHereOf });
  const words = t.settings;
  const promises = [isHere ? words.promiseHere : words.promiseElsewhere, ...words.promises];
  return (
    <Section title={words.about}>
      <Row name={words.promise} isTall>
        <ul className={css.promises}>
          {promises.map((promise) => (
            <li key={promise}>{promise}</li>
          ))}
        </ul>
      </Row>
      <Row name={words.welcome}>
        <Button size="s" onClick={() => go('welcome')}>
          {words.welcomeShow}
        </Button>
      </Row>
      <Row name={words.version}>
        <span className="num">{status.version}</span>
      </Row>
    </Section>
  );
}
