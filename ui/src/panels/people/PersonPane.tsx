/**
 * One person with all details, in four parts: knowledge about them, their messages over time, what each channel may see, and the
 * graph around them.
 *
 * Not in this module: editing a memory (Memories).
 */
import { Link2, ScanEye } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type PersonDetail, type PersonView, byId, useRpc, useWithLayers } from '../../api';
import { Badge, Button, ErrorState, LoadingRows, PaneBody, PaneFoot, PaneHeader, Segmented, shortDate } from '../../design';
import { useActions } from '../../keys';
import { go, openLine, useNow, useUiChoice } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { EraseMenu } from '../shared/EraseMenu';
import { Graph } from '../shared/graph/Graph';
import { Steps } from '../shared/PaneSteps';
import { Promises, isOpen } from '../shared/Promises';
import { OverTime } from '../shared/time/OverTime';
import { personName } from './clues';
import { LinkDialog } from './LinkDialog';
import { KindIcon, Section } from './parts';
import { Handles, Links, Memories, Places, Timeline } from './PersonParts';
import { Profile } from './Profile';
import { byVersion } from './profile';
import css from './People.module.css';

const PARTS = ['about', 'lines', 'places', 'graph'] as const;

/** Number of latest messages shown, so that a person can be recognized before anything else is known about them. */
const LATEST_LINES = 3;

export function PersonPane({ person, isRested, people }: { person: PersonView; isRested: boolean; people: readonly PersonView[] }) {
  const { data: detail, error, refetch } = useRpc('person_get', { id: person.id }, { enabled: isRested });
  const [part, setPart] = useUiChoice('people.part', PARTS, 'about');
  const [isLinking, setLinking] = useState(false);
  const handle = person.handles[0];
  const mayLink = handle !== undefined && people.some((each) => each.id !== person.id);
  const viewAs = () => go('privacy', { viewAs: { person: person.id } });
  useActions('people', {
    'people.about': () => setPart('about'),
    'people.lines': () => setPart('lines'),
    'people.places': () => setPart('places'),
    'people.graph': () => setPart('graph'),
    'people.link': () => (mayLink ? setLinking(true) : false),
    'people.viewAs': () => (person.is_owner ? false : viewAs()),
    'people.open': () => openLine(detail?.timeline[0]),
  });
  return (
    <>
      <PaneHeader level={2} title={nameOf(t.people.kindOne, person.type)}>
        <Segmented
          value={part}
          testId={TESTIDS.personParts}
          choices={[
            { value: 'about', label: t.people.partAbout, testId: 'person-part-about' },
            { value: 'lines', label: t.people.partMessages, testId: 'person-part-lines' },
            { value: 'places', label: t.people.partPlaces, testId: 'person-part-places' },
            { value: 'graph', label: t.people.partGraph, testId: 'person-part-graph' },
          ]}
          onChange={setPart}
        />
        <Steps scope="people" />
      </PaneHeader>
      <PaneBody label={t.people.detail} of={`${person.id} ${part}`} testId={TESTIDS.personDetail}>
        <article className={css.detail}>
          <Head person={person} />
          {part === 'about' ? <Handles person={person} /> : null}
          {error && !detail ? (
            <ErrorState title={t.people.detailFailed} text={t.people.detailFailedText} detail={error.message} onRetry={() => void refetch()} />
          ) : !detail ? (
            <LoadingRows rows={4} />
          ) : part === 'graph' ? (
            <Graph person={person.id} />
          ) : part === 'lines' ? (
            <>
              <Section title={t.time.title}>
                <OverTime person={person.id} />
              </Section>
              <Timeline lines={detail.timeline} title={person.is_owner ? t.people.timelineOwner : t.people.timeline} />
            </>
          ) : part === 'places' ? (
            <Places places={detail.places} isOwner={detail.person.is_owner} />
          ) : (
            <About detail={detail} onAll={() => setPart('lines')} />
          )}
        </article>
      </PaneBody>
      <PaneFoot label={t.people.detail}>
        <Button icon={<Link2 size={15} aria-hidden="true" />} action="people.link" testId={TESTIDS.linkWith} disabled={!mayLink} onClick={() => setLinking(true)}>
          {t.people.linkWith}
        </Button>
        {person.is_owner ? null : (
          <>
            <Button tone="quiet" icon={<ScanEye size={15} aria-hidden="true" />} action="people.viewAs" testId={TESTIDS.viewAsOpen} onClick={viewAs}>
              {t.people.viewAs}
            </Button>
            <span className={css.space} />
            <EraseMenu label={t.erase.menuPerson(personName(person))} target={{ kind: 'person', id: person.id, name: personName(person) }} testId={TESTIDS.personMore} side="top" />
          </>
        )}
      </PaneFoot>
      {isLinking && handle ? <LinkDialog person={person} people={people} onClose={() => setLinking(false)} /> : null}
    </>
  );
}

function Head({ person }: { person: PersonView }) {
  const now = useNow();
  return (
    <>
      <div className={css.head}>
        <KindIcon type={person.type} size={18} />
        <h2 className={css.title} data-testid={TESTIDS.personName}>
          {personName(person)}
        </h2>
        {person.is_owner ? <Badge tone="accent">{t.people.you}</Badge> : null}
      </div>
      <p className={css.facts}>
        <span className="num">{t.app.messages(person.messages)}</span>
        <span className="num">{person.first === null || person.last === null ? t.people.neverSeen : t.people.seen(shortDate(person.first, now), shortDate(person.last, now))}</span>
      </p>
    </>
  );
}

/** Services and groups have no preferences and make no promises. */
const isSomebody = (person: PersonView): boolean => person.is_owner || person.type === 'person';

function About({ detail, onAll }: { detail: PersonDetail; onAll: () => void }): ReactNode {
  const { person, timeline } = detail;
  const links = useWithLayers(detail, detail.links, byId);
  const profile = useWithLayers(detail, detail.profile, byVersion);
  const memories = useWithLayers(detail, detail.memories, byId);
  return (
    <>
      <Links links={links} />
      {isSomebody(person) || profile.length > 0 ? <Profile person={person} entries={profile} /> : null}
      {isSomebody(person) ? <Owed person={person} /> : null}
      <Memories memories={memories} />
      <Timeline lines={timeline.slice(0, LATEST_LINES)} title={t.people.latest}>
        {timeline.length > LATEST_LINES ? (
          <Button size="s" tone="quiet" action="people.lines" onClick={onAll}>
            {t.people.allLines}
          </Button>
        ) : null}
      </Timeline>
    </>
  );
}

/** Promises by and to them. */
function Owed({ person }: { person: PersonView }) {
  const { data, error } = useRpc('person_commitments', { id: person.id });
  if (error) {
    return (
      <Section title={t.promises.title}>
        <p role="alert">
          {t.promises.failed} {error.message}
        </p>
      </Section>
    );
  }
  if (!data) return null;
  return (
    <Section title={t.promises.title}>
      {data.items.some(isOpen) ? null : <p className={css.hint}>{t.promises.none}</p>}
      <Promises items={data.items} withPlace />
    </Section>
  );
}
