/** Buttons to the previous and the next row, above the detail of a row. */
import { ChevronDown, ChevronUp } from 'lucide-react';
import { memo } from 'react';
import { IconButton, PaneHeader } from '../../design';
import { t } from '../../strings';

type Scope = 'review' | 'memories' | 'people';

export const Steps = memo(function Steps({ scope, isFirst = false, isLast = false }: { scope: Scope; isFirst?: boolean; isLast?: boolean }) {
  return (
    <>
      <IconButton label={t.app.previous} action={`${scope}.previous`} disabled={isFirst}>
        <ChevronUp size={16} />
      </IconButton>
      <IconButton label={t.app.next} action={`${scope}.next`} disabled={isLast}>
        <ChevronDown size={16} />
      </IconButton>
    </>
  );
});

/** The header of a detail: where its row stands in the list. */
export function PositionHeader({ scope, at, of }: { scope: Scope; at: number; of: number }) {
  return (
    <PaneHeader level={2} title={<span className="num">{t.app.position(at + 1, of)}</span>}>
      <Steps scope={scope} isFirst={at <= 0} isLast={at >= of - 1} />
    </PaneHeader>
  );
}
