/** The number of unidentified speakers, and a link to the newest meeting that has some. */
import { MicVocal } from 'lucide-react';
import { type VoicesResponse, useRpc } from '../../api';
import { Button, PaneBar } from '../../design';
import { openConversation } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';

const waiting = ({ meetings }: VoicesResponse) => ({
  speakers: meetings.reduce((sum, meeting) => sum + meeting.open, 0),
  meetings: meetings.length,
  newest: meetings[0]?.conversation_id ?? null,
});

/** `isBar` shows it in a bar of its own, if there are any. */
export function UnidentifiedSpeakersNotice({ isBar = false }: { isBar?: boolean }) {
  const { data } = useRpc('voices_list', {}, { select: waiting });
  const newest = data?.newest ?? null;
  if (!data || newest === null) return null;
  const button = (
    <Button size="s" tone="quiet" icon={<MicVocal size={14} aria-hidden="true" />} testId={TESTIDS.speakersWaiting} onClick={() => openConversation(newest)}>
      {t.unidentifiedSpeakers.waiting(data.speakers, data.meetings)}
    </Button>
  );
  return isBar ? <PaneBar>{button}</PaneBar> : button;
}
