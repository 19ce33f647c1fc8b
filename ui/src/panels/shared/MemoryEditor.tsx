/** Rewording a memory in its place. Ctrl+Enter keeps it, Escape leaves it. */
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { MemoryRow } from '../../api';
import { Button, CATEGORIES, CategoryIcon, Menu, TextArea, editableStatement } from '../../design';
import { useActions } from '../../keys';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './MemoryEditor.module.css';

/** A statement longer than this is a transcript and not a memory; the backend refuses it. */
export const CONTENT_CHARS_MAX = 600;

export interface MemoryEditorProps {
  row: MemoryRow;
  saveLabel: string;
  onSave: (content: string, category: string) => void;
  onCancel: () => void;
  /** Where it was left off. */
  draft?: { readonly content: string; readonly category: string } | undefined;
  /** Told of every change, by whoever keeps drafts. */
  onDraft?: (content: string, category: string) => void;
  /** A draft that is come upon, and not asked for, leaves the keys to the list. */
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
