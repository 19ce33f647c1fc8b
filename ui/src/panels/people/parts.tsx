/** Components shared by the views of People: type of entity, handle, section, strength of evidence. */
import { BadgeCheck, Bot, Server, UserRound, UsersRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PersonHandle } from '../../api';
import { Badge, Button, cx, shortDate } from '../../design';
import { useNow } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { handleName } from './clues';
import css from './People.module.css';

/** Rows of a section shown at first, and added by each "more", so that the document stays small. */
const SECTION_ROWS = 20;

const ICONS = { person: UserRound, agent: Bot, service: Server, group: UsersRound } as const;

/** The type of an entity, as an icon with its name. */
export function KindIcon({ type, size = 14 }: { type: string; size?: number }) {
  const Icon = ICONS[type as keyof typeof ICONS] ?? UserRound;
  return (
    <span className={css.kind} title={nameOf(t.people.kindOne, type)}>
      <Icon size={size} aria-hidden="true" />
      <span className="srOnly">{nameOf(t.people.kindOne, type)}</span>
    </span>
  );
}

export function Section({ title, hint, children, testId }: { title: string; hint?: string; children: ReactNode; testId?: string }) {
  return (
    <section className={css.section} aria-label={title} data-testid={testId}>
      <h3 className={css.heading}>{title}</h3>
      {hint ? <p className={css.hint}>{hint}</p> : null}
      {children}
    </section>
  );
}

/** The first rows, and more on request. */
export function Rows<T>({ items, render }: { items: readonly T[]; render: (item: T) => ReactNode }) {
  const [shown, setShown] = useState(SECTION_ROWS);
  return (
    <>
      <ul className={css.rows}>{items.slice(0, shown).map(render)}</ul>
      {items.length > shown ? (
        <Button size="s" tone="quiet" onClick={() => setShown(shown + SECTION_ROWS)}>
          {t.people.showMore(Math.min(SECTION_ROWS, items.length - shown))}
        </Button>
      ) : null}
    </>
  );
}

/** A handle, its channel, whether the person confirmed it, and when it was last used. */
export function HandleRow({ handle }: { handle: PersonHandle }) {
  const now = useNow();
  const isSame = handle.display_name === handle.handle;
  return (
    <li className={css.handle} data-testid={TESTIDS.personHandle}>
      <span className={css.channel}>{nameOf(t.channel, handle.channel)}</span>
      <span className={css.who}>
        <span className={css.handleName}>{handleName(handle)}</span>
        {isSame ? null : <code className={css.address}>{handle.handle}</code>}
      </span>
      {handle.verified ? (
        <span className={css.verified}>
          <BadgeCheck size={13} aria-hidden="true" />
          {t.people.verified}
        </span>
      ) : null}
      <span className={cx('num', css.when)}>
        {t.app.messages(handle.messages)}
        {handle.first === null || handle.last === null ? null : <span className={css.span}> · {t.people.seen(shortDate(handle.first, now), shortDate(handle.last, now))}</span>}
      </span>
    </li>
  );
}

const STRENGTH_TONES: Readonly<Record<string, 'ok' | 'plain' | 'warn'>> = { contact: 'ok', declared: 'ok', name: 'plain', guess: 'warn' };
/** Strength of the evidence, in words. */
export function Strength({ strength }: { strength: string }) {
  return <Badge tone={STRENGTH_TONES[strength] ?? 'plain'}>{nameOf(t.people.strength, strength)}</Badge>;
}
