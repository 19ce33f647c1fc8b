/**
 * One person in full: handles, links, what is remembered, what each channel may see, what they wrote.
 *
 * Sections stand only where there is something to show. Deliberately not here: changing a memory, which is Memories'.
 */
import { ChevronDown, ChevronUp, Link2, Lock, ScanEye, Unlink } from 'lucide-react';
import { useState } from 'react';
import { type AboutView, type LineView, type LinkView, type PersonDetail, type PersonView, type PlaceView, useRpc } from '../../api';
import { Badge, Button, CategoryIcon, ErrorState, IconButton, LoadingRows, PaneBody, PaneFoot, PaneHeader, RelativeTime, Switch, cx, fullTime, shortDate } from '../../design';
import { PrivateLock, hatched } from '../../design/PrivateMark';
import { hotkeys, useActions } from '../../keys';
import { useNow } from '../../state/clock';
import { go, openConversation, openMemory } from '../../state/nav';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { VisibilityMark } from '../shared/Visibility';
import { shareMemory, unlink } from './answers';
import { handleWithChannel, personName } from './clues';
import { LinkDialog } from './LinkDialog';
import { HandleRow, KindIcon, Rows, Section } from './parts';
import css from './People.module.css';

export function PersonPane({ person, isRested, people }: { person: PersonView; isRested: boolean; people: readonly PersonView[] }) {
  const { data: detail, error, refetch } = useRpc('person_get', { id: person.id }, { enabled: isRested });
  const [isLinking, setLinking] = useState(false);
  const now = useNow();
  const handle = person.handles[0];
  const mayLink = handle !== undefined && people.some((each) => each.id !== person.id);
  const viewAs = () => go('privacy', { viewAs: { person: person.id } });
  useActions('people', {
    'people.link': () => (mayLink ? setLinking(true) : false),
    'people.viewAs': () => (person.is_owner ? false : viewAs()),
    'people.open': () => {
      const line = detail?.timeline[0];
      if (!line) return false;
      openConversation(line.conversation_id, line.message_id);
      return true;
    },
  });
  return (
    <>
      <PaneHeader level={2} title={nameOf(t.people.kindOne, person.type)}>
        <IconButton label={t.app.previous} action="people.previous" onClick={() => hotkeys.run('people.previous')}>
          <ChevronUp size={16} />
        </IconButton>
        <IconButton label={t.app.next} action="people.next" onClick={() => hotkeys.run('people.next')}>
          <ChevronDown size={16} />
        </IconButton>
      </PaneHeader>
      <PaneBody label={t.people.detail} of={person.id} testId={TESTIDS.personDetail}>
        <article className={css.detail}>
          <div className={css.head}>
            <KindIcon type={person.type} size={18} />
            <h2 className={css.title} data-testid={TESTIDS.personName}>
              {personName(person)}
            </h2>
            {person.is_owner ? <Badge tone="accent">{t.people.you}</Badge> : null}
          </div>
          <p className={css.facts}>
            <span className="num">{t.people.messages(person.messages)}</span>
            <span className="num">{person.first === null || person.last === null ? t.people.neverSeen : t.people.seen(shortDate(person.first, now), shortDate(person.last, now))}</span>
          </p>
          <Handles person={person} />
          {error && !detail ? (
            <ErrorState title={t.people.detailFailed} text={t.people.detailFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : detail ? (
            <Known detail={detail} />
          ) : (
            <LoadingRows rows={4} />
          )}
        </article>
      </PaneBody>
      <PaneFoot label={t.people.detail}>
        <Button icon={<Link2 size={15} aria-hidden="true" />} action="people.link" testId={TESTIDS.linkWith} disabled={!mayLink} onClick={() => setLinking(true)}>
          {t.people.linkWith}
        </Button>
        {person.is_owner ? null : (
          <Button tone="quiet" icon={<ScanEye size={15} aria-hidden="true" />} action="people.viewAs" testId={TESTIDS.viewAsOpen} onClick={viewAs}>
            {t.people.viewAs}
          </Button>
        )}
      </PaneFoot>
      {isLinking && handle ? <LinkDialog person={person} people={people} onClose={() => setLinking(false)} /> : null}
    </>
  );
}

/** What rests on the stored messages. Other derived knowledge about a person is another section in this order. */
function Known({ detail }: { detail: PersonDetail }) {
  return (
    <>
      <Links links={detail.links} />
      <Memories memories={detail.memories} />
      <Places places={detail.places} isOwner={detail.person.is_owner} />
      <Timeline lines={detail.timeline} isOwner={detail.person.is_owner} />
    </>
  );
}

function Handles({ person }: { person: PersonView }) {
  return (
    <Section title={person.is_owner ? t.people.handlesOwner : t.people.handles} hint={person.is_owner ? undefined : t.people.handlesHint}>
      <Rows items={person.handles} render={(handle) => <HandleRow key={handle.id} handle={handle} />} />
    </Section>
  );
}

const LINK_TONES: Readonly<Record<string, 'ok' | 'accent' | 'plain'>> = { same: 'ok', open: 'accent' };

function Links({ links }: { links: readonly LinkView[] }) {
  if (links.length === 0) return null;
  return (
    <Section title={t.people.links}>
      <Rows
        items={links}
        render={(link) => (
          <li key={link.id} className={css.link} data-testid={TESTIDS.personLink} data-status={link.status}>
            <Badge tone={LINK_TONES[link.status] ?? 'plain'}>{nameOf(t.people.linkStates, link.status)}</Badge>
            <span className={css.pair}>
              {handleWithChannel(link.a)} – {handleWithChannel(link.b)}
            </span>
            {link.decided === null ? null : (
              <span className={css.when}>
                <RelativeTime time={link.decided} date />
              </span>
            )}
            {link.status === 'same' ? (
              <Button size="s" icon={<Unlink size={13} aria-hidden="true" />} label={t.people.unlinkLabel(handleWithChannel(link.a), handleWithChannel(link.b))} testId={TESTIDS.unlink} onClick={() => void unlink(link)}>
                {t.people.unlink}
              </Button>
            ) : (
              <Button size="s" tone="quiet" label={`${t.people.look}: ${handleWithChannel(link.a)} – ${handleWithChannel(link.b)}`} onClick={() => go('people', { link: link.id })}>
                {t.people.look}
              </Button>
            )}
          </li>
        )}
      />
    </Section>
  );
}

function Memories({ memories }: { memories: readonly AboutView[] }) {
  if (memories.length === 0) return null;
  return (
    <Section title={t.people.memories} hint={t.people.shareHint}>
      <Rows
        items={memories}
        render={(memory) => (
          <li key={memory.id} className={css.memory} data-testid={TESTIDS.personMemory}>
            <CategoryIcon category={memory.category} />
            <button type="button" className={css.open} title={t.people.openMemory} onClick={() => openMemory(memory.id)}>
              {memory.content}
            </button>
            <VisibilityMark visibility={memory.visibility} />
            <span className={css.share}>
              <span aria-hidden="true">{t.people.share}</span>
              <Switch label={t.people.shareLabel(memory.content)} checked={memory.is_shared} testId={TESTIDS.personShare} onChange={(next) => void shareMemory(memory.id, next)} />
            </span>
          </li>
        )}
      />
    </Section>
  );
}

function Places({ places, isOwner }: { places: readonly PlaceView[]; isOwner: boolean }) {
  if (places.length === 0) return isOwner ? <Section title={t.people.places}>{<p className={css.hint}>{t.people.placesOwner}</p>}</Section> : null;
  return (
    <Section title={t.people.places} hint={t.people.placesHint}>
      <Rows
        items={places}
        render={(place) => (
          <li key={place.conversation_id} className={css.place} data-testid={TESTIDS.personPlace}>
            <span className={css.placeName}>
              <button type="button" className={css.open} onClick={() => openConversation(place.conversation_id)}>
                {place.title}
              </button>
              <span className={css.channelName}>{nameOf(t.channel, place.channel)}</span>
            </span>
            {place.is_private ? (
              <span className={css.offRecord}>
                <Lock size={13} aria-hidden="true" />
                {t.people.offRecord}
              </span>
            ) : (
              <VisibilityMark visibility={place.visibility} />
            )}
            <span className={cx('num', css.tell)}>
              {place.visible_memories + place.withheld_memories === 0 ? (
                <span className={css.withheld}>{t.people.nothingKnown}</span>
              ) : (
                <>
                  <span>{t.people.visible(place.visible_memories)}</span>
                  <span className={css.withheld}>{t.people.withheld(place.withheld_memories)}</span>
                </>
              )}
            </span>
          </li>
        )}
      />
    </Section>
  );
}

function Timeline({ lines, isOwner }: { lines: readonly LineView[]; isOwner: boolean }) {
  if (lines.length === 0) return null;
  return (
    <Section title={isOwner ? t.people.timelineOwner : t.people.timeline}>
      <Rows items={lines} render={(line) => <TimelineRow key={line.message_id} line={line} />} />
    </Section>
  );
}

function TimelineRow({ line }: { line: LineView }) {
  return (
    <li className={cx(css.said, line.is_private && css.saidPrivate, line.is_private && hatched)}>
      <button type="button" className={css.saidButton} data-testid={TESTIDS.personLine} title={fullTime(line.time)} onClick={() => openConversation(line.conversation_id, line.message_id)}>
        <span className={css.saidMeta}>
          <RelativeTime time={line.time} date />
          <span className={css.saidWhere}>{line.conversation_title}</span>
          <span>{nameOf(t.channel, line.channel)}</span>
          {line.is_private ? <PrivateLock /> : <VisibilityMark visibility={line.visibility} bare />}
        </span>
        <span className={css.saidText}>{line.text}</span>
      </button>
    </li>
  );
}
