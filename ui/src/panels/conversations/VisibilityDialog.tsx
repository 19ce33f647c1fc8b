/**
 * Sets who may see the knowledge from one conversation. Whether the conversation is used for memory at all is a separate setting.
 */
import { useState } from 'react';
import type { ConversationRow } from '../../api';
import { Dialog } from '../../design';
import { useActions } from '../../keys';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import visibility from '../shared/Visibility.module.css';
import { type Choice, VisibilityChoice, choiceOf, chooseVisibility } from '../shared/VisibilityChoice';

export function VisibilityDialog({ row, onClose }: { row: ConversationRow; onClose: () => void }) {
  const current = choiceOf(row.chosen_visibility);
  const [value, setValue] = useState<Choice>(current);
  const [target] = useState(() => ({ conversation_id: row.id }));
  const apply = () => {
    if (value === current) return;
    onClose();
    chooseVisibility(target, row.title, value, current);
  };
  useActions('editor', { 'editor.save': apply });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.privacy.whoSeesConversation}
      testId={TESTIDS.visibilityDialog}
      confirm={{ label: t.privacy.apply, run: apply, action: 'editor.save', isDisabled: value === current, testId: TESTIDS.visibilityApply }}
    >
      <VisibilityChoice target={target} value={value} current={current} onChange={setValue} />
      <p className={visibility.note}>{t.privacy.notMemoryHere}</p>
    </Dialog>
  );
}
