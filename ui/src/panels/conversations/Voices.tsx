/**
 * Unidentified speakers of a meeting: a question above the meeting, answered in a dialog.
 *
 * Only the person can say who such a speaker is. Until then, nothing is known about the speaker.
 */
import { MicVocal, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type ConversationRow, type MeetingView, type VoiceView, call, useRpc } from '../../api';
import { Button, Dialog, ErrorState, FreePick, LoadingRows } from '../../design';
import { useActions } from '../../keys';
import { perform } from '../../state/decisions';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { LinkPreview, usePreview } from '../people/LinkPreview';
import bar from './Analyze.module.css';
import css from './Voices.module.css';
import { type Answer, type Known, answerOf, answered, changes, knownPeople, meantBy, textOf } from './voices';

const MEETING = 'meeting';

/** The unidentified speakers of a conversation; null unless it is a meeting. */
export function useVoices(row: ConversationRow): MeetingView | null {
  const { data } = useRpc('voices_list', { conversation_id: row.id }, { enabled: row.channel_type === MEETING && !row.is_private });
  return data?.meetings[0] ?? null;
}

const send = (voice: VoiceView, answer: Answer) => call('voice_answer', { handle: voice.handle, ...answer });

/** Sends answers one after another, because an answer may refer to a speaker whom a previous answer named. */
async function sendAll(answers: readonly (readonly [VoiceView, Answer])[]): Promise<void> {
  for (const [voice, answer] of answers) await send(voice, answer);
}

function leaveOpen(meeting: MeetingView): void {
  const open = meeting.voices.filter((voice) => voice.name === null && !voice.is_left);
  void perform({
    text: t.voices.left(open.length),
    undone: t.voices.asksAgain,
    send: () => sendAll(open.map((voice) => [voice, { answer: 'leave', person: null, name: null }])),
    takeBack: () => sendAll(open.map((voice) => [voice, answered(voice)])),
  });
}

export function VoicesBar({ meeting, onAsk }: { meeting: MeetingView | null; onAsk: () => void }) {
  if (!meeting || meeting.open === 0) return null;
  return (
    <div className={bar.bar} role="status" data-testid={TESTIDS.voicesBar}>
      <MicVocal size={14} aria-hidden="true" />
      <span className={bar.text}>{t.voices.bar(meeting.open)}</span>
      <Button size="s" tone="quiet" testId={TESTIDS.voicesLeave} onClick={() => leaveOpen(meeting)}>
        {t.voices.leave}
      </Button>
      <Button size="s" testId={TESTIDS.voicesAsk} onClick={onAsk}>
        {t.voices.ask}
      </Button>
    </div>
  );
}

/** A link back to the answers, shown with the facts of a meeting whose speakers are identified. */
export function VoicesButton({ meeting, onAsk }: { meeting: MeetingView | null; onAsk: () => void }) {
  if (!meeting || meeting.open > 0) return null;
  return (
    <Button size="s" tone="quiet" icon={<UsersRound size={14} aria-hidden="true" />} title={t.voices.manageHint} testId={TESTIDS.voicesAsk} onClick={onAsk}>
      {t.voices.manage}
    </Button>
  );
}

export function VoicesDialog({ row, onClose }: { row: ConversationRow; onClose: () => void }) {
  const { data, error, refetch } = useRpc('voices_list', { conversation_id: row.id });
  const { data: everybody } = useRpc('people_list', {});
  const known = useMemo(() => (everybody ? knownPeople(everybody.items) : null), [everybody]);
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const voices = data?.meetings[0]?.voices ?? [];
  const changed = known ? changes(voices, texts, known) : [];
  const save = () => {
    if (changed.length === 0) return;
    onClose();
    const named = changed.filter(({ to }) => to.answer !== 'open').length;
    void perform({
      text: named > 0 ? t.voices.saved(named) : t.voices.cleared,
      undone: t.voices.tookBack,
      send: () => sendAll(changed.map(({ voice, to }) => [voice, to])),
      takeBack: () => sendAll(changed.map(({ voice, from }) => [voice, from])),
    });
  };
  useActions('editor', { 'editor.save': save });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.voices.title}
      testId={TESTIDS.voicesDialog}
      actions={
        <>
          <Button onClick={onClose}>{t.app.cancel}</Button>
          <Button tone="primary" action="editor.save" disabled={changed.length === 0} testId={TESTIDS.voicesSave} onClick={save}>
            {t.voices.save}
          </Button>
        </>
      }
    >
      <p className={css.text}>{t.voices.text}</p>
      {error && !data ? (
        <ErrorState title={t.voices.failed} text={t.voices.failedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data || !known ? (
        <LoadingRows rows={2} height={96} />
      ) : (
        <ul className={css.voices}>
          {voices.map((voice) => (
            <Voice
              key={voice.handle}
              voice={voice}
              known={known}
              text={texts.get(voice.handle) ?? textOf(voice, known)}
              onChange={(next) => setTexts(new Map(texts).set(voice.handle, next))}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function Voice({ voice, known, text, onChange }: { voice: VoiceView; known: Known; text: string; onChange: (next: string) => void }) {
  const answer = answerOf(text, known);
  const person = answer.person ?? null;
  const means = `means-${voice.handle}`;
  const words = t.voices.means;
  const meant: Readonly<Record<string, string>> = {
    owner: words.owner,
    person: words.person(meantBy(text, known)),
    name: words.name(answer.name ?? ''),
  };
  return (
    <li className={css.voice} data-testid={TESTIDS.voice}>
      <div className={css.head}>
        <span className={css.label}>{voice.label}</span>
        <span className={css.count}>{t.voices.said(voice.messages)}</span>
      </div>
      {voice.lines.map((line) => (
        <blockquote key={line.message_id} className={css.line}>
          {line.text}
        </blockquote>
      ))}
      <FreePick label={t.voices.who(voice.label)} options={known.options} value={text} onChange={onChange} placeholder={t.voices.placeholder} describedBy={means} testId={TESTIDS.voiceName} />
      <p id={means} className={css.means} data-answer={answer.answer}>
        {meant[answer.answer] ?? words.open}
      </p>
      {person !== null && person !== voice.linked ? <Opens voice={voice.handle} person={person} /> : null}
    </li>
  );
}

/** Shows in advance what becomes visible where if the speaker is that person. */
function Opens({ voice, person }: { voice: string; person: string }) {
  const preview = usePreview(voice, person);
  const isQuiet = preview.data !== undefined && preview.data.obstacle === null && preview.data.newly_visible.length === 0;
  return isQuiet || (!preview.data && !preview.error) ? null : <LinkPreview preview={preview} />;
}
