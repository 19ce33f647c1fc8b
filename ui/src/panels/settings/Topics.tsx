/**
 * Settings → Topics: rules for updating topics. Each change takes effect immediately, and topics are derived again.
 *
 * Not in this module: the person's decisions about topics, which apply under any rules (Topics).
 */
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { type TopicRulesState, type TopicRulesView, call, rpcKey, useChoices, useRpc } from '../../api';
import { Button, EntryField, ErrorState, LoadingRows, PaneBody, Switch } from '../../design';
import { number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import models from './Models.module.css';
import { Problem, Row, Section } from './Rows';
import { errorMessage } from '../../state';
import { type Choice, CHOICES, type Group, parsed, shown } from './topicRules';
import css from './Settings.module.css';

export function TopicsTab() {
  const { data: state, error, refetch } = useRpc('topic_rules_get', {});
  const [problem, setProblem] = useState<string | null>(null);
  const change = useChoices<TopicRulesState, Partial<TopicRulesView>>({
    key: rpcKey('topic_rules_get', {}),
    apply: (before, part) => ({ ...before, rules: { ...before.rules, ...part } }),
    write: (next) => call('topic_rules_set', next.rules),
  });
  if (error && !state) return <ErrorState title={t.topicRules.loadFailed} text={t.app.nothingChanged} detail={error.message} onRetry={() => void refetch()} />;
  if (!state) return <LoadingRows />;
  const { rules, defaults } = state;
  const choose = async (part: Partial<TopicRulesView>) => {
    setProblem(null);
    await change(part).catch((thrown: unknown) => setProblem(errorMessage(thrown)));
  };
  const isChosen = JSON.stringify(rules) !== JSON.stringify(defaults);
  const rows = (group: Group) => CHOICES.filter((choice) => choice.group === group).map((choice) => <Field key={choice.name} choice={choice} rules={rules} defaults={defaults} onChoose={choose} />);
  return (
    <PaneBody label={t.topicRules.title}>
      <div className={css.measure}>
        <Section title={t.topicRules.when}>
          <Row name={t.topicRules.automatic} hint={t.topicRules.automaticHint}>
            <Switch label={t.topicRules.automatic} checked={rules.automatic} testId={TESTIDS.topicAutomatic} onChange={(automatic) => void choose({ automatic })} />
          </Row>
          {rows('when')}
        </Section>
        <Section title={t.topicRules.belonging}>{rows('belonging')}</Section>
        <Section title={t.topicRules.text}>{rows('text')}</Section>
        <div>
          <p className={css.hint}>{t.topicRules.anew}</p>
          <Problem text={problem} />
          <p className={models.after}>
            <Button size="s" icon={<RotateCcw size={13} aria-hidden="true" />} disabled={!isChosen} testId={TESTIDS.topicDefaults} onClick={() => void choose(defaults)}>
              {t.topicRules.defaults}
            </Button>
          </p>
        </div>
      </div>
    </PaneBody>
  );
}

function Field({ choice, rules, defaults, onChoose }: { choice: Choice; rules: TopicRulesView; defaults: TopicRulesView; onChoose: (part: Partial<TopicRulesView>) => Promise<void> }) {
  const [typed, setTyped] = useState<string | null>(null);
  const { name, hint, unit } = t.topicRules.of[choice.name];
  const now = shown(choice, rules);
  const entry = typed === null ? { value: rules[choice.name] } : parsed(choice, typed, rules);
  const save = () => {
    if (typed === null || 'problem' in entry) return;
    setTyped(null);
    if (entry.value !== rules[choice.name]) void onChoose({ [choice.name]: entry.value });
  };
  const isDefault = rules[choice.name] === defaults[choice.name];
  return (
    <Row name={name} hint={isDefault ? hint : `${hint} ${t.topicRules.otherwise(number(shown(choice, defaults)))}`} problem={'problem' in entry ? entry.problem : undefined}>
      <EntryField className={models.number} inputMode="decimal" name={name} typed={typed} stored={String(now)} isBad={'problem' in entry} testId={`${TESTIDS.topicRule}-${choice.name}`} onType={setTyped} onSave={save} />
      <span className={css.unit}>{unit}</span>
    </Row>
  );
}
