/** One profile entry: the statement, its confidence, the lines that show it, earlier versions, and the actions. */
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { ProfileEntryView, ProfileVersionView } from '../../api';
import { Badge, Button, Switch, TextArea, cx, shortDate } from '../../design';
import { useActions } from '../../keys';
import { useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Quotes } from '../shared/Quote';
import { VisibilityMark } from '../shared/Visibility';
import { correct, debunk, endingOf, endingWords, facetWords, restore, shareEntry } from './profile';
import css from './Profile.module.css';

/** Maximum length of a statement. The backend refuses longer ones. */
const CONTENT_CHARS_MAX = 600;

const STEPS = ['low', 'medium', 'high'];

/** Confidence in three steps (seed 001), as bars and as a word. */
function Sureness({ confidence }: { confidence: string }) {
  const at = STEPS.indexOf(confidence);
  return (
    <span className={css.sure} title={nameOf(t.profile.confidenceLong, confidence)}>
      <span className={css.bars} aria-hidden="true">
        {STEPS.map((step, index) => (
          <span key={step} data-on={index <= at} />
        ))}
      </span>
      <span aria-hidden="true">{nameOf(t.profile.confidence, confidence)}</span>
      <span className="srOnly">{nameOf(t.profile.confidenceLong, confidence)}</span>
    </span>
  );
}

export function ProfileEntry({ entry, isPlain = false }: { entry: ProfileEntryView; isPlain?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const now = useNow();
  const id = useId();
  const { version } = entry;
  const day = (time: number) => shortDate(time, now);
  const words = t.profile;
  const visibility = version.is_shared ? 'public' : version.visibility;
  return (
    <li data-testid={TESTIDS.profileEntry} data-entry={version.id} data-current={entry.is_current}>
      {isEditing ? (
        <Editor content={version.content} onDone={() => setEditing(false)} onSave={(content) => void correct(entry, content)} />
      ) : (
        <button type="button" className={css.toggle} aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} data-testid={TESTIDS.profileToggle} onClick={() => setOpen(!isOpen)}>
          <ChevronRight size={16} className={css.chevron} aria-hidden="true" />
          <span className={css.words}>
            <span className={cx(css.content, version.debunked !== null && css.wrong)}>{version.content}</span>
            <span className={css.meta}>
              {facetWords(entry.facet)}, {version.valid_to === null ? words.since(day(version.valid_from)) : words.span(day(version.valid_from), day(version.valid_to))}
            </span>
            {version.origin === 'person' ? <Badge>{words.yours}</Badge> : null}
          </span>
          <span className={css.marks}>
            <VisibilityMark visibility={visibility} bare={visibility !== 'public'} />
            <Sureness confidence={version.confidence} />
          </span>
        </button>
      )}
      {isOpen && !isEditing ? (
        <div id={id} className={css.open}>
          <p className={css.label}>{words.evidence}</p>
          {version.lines.length === 0 ? <p className={css.hint}>{t.app.linesErased}</p> : <Quotes lines={version.lines} />}
          {isPlain ? null : <Actions entry={entry} onEdit={() => setEditing(true)} />}
          <History entry={entry} day={day} mayUse={entry.is_current && !isPlain} />
        </div>
      ) : null}
    </li>
  );
}

function Actions({ entry, onEdit }: { entry: ProfileEntryView; onEdit: () => void }) {
  const now = useNow();
  const { version } = entry;
  const words = t.profile;
  if (version.debunked !== null) {
    return (
      <div className={css.actions}>
        <span className={css.hint}>{words.saidWrong}</span>
        <Button size="s" label={words.restoreLabel(version.content)} testId={TESTIDS.profileRestore} onClick={() => void restore(entry)}>
          {words.restore}
        </Button>
      </div>
    );
  }
  return (
    <div className={css.actions}>
      {entry.is_current ? (
        <Button size="s" label={words.correctLabel(version.content)} testId={TESTIDS.profileCorrect} onClick={onEdit}>
          {words.correct}
        </Button>
      ) : null}
      <Button size="s" label={words.wrongLabel(version.content)} testId={TESTIDS.profileWrong} onClick={() => void debunk(entry, now)}>
        {words.wrong}
      </Button>
      {entry.is_current && (version.visibility !== 'public' || version.is_shared) ? (
        <span className={css.share}>
          <span aria-hidden="true">{t.app.shareAnywhere}</span>
          <Switch label={t.app.shareAnywhereOf(version.content)} checked={version.is_shared} testId={TESTIDS.profileShare} onChange={(next) => void shareEntry(entry, next)} />
        </span>
      ) : null}
    </div>
  );
}

function History({ entry, day, mayUse }: { entry: ProfileEntryView; day: (time: number) => string; mayUse: boolean }) {
  const all = [entry.version, ...entry.history];
  if (entry.history.length === 0) return null;
  return (
    <>
      <p className={css.label}>{t.profile.history}</p>
      <ol className={css.versions} data-testid={TESTIDS.profileHistory}>
        {entry.history.map((version) => (
          <Version key={version.id} version={version} all={all} day={day} onUse={mayUse && version.content !== entry.version.content ? () => void correct(entry, version.content) : undefined} />
        ))}
      </ol>
    </>
  );
}

function Version({ version, all, day, onUse }: { version: ProfileVersionView; all: readonly ProfileVersionView[]; day: (time: number) => string; onUse?: () => void }) {
  const ending = endingOf(version, all);
  const words = t.profile;
  const [isOpen, setOpen] = useState(false);
  const end = version.debunked ?? version.superseded;
  return (
    <li className={css.version}>
      <p className={css.versionHead}>
        <span className={cx(version.debunked !== null && css.wrong)}>{version.content}</span>
        <span className={cx('num', css.meta)}>{end === null ? words.believedFrom(day(version.created)) : words.believed(day(version.created), day(end))}</span>
        {version.origin === 'person' ? <Badge>{words.yours}</Badge> : null}
      </p>
      <p className={css.meta}>{endingWords(ending, version, day)}</p>
      <div className={css.actions}>
        {version.lines.length > 0 ? (
          <Button size="s" tone="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {words.sources(version.lines.length)}
          </Button>
        ) : null}
        {onUse ? (
          <Button size="s" tone="quiet" label={words.takeUpLabel(version.content)} onClick={onUse}>
            {words.takeUp}
          </Button>
        ) : null}
      </div>
      {isOpen ? <Quotes lines={version.lines} /> : null}
    </li>
  );
}

/** Edits the text in place. Ctrl+Enter saves, Escape cancels. */
function Editor({ content, onSave, onDone }: { content: string; onSave: (content: string) => void; onDone: () => void }) {
  const [text, setText] = useState(content);
  const trimmed = text.trim();
  const length = Array.from(trimmed).length;
  const isValid = length > 0 && length <= CONTENT_CHARS_MAX;
  const save = () => {
    if (!isValid) return false;
    if (trimmed !== content) onSave(trimmed);
    onDone();
    return true;
  };
  useActions('editor', { 'editor.save': save, 'editor.cancel': onDone });
  return (
    <div className={css.editor}>
      <TextArea aria-label={t.profile.wording} aria-invalid={!isValid} value={text} autoFocus rows={2} testId={TESTIDS.profileInput} onChange={(event) => setText(event.target.value)} onFocus={(event) => event.currentTarget.setSelectionRange(content.length, content.length)} />
      <div className={css.editorFoot}>
        <span className={css.count} data-over={!isValid}>
          {length} / {CONTENT_CHARS_MAX}
        </span>
        <Button size="s" tone="quiet" action="editor.cancel" onClick={onDone}>
          {t.app.cancel}
        </Button>
        <Button size="s" tone="primary" action="editor.save" disabled={!isValid} testId={TESTIDS.profileSave} onClick={save}>
          {t.profile.save}
        </Button>
      </div>
    </div>
  );
}
