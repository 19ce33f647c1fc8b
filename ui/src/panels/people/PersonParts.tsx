/** The parts of a person's page that come from stored messages: handles, links, memories, places, lines. */
import { Lock, Unlink } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AboutView, LineView, LinkView, PersonView, PlaceView } from '../../api';
import { Badge, Button, CategoryIcon, PrivateLock, RelativeTime, Switch, cx, fullTime, hatched, shownStatement } from '../../design';
import { go, openConversation, openMemory } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { VisibilityMark } from '../shared/Visibility';
import { shareMemory, unlink } from './answers';
import { handleWithChannel } from './clues';
import { HandleRow, Rows, Section } from './parts';
import css from './People.module.css';

export function Handles({ person }: { person: PersonView }) {
  return (
    <Section title={person.is_owner ? t.people.handlesOwner : t.people.handles} hint={person.is_owner ? undefined : t.people.handlesHint}>
      <Rows items={person.handles} render={(handle) => <HandleRow key={handle.id} handle={handle} />} />
    </Section>
  );
}

const LINK_TONES: Readonly<Record<string, 'ok' | 'accent' | 'plain'>> = { same: 'ok', open: 'accent' };

export function Links({ links }: { links: readonly LinkView[] }) {
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

export function Memories({ memories }: { memories: readonly AboutView[] }) {
  if (memories.length === 0) return null;
  return (
    <Section title={t.people.memories} hint={t.people.shareHint}>
      <Rows
        items={memories}
        render={(memory) => (
          <li key={memory.id} className={css.memory} data-testid={TESTIDS.personMemory}>
            <CategoryIcon category={memory.category} />
            <button type="button" className={css.open} title={t.people.openMemory} onClick={() => openMemory(memory.id)}>
              {shownStatement(memory.content)}
            </button>
            <VisibilityMark visibility={memory.visibility} />
            <span className={css.share}>
              <span aria-hidden="true">{t.app.shareAnywhere}</span>
              <Switch label={t.app.shareAnywhereOf(memory.content)} checked={memory.is_shared} testId={TESTIDS.personShare} onChange={(next) => void shareMemory(memory.id, next)} />
            </span>
          </li>
        )}
      />
    </Section>
  );
}

export function Places({ places, isOwner }: { places: readonly PlaceView[]; isOwner: boolean }) {
  if (places.length === 0) {
    return (
      <Section title={t.people.places}>
        <p className={css.hint}>{isOwner ? t.people.placesOwner : t.people.placesNone}</p>
      </Section>
    );
  }
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

/** The person's messages, newest first. */
export function Timeline({ lines, title, children }: { lines: readonly LineView[]; title: string; children?: ReactNode }) {
  return (
    <Section title={title}>
      {lines.length === 0 ? <p className={css.hint}>{t.app.noMessages}</p> : <Rows items={lines} render={(line) => <TimelineRow key={line.message_id} line={line} />} />}
      {children}
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
