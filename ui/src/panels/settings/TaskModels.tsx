/** Other models of the chosen server for single tasks. Collapsed, because one model is enough for nearly everyone. */
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { type ProviderView, call } from '../../api';
import { errorMessage } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Models.module.css';
import { Problem, Row } from './Rows';
import settingsCss from './Settings.module.css';
import { type Models } from './models';

const TASKS = ['judge', 'analysis', 'topics'] as const;

export function TaskModels({ models: { view, change, problems, say }, provider }: { models: Models; provider: ProviderView }) {
  const { task_models } = view.settings;
  const chosen = TASKS.flatMap((task) => task_models[task] ?? []);
  const [names, setNames] = useState<readonly string[] | null>(null);
  const list = async () => {
    say('tasks', null);
    try {
      setNames((await call('models_of', provider)).items);
    } catch (thrown) {
      say('tasks', errorMessage(thrown));
    }
  };
  // Chosen models stay in the list if the server does not respond.
  const offered = [...new Set([...(names ?? []), ...chosen])].filter((name) => name !== provider.model);
  return (
    <details
      className={css.other}
      data-testid={TESTIDS.taskModels}
      onToggle={(event) => {
        if (event.currentTarget.open && names === null) void list();
      }}
    >
      <summary className={css.otherSummary}>
        <ChevronRight size={14} aria-hidden="true" />
        <span>
          <span className={settingsCss.name}>{t.models.tasks}</span>
          <span className={settingsCss.hint}>{chosen.length === 0 ? t.models.tasksNone : t.models.tasksSome([...new Set(chosen)])}</span>
        </span>
      </summary>
      <div className={css.tasks}>
        {TASKS.map((task) => (
          <Row key={task} name={t.models.task[task].name} hint={t.models.task[task].hint}>
            <select
              className={css.select}
              aria-label={t.models.task[task].name}
              value={task_models[task] ?? ''}
              data-testid={`${TESTIDS.taskModels}-${task}`}
              onChange={(event) => void change('tasks', { task_models: { ...task_models, [task]: event.target.value === '' ? null : event.target.value } })}
            >
              <option value="">{provider.model}</option>
              {offered.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </Row>
        ))}
      </div>
      <Problem text={problems.tasks} />
    </details>
  );
}
