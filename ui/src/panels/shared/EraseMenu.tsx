/** The menu of a detail with the one thing that is rarely wanted: erasing everything about it. */
import { Ellipsis, Trash2 } from 'lucide-react';
import { IconButton, Menu } from '../../design';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { type EraseTarget, askToErase } from './erase';

export function EraseMenu({ label, target, testId, side }: { label: string; target: EraseTarget; testId: string; side?: 'top' }) {
  return (
    <Menu
      side={side}
      align="end"
      trigger={
        <IconButton label={t.app.more} testId={testId}>
          <Ellipsis size={16} />
        </IconButton>
      }
      entries={[{ id: 'erase', label, icon: <Trash2 size={14} />, tone: 'danger', testId: TESTIDS.eraseOpen, run: () => askToErase(target) }]}
    />
  );
}
