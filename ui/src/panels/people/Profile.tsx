/** A person's profile: current entries by type, past entries, and the profile at an earlier day. */
import { CalendarClock } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { type PersonView, type ProfileEntryView, useRpc } from '../../api';
import { Button, Segmented, endOfDay } from '../../design';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { inOrder } from './profile';
import { ProfileEntry } from './ProfileEntry';
import css from './Profile.module.css';
import people from './People.module.css';

export function Profile({ person, entries }: { person: PersonView; entries: readonly ProfileEntryView[] }) {
  const [isTravelling, setTravelling] = useState(false);
  const words = t.profile;
  const title = person.is_owner ? words.titleOwner : words.title;
  return (
    <section className={people.section} aria-label={title}>
      <div className={css.head}>
        <h3>{title}</h3>
        {entries.length > 0 && !isTravelling ? (
          <Button size="s" tone="quiet" icon={<CalendarClock size={14} aria-hidden="true" />} testId={TESTIDS.profileAsOf} onClick={() => setTravelling(true)}>
            {words.asOf}
          </Button>
        ) : null}
      </div>
      {entries.length === 0 ? <p className={css.hint}>{person.is_owner ? words.emptyOwner : words.empty}</p> : isTravelling ? <OnDay person={person} entries={entries} onClose={() => setTravelling(false)} /> : <Now entries={entries} />}
    </section>
  );
}

function Now({ entries }: { entries: readonly ProfileEntryView[] }) {
  const { groups, past } = useMemo(() => inOrder(entries), [entries]);
  const [isPastShown, setPastShown] = useState(false);
  return (
    <>
      <Groups groups={groups} />
      {past.length > 0 ? (
        <div className={css.past}>
          <Button size="s" tone="quiet" aria-expanded={isPastShown} testId={TESTIDS.profilePast} onClick={() => setPastShown(!isPastShown)}>
            {t.profile.past(past.length)}
          </Button>
          {isPastShown ? (
            <ul className={css.entries}>
              {past.map((entry) => (
                <ProfileEntry key={entry.version.id} entry={entry} />
              ))}
            </ul>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

function Groups({ groups, isPlain = false }: { groups: ReturnType<typeof inOrder>['groups']; isPlain?: boolean }) {
  return groups.map((group) => (
    <div key={group.type} className={css.group}>
      <h4 className={css.groupName}>{nameOf(t.profile.types, group.type)}</h4>
      <ul className={css.entries}>
        {group.entries.map((entry) => (
          // Without the version in the key, an entry stays expanded when it gets a new version. For a past day, there may be
          // several versions of an entry.
          <ProfileEntry key={isPlain ? entry.version.id : `${entry.profile_type} ${entry.facet}`} entry={entry} isPlain={isPlain} />
        ))}
      </ul>
    </div>
  ));
}

type View = 'believed' | 'held';

/** The profile in which the versions with these ids are the current ones. Pure. */
export function asOf(entries: readonly ProfileEntryView[], ids: ReadonlySet<string>): ProfileEntryView[] {
  return entries.flatMap((entry) =>
    [entry.version, ...entry.history].filter((version) => ids.has(version.id)).map((version) => ({ ...entry, is_current: true, version, history: [] })),
  );
}

/** Read-only: entries can be changed only as of today. */
function OnDay({ person, entries, onClose }: { person: PersonView; entries: readonly ProfileEntryView[]; onClose: () => void }) {
  const [day, setDay] = useState('');
  const [view, setView] = useState<View>('believed');
  const id = useId();
  const time = endOfDay(day);
  const { data, error } = useRpc('profile_at', { id: person.id, time: time ?? 0 }, { enabled: time !== null, keepPrevious: true });
  const words = t.profile;
  const shown = data && time !== null ? asOf(entries, new Set(data[view])) : null;
  return (
    <>
      <div className={css.asOf}>
        <label htmlFor={id}>{words.asOfLabel}</label>
        <input id={id} className={css.day} type="date" value={day} aria-describedby={`${id}-hint`} data-testid={TESTIDS.profileDay} onChange={(event) => setDay(event.target.value)} />
        <Segmented
          label={words.asOfView}
          value={view}
          choices={[
            { value: 'believed', label: words.asOfBelieved, testId: 'as-of-believed' },
            { value: 'held', label: words.asOfHeld, testId: 'as-of-held' },
          ]}
          onChange={setView}
        />
        <span className={css.space} />
        <Button size="s" tone="quiet" onClick={onClose}>
          {words.asOfClose}
        </Button>
        <p id={`${id}-hint`}>{words.asOfHint[view]}</p>
      </div>
      <div data-testid={TESTIDS.profileOnDay}>
        {error ? (
          <p role="alert">
            {words.asOfFailed} {error.message}
          </p>
        ) : shown === null ? (
          <p className={css.hint}>{words.asOfPick}</p>
        ) : shown.length === 0 ? (
          <p className={css.hint}>{words.asOfNothing[view]}</p>
        ) : (
          <Groups groups={inOrder(shown).groups} isPlain />
        )}
      </div>
    </>
  );
}
