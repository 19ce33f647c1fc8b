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
import { perform } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { LinkPreview, usePreview } from '../people/LinkPreview';
import bar from './Analyze.module.css';
import css from './UnidentifiedSpeakers.module.css';
import { type Answer, type Known, answerOf, answered, changes, knownPeople, meantBy, textOf } from './speakerAnswers';

const MEETING = 'meeting';

/** The unidentified speakers of a conversation; null unless it is a meeting. */
export function useUnidentifiedSpeakers(row: ConversationRow): MeetingView | null {
  const { data } = useRpc('voices_list', { conversation_id: row.id }, { enabled: row.channel_type === MEETING && !row.is_private });
  return data?.meetings[0] ?? null;
}

const send = (speaker: VoiceView, answer: Answer) => call('voice_answer', { handle: speaker.handle, ...answer });

/** Sends answers one after another, because an answer may refer to a speaker whom a previous answer named. */
async function sendAll(answers: readonly (readonly [VoiceView, Answer])[]): Promise<void> {
  for (const [speaker, answer] of answers) await send(speaker, answer);
}

function leaveOpen(meeting: MeetingView): void {
  const open = meeting.voices.filter((speaker) => speaker.name === null && !speaker.is_left);
  void perform({
    text: t.unidentifiedSpeakers.left(open.length),
    undone: t.unidentifiedSpeakers.asksAgain,
    send: () => sendAll(open.map((speaker) => [speaker, { answer: 'leave', person: null, name: null }])),
    undo: () => sendAll(open.map((speaker) => [speaker, answered(speaker)])),
  });
}

export function UnidentifiedSpeakersBar({ meeting, onAsk }: { meeting: MeetingView | null; onAsk: () => void }) {
  if (!meeting || meeting.open === 0) return null;
  return (
    <div className={bar.bar} role="status" data-testid={TESTIDS.speakersBar}>
      <MicVocal size={14} aria-hidden="true" />
      <span className={bar.text}>{t.unidentifiedSpeakers.bar(meeting.open)}</span>
      <Button size="s" tone="quiet" testId={TESTIDS.speakersLeave} onClick={() => leaveOpen(meeting)}>
        {t.unidentifiedSpeakers.leave}
      </Button>
      <Button size="s" testId={TESTIDS.speakersAsk} onClick={onAsk}>
        {t.unidentifiedSpeakers.ask}
      </Button>
    </div>
  );
}

/** A link back to the answers, shown with the facts of a meeting whose speakers are identified. */
export function UnidentifiedSpeakersButton({ meeting, onAsk }: { meeting: MeetingView | null; onAsk: () => void }) {
  if (!meeting || meeting.open > 0) return null;
  return (
    <Button size="s" tone="quiet" icon={<UsersRound size={14} aria-hidden="true" />} title={t.unidentifiedSpeakers.manageHint} testId={TESTIDS.speakersAsk} onClick={onAsk}>
      {t.unidentifiedSpeakers.manage}
    </Button>
  );
}

export function UnidentifiedSpeakersDialog({ row, onClose }: { row: ConversationRow; onClose: () => void }) {
  const { data, error, refetch } = useRpc('voices_list', { conversation_id: row.id });
  const { data: everybody } = useRpc('people_list', {});
  const known = useMemo(() => (everybody ? knownPeople(everybody.items) : null), [everybody]);
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const speakers = data?.meetings[0]?.voices ?? [];
  const changed = known ? changes(speakers, texts, known) : [];
  const save = () => {
    if (changed.length === 0) return;
    onClose();
    const named = changed.filter(({ to }) => to.answer !== 'open').length;
    void perform({
      text: named > 0 ? t.unidentifiedSpeakers.saved(named) : t.unidentifiedSpeakers.cleared,
      undone: t.unidentifiedSpeakers.undone,
      send: () => sendAll(changed.map(({ speaker, to }) => [speaker, to])),
      undo: () => sendAll(changed.map(({ speaker, from }) => [speaker, from])),
    });
  };
  useActions('editor', { 'editor.save': save });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.unidentifiedSpeakers.title}
      testId={TESTIDS.speakersDialog}
      confirm={{ label: t.unidentifiedSpeakers.save, run: save, action: 'editor.save', isDisabled: changed.length === 0, testId: TESTIDS.speakersSave }}
    >
      <p className={css.text}>{t.unidentifiedSpeakers.text}</p>
      {error && !data ? (
        <ErrorState title={t.unidentifiedSpeakers.failed} text={t.unidentifiedSpeakers.failedText} detail={error.message} onRetry={() => void refetch()} />
      ) : !data || !known ? (
        <LoadingRows rows={2} height={96} />
      ) : (
        <ul className={css.speakers}>
          {speakers.map((speaker) => (
            <Speaker
              key={speaker.handle}
              speaker={speaker}
              known={known}
              text={texts.get(speaker.handle) ?? textOf(speaker, known)}
              onChange={(next) => setTexts(new Map(texts).set(speaker.handle, next))}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function Speaker({ speaker, known, text, onChange }: { speaker: VoiceView; known: Known; text: string; onChange: (next: string) => void }) {
  const answer = answerOf(text, known);
  const person = answer.person ?? null;
  const means = `means-${speaker.handle}`;
  const words = t.unidentifiedSpeakers.means;
  const meant: Readonly<Record<string, string>> = {
    owner: words.owner,
    person: words.person(meantBy(text, known)),
    name: words.name(answer.name ?? ''),
  };
  return (
    <li className={css.speaker} data-testid={TESTIDS.speaker}>
      <div className={css.head}>
        <span className={css.label}>{speaker.label}</span>
        <span className={css.count}>{t.app.messages(speaker.messages)}</span>
      </div>
      {speaker.lines.map((line) => (
        <blockquote key={line.message_id} className={css.line}>
          {line.text}
        </blockquote>
      ))}
      <FreePick label={t.unidentifiedSpeakers.who(speaker.label)} options={known.options} value={text} onChange={onChange} placeholder={t.unidentifiedSpeakers.placeholder} describedBy={means} testId={TESTIDS.speakerName} />
      <p id={means} className={css.means} data-answer={answer.answer}>
        {meant[answer.answer] ?? words.open}
      </p>
      {person !== null && person !== speaker.linked ? <Opens speaker={speaker.handle} person={person} /> : null}
    </li>
  );
}

/** Shows in advance what becomes visible where if the speaker is that person. */
function Opens({ speaker, person }: { speaker: string; person: string }) {
  const preview = usePreview(speaker, person);
  const isQuiet = preview.data !== undefined && preview.data.obstacle === null && preview.data.newly_visible.length === 0;
  return isQuiet || (!preview.data && !preview.error) ? null : <LinkPreview preview={preview} />;
}
