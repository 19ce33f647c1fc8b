/** Edits a memory in place. Ctrl+Enter saves, Escape cancels. */
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { MemoryRow } from '../../api';
import { Button, CATEGORIES, CategoryIcon, Menu, TextArea, editableStatement } from '../../design';
import { useActions } from '../../keys';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './MemoryEditor.module.css';

/** Maximum length of a statement. A longer one is a transcript, not a memory, and the backend refuses it. */
export const CONTENT_CHARS_MAX = 600;

export interface MemoryEditorProps {
  row: MemoryRow;
  saveLabel: string;
  onSave: (content: string, category: string) => void;
  onCancel: () => void;
  /** The unfinished draft. */
  draft?: { readonly content: string; readonly category: string } | undefined;
  /** Called on every change, for callers that keep drafts. */
  onDraft?: (content: string, category: string) => void;
  /** Whether the editor takes the focus. If the person only moved the cursor to a draft, the keys stay with the list. */
  takesFocus?: boolean;
}

export function MemoryEditor({ row, saveLabel, onSave, onCancel, draft, onDraft, takesFocus = true }: MemoryEditorProps) {
  const [content, setContent] = useState(draft?.content ?? row.content);
  const form = editableStatement(content, row.subject);
  const [category, setCategory] = useState(draft?.category ?? row.category);
  const reword = (nextContent: string, nextCategory: string) => {
    setContent(nextContent);
    setCategory(nextCategory);
    onDraft?.(nextContent, nextCategory);
  };
  const trimmed = form.whole(form.words.trim());
  const length = Array.from(trimmed).length;
  const isValid = form.words.trim() !== '' && length <= CONTENT_CHARS_MAX;
  const save = () => {
    if (!isValid) return false;
    onSave(trimmed, category);
    return true;
  };
  useActions('editor', { 'editor.save': save, 'editor.cancel': onCancel });
  return (
    <div className={css.editor}>
      <TextArea
        className={css.text}
        aria-label={t.memory.statement}
        aria-invalid={!isValid}
        value={form.words}
        autoFocus={takesFocus}
        rows={3}
        testId={TESTIDS.editInput}
        onChange={(event) => reword(form.whole(event.target.value), category)}
        onFocus={(event) => event.currentTarget.setSelectionRange(form.words.length, form.words.length)}
      />
      <div className={css.foot}>
        <Menu
          trigger={
            <Button size="s" icon={<CategoryIcon category={category} />} label={`${t.memory.category}: ${nameOf(t.category, category)}`}>
              <span className={css.category}>
                {nameOf(t.category, category)}
                <ChevronDown size={12} aria-hidden="true" />
              </span>
            </Button>
          }
          entries={CATEGORIES.map((name) => ({ id: name, label: nameOf(t.category, name), icon: <CategoryIcon category={name} />, checked: name === category, isRadio: true, run: () => reword(content, name) }))}
        />
        <span className={css.count} data-over={!isValid}>
          {length} / {CONTENT_CHARS_MAX}
        </span>
        <Button size="s" tone="quiet" action="editor.cancel" testId={TESTIDS.editCancel} onClick={onCancel}>
          {t.app.cancel}
        </Button>
        <Button size="s" tone="primary" action="editor.save" disabled={!isValid} testId={TESTIDS.editSave} onClick={save}>
          {saveLabel}
        </Button>
      </div>
    </div>
  );
}
