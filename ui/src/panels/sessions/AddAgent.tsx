/** Adds an agent: its name, what it may be told, who it talks with and where. Problems are shown next to their fields. */
import { useId, useRef, useState } from 'react';
import { type AgentRow, type AgentToken, call } from '../../api';
import { Dialog, Segmented, TextInput } from '../../design';
import { useActions } from '../../keys';
import { noteFinal, useAttempt } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { type Level, type NewAgent, type Users, channelsOf, needsChannels, problemsOf } from './access';
import css from './Agents.module.css';

const LEVELS: readonly Level[] = ['private', 'public'];
const USERS: readonly Users[] = ['me', 'others'];
const EMPTY: NewAgent = { name: '', level: 'private', users: 'me', channels: '' };

export function AddAgent({ agents, onClose, onMade }: { agents: readonly AgentRow[]; onClose: () => void; onMade: (made: AgentToken) => void }) {
  const nameField = useRef<HTMLInputElement>(null);
  const channelsField = useRef<HTMLInputElement>(null);
  const [form, setForm] = useState(EMPTY);
  const [isTried, setTried] = useState(false);
  const { isBusy, problem: failure, run, say } = useAttempt();
  const id = useId();
  const words = t.agents;
  const problems = problemsOf(form, agents);
  const shown = isTried ? problems : { name: null, channels: null };
  const set = (change: Partial<NewAgent>) => {
    say(null);
    setForm({ ...form, ...change });
  };
  const save = async () => {
    if (isBusy) return;
    setTried(true);
    say(null);
    if (problems.name !== null || problems.channels !== null) {
      (problems.name === null ? channelsField : nameField).current?.focus();
      return;
    }
    await run(async () => {
      const made = await call('agent_add', { name: form.name.trim(), visibility: form.level, channels: channelsOf(form.channels), talks_with_others: form.users === 'others' });
      noteFinal(words.addStays(made.name));
      onMade(made);
    });
  };
  useActions('editor', { 'editor.save': () => void save() });
  return (
    <Dialog
      open
      // The answer contains the token, which is shown only once.
      onClose={onClose}
      title={words.addTitle}
      testId={TESTIDS.agentDialog}
      focus={nameField}
      isBusy={isBusy}
      confirm={{ label: isBusy ? words.adding : words.addConfirm, run: save, action: 'editor.save', testId: TESTIDS.agentSave }}
    >
      <p className={css.hint}>{words.addText}</p>
      <div className={css.field}>
        <label className={css.label} htmlFor={`${id}-name`}>
          {words.name}
        </label>
        <TextInput
          ref={nameField}
          id={`${id}-name`}
          className={css.input}
          value={form.name}
          aria-required
          isBad={shown.name !== null}
          aria-describedby={`${id}-name-hint`}
          testId={TESTIDS.agentNewName}
          onType={(name) => set({ name })}
          onEnter={save}
        />
        <Hint id={`${id}-name-hint`} hint={words.nameHint} problem={shown.name} />
      </div>
      <div className={css.field}>
        <span className={css.label}>{words.level}</span>
        <Segmented<Level> label={words.level} value={form.level} choices={LEVELS.map((value) => ({ value, label: nameOf(t.privacy.levels, value), testId: `agent-level-${value}` }))} onChange={(level) => set({ level })} />
        <span className={css.hint}>{nameOf(t.privacy.levelText, form.level)}</span>
      </div>
      <div className={css.field}>
        <span className={css.label}>{words.talksWith}</span>
        <Segmented<Users> label={words.talksWith} value={form.users} choices={USERS.map((value) => ({ value, label: words.talksWithChoices[value], testId: `agent-users-${value}` }))} onChange={(users) => set({ users })} />
        <span className={css.hint}>{words.talksWithText[form.users]}</span>
      </div>
      <div className={css.field}>
        <label className={css.label} htmlFor={`${id}-channels`}>
          {words.channels}
        </label>
        <TextInput
          ref={channelsField}
          id={`${id}-channels`}
          className={css.input}
          value={form.channels}
          aria-required={needsChannels(form)}
          isBad={shown.channels !== null}
          aria-describedby={`${id}-channels-hint`}
          testId={TESTIDS.agentNewChannels}
          onType={(channels) => set({ channels })}
          onEnter={save}
        />
        <Hint id={`${id}-channels-hint`} hint={needsChannels(form) ? words.channelsHintNeeded : words.channelsHint} problem={shown.channels} />
      </div>
      {failure === null ? null : (
        <p className={css.failed} role="alert">
          {words.addFailed} {failure}
        </p>
      )}
    </Dialog>
  );
}

/** What is wrong with a field, and what to enter. */
function Hint({ id, hint, problem }: { id: string; hint: string; problem: string | null }) {
  return (
    <span id={id} className={css.hint}>
      {problem === null ? null : (
        <span className={css.problem} role="alert">
          {problem}
        </span>
      )}
      {hint}
    </span>
  );
}
