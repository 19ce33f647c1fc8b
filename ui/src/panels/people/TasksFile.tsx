/** The Markdown file for tasks. It is shown in the list, and chosen with the system's file dialog or by typing its path. */
import { useId, useRef, useState } from 'react';
import { call } from '../../api';
import { Button, Dialog, TextInput } from '../../design';
import { useActions } from '../../keys';
import { platform } from '../../platform';
import { showError, showToast, useAttempt } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Gaps.module.css';
import { confirmGap, isTasksPath } from './gaps';

export function TasksFileLine({ file, onChange }: { file: string | null; onChange: () => void }) {
  return (
    <>
      <span className={css.file} title={file ?? undefined} data-testid={TESTIDS.tasksFile}>
        {file === null ? (
          t.gaps.fileNone
        ) : (
          <>
            {t.gaps.file} <code>{file}</code>
          </>
        )}
      </span>
      <Button size="s" tone="quiet" label={`${file === null ? t.gaps.fileChoose : t.gaps.fileChange}: ${t.gaps.file}`} testId={TESTIDS.tasksFileChange} onClick={onChange}>
        {file === null ? t.gaps.fileChoose : t.gaps.fileChange}
      </Button>
    </>
  );
}

/** `gap` is confirmed once a file is chosen. */
export function TasksFileDialog({ file, gap, onClose }: { file: string | null; gap: string | null; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState(file ?? '');
  const [isTried, setTried] = useState(false);
  const { problem, run, say } = useAttempt();
  const id = useId();
  const words = t.gaps;
  const isBad = isTried && !isTasksPath(path);
  const browse = () => {
    platform()
      .pickTasksFile()
      .then((chosen) => {
        if (chosen !== null) setPath(chosen);
        field.current?.focus();
      }, showError);
  };
  const save = async () => {
    setTried(true);
    say(null);
    const chosen = path.trim();
    if (!isTasksPath(chosen)) return;
    if (gap !== null) {
      if (await confirmGap(gap, chosen)) onClose();
      return;
    }
    await run(async () => {
      await call('tasks_file_set', { path: chosen });
      showToast({ text: words.fileSet(chosen), replaces: 'decision' });
      onClose();
    });
  };
  useActions('editor', { 'editor.save': () => void save() });
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.dialogTitle}
      size="m"
      testId={TESTIDS.tasksDialog}
      focus={field}
      confirm={{ label: gap === null ? words.dialogSave : words.dialogSaveConfirm, run: save, action: 'editor.save', testId: TESTIDS.tasksSave }}
    >
      <p>{words.dialogText}</p>
      <div className={css.field}>
        <label className={css.label} htmlFor={id}>
          {words.dialogField}
        </label>
        <div className={css.row}>
          <TextInput ref={field} id={id} className={css.input} value={path} placeholder={words.dialogPlaceholder} isBad={isBad} aria-describedby={`${id}-problem`} testId={TESTIDS.tasksPath} onType={setPath} onEnter={save} />
          {/* In a browser, no file dialog reveals a path. */}
          {platform().fileAccess === 'pick_files' ? (
            <Button testId={TESTIDS.tasksBrowse} onClick={browse}>
              {words.dialogBrowse}
            </Button>
          ) : null}
        </div>
        <span id={`${id}-problem`} className={css.problem} role={isBad || problem ? 'alert' : undefined}>
          {isBad ? words.dialogBad : problem}
        </span>
      </div>
    </Dialog>
  );
}
