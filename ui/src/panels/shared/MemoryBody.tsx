/** The details of a memory: statement, reason, the lines that prove it, the most similar memory, versions. */
import { CalendarDays, CornerDownRight, EyeOff, Lock, Quote, ShieldAlert, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EvidenceView, KnowledgeView, MemoryDetail, MemoryRow, NearMemory, StoryView } from '../../api';
import { Badge, Button, CategoryBadge, Confidence, EvidenceLine, RelativeTime, WordDiff, cx, fullTime, partialDate, shownStatement } from '../../design';
import type { ActionId } from '../../keys';
import { openConversation } from '../../state';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Fact } from './DetailPane';
import css from './MemoryBody.module.css';
import { proposerNames } from './proposers';
import { VisibilityMark } from './Visibility';

export interface MemoryBodyProps {
  row: MemoryRow;
  /** Undefined while it is loading; the statement is shown immediately. */
  detail: MemoryDetail | undefined;
  /** Replaces the statement while it is edited. */
  editor?: ReactNode;
  statementTestId: string;
  sourceAction: ActionId;
  /** A note above everything else. */
  note?: ReactNode;
}

/** The message to open for a memory: its first evidence. */
export function openSource(detail: MemoryDetail | undefined, row: MemoryRow): void {
  const evidence = detail?.evidence[0];
  openConversation(evidence?.conversation_id ?? row.conversation_id, evidence?.interaction_id);
}

/** The most similar other memory. Earlier versions of the same memory are even more similar, but they are listed as versions. */
export function nearOf(detail: MemoryDetail | undefined): NearMemory | null {
  const near = detail?.near ?? null;
  return near && !detail?.versions.some((version) => version.id === near.id) ? near : null;
}

export function MemoryBody({ row, detail, editor, statementTestId, sourceAction, note }: MemoryBodyProps) {
  const near = nearOf(detail);
  return (
    <article className={cx(css.body, row.is_private_source && css.private)}>
      {note}
      <div className={css.meta}>
        <CategoryBadge category={row.category} />
        {row.attribute !== null && row.attribute in t.attribute ? <Badge>{nameOf(t.attribute, row.attribute)}</Badge> : null}
        {row.date === null ? null : (
          <Badge>
            <CalendarDays size={12} aria-hidden="true" />
            {partialDate(row.date)}
          </Badge>
        )}
        {row.is_inferred ? <Badge>{t.memory.likely}</Badge> : null}
        {row.band ? <Confidence value={row.confidence} band={row.band} /> : null}
        {row.subject === 'owner' ? null : (
          <Badge>
            <UserRound size={12} aria-hidden="true" />
            {t.memory.about(row.subject)}
          </Badge>
        )}
        {row.is_private_source ? (
          <Badge tone="warn">
            <Lock size={12} aria-hidden="true" />
            {t.memory.private}
          </Badge>
        ) : null}
        {row.is_hidden ? (
          <Badge>
            <EyeOff size={12} aria-hidden="true" />
            {t.memory.hidden}
          </Badge>
        ) : null}
        {row.is_edited ? <Badge>{t.memory.edited}</Badge> : null}
      </div>
      {editor ?? <Statement row={row} testId={statementTestId} />}
      {detail ? (
        <>
          <p className={css.why}>
            <span className={css.whyWord}>{t.memory.why}</span> {detail.reasoning}
          </p>
          {detail.knowledge ? <Knowledge knowledge={detail.knowledge} /> : null}
          {detail.story ? <Story story={detail.story} /> : null}
          {detail.changes.length > 0 ? <Changes row={row} detail={detail} /> : null}
          <div className={css.columns} data-two={near !== null}>
            <Evidence evidence={detail.evidence} action={sourceAction} />
            {near ? <Near near={near} content={row.content} /> : null}
          </div>
          {detail.versions.length > 1 ? <Versions detail={detail} /> : null}
          {detail.reads_total > 0 ? <Reads detail={detail} /> : null}
          <Facts detail={detail} />
        </>
      ) : (
        <div className={css.waiting} aria-hidden="true" />
      )}
    </article>
  );
}

/** Fields that only knowledge has: subject, stability, and the context where the opposite applies. */
function Knowledge({ knowledge }: { knowledge: KnowledgeView }) {
  return (
    <div className={css.meta}>
      <Badge>{t.memory.topic(knowledge.topic)}</Badge>
      <Badge>{nameOf(t.memory.stability, knowledge.stability)}</Badge>
      {knowledge.context ? <Badge>{t.memory.holdsIn(knowledge.context)}</Badge> : null}
      {knowledge.tags.map((tag) => (
        <Badge key={tag}>#{tag}</Badge>
      ))}
    </div>
  );
}

/** Fields that only a memory of a whole conversation has: the participants, and the emotional weight. */
function Story({ story }: { story: StoryView }) {
  const weight = story.emotional_weight;
  if (weight === null && story.participants.length === 0) return null;
  return (
    <div className={css.meta}>
      {story.participants.map((name) => (
        <Badge key={name}>{t.memory.participant(name)}</Badge>
      ))}
      {weight === null ? null : <Badge>{t.memory.emotionalWeight(weight)}</Badge>}
    </div>
  );
}

function Statement({ row, testId }: { row: MemoryRow; testId: string }) {
  if (row.status === 'quarantined') {
    return (
      <blockquote className={css.quoted} data-testid={testId}>
        <Quote size={14} aria-hidden="true" />
        {row.content}
      </blockquote>
    );
  }
  return (
    <h2 className={css.statement} data-testid={testId}>
      {shownStatement(row.content)}
    </h2>
  );
}

function Evidence({ evidence, action }: { evidence: readonly EvidenceView[]; action: ActionId }) {
  if (evidence.length === 0) return <p className={css.why}>{t.memory.noEvidence}</p>;
  return (
    <section className={css.section} data-testid={TESTIDS.reviewEvidence}>
      <h3 className={css.heading}>{t.memory.evidenceOf(evidence.length)}</h3>
      {evidence.map((each, index) => (
        <figure key={`${each.interaction_id} ${each.start}`} className={cx(css.evidence, each.is_private && css.evidencePrivate)}>
          <figcaption className={css.caption}>
            {each.is_private ? <Lock size={12} aria-label={t.memory.private} /> : null}
            <span className={css.captionTitle}>{each.conversation_title}</span>
            <span className={css.channel}>{nameOf(t.channel, each.channel_type)}</span>
            {each.is_private || each.line === null ? null : <VisibilityMark visibility={each.visibility} />}
            <span className={css.space} />
            <Button size="s" tone="quiet" icon={<CornerDownRight size={14} aria-hidden="true" />} action={index === 0 ? action : undefined} testId={index === 0 ? TESTIDS.source : undefined} onClick={() => openConversation(each.conversation_id, each.interaction_id)}>
              {t.app.openInConversation}
            </Button>
          </figcaption>
          {each.line === null ? <p className={css.gone}>{t.memory.erasedLine}</p> : null}
          {each.before.map((line) => (
            <EvidenceLine key={line.id} line={line} />
          ))}
          {each.line ? <EvidenceLine line={each.line} span={each.holds ? { start: each.start, end: each.end } : { start: 0, end: 0 }} /> : null}
          {each.after.map((line) => (
            <EvidenceLine key={line.id} line={line} />
          ))}
          {each.line && !each.holds ? (
            <p className={css.stale}>
              <ShieldAlert size={14} aria-hidden="true" />
              {t.memory.staleSpan}
            </p>
          ) : null}
        </figure>
      ))}
    </section>
  );
}

/** A timeline of the statements that this one replaced or that replaced it. */
function Changes({ row, detail }: { row: MemoryRow; detail: MemoryDetail }) {
  const all = [...detail.changes, { id: row.id, status: row.status, content: row.content, said_at: row.said_at, is_newer: false }].toSorted((a, b) => a.said_at - b.said_at);
  const isPending = row.status === 'pending';
  const isHistory = detail.changes.some((change) => change.is_newer && change.status === 'active');
  const setsAside = detail.changes.some((change) => !change.is_newer && change.status === 'active');
  const note = isPending && isHistory ? t.memory.changeHistory : isPending && setsAside ? t.memory.changeApprove : null;
  return (
    <section className={css.section} data-testid={TESTIDS.memoryChanges}>
      <h3 className={css.heading}>{t.memory.changes}</h3>
      <ol className={css.versions}>
        {all.map((change) => (
          <li key={change.id} className={css.version} data-current={change.id === row.id}>
            <p className={css.versionText}>{shownStatement(change.content)}</p>
            <p className={css.nearMeta}>
              <span>{change.id === row.id ? t.memory.changeThis : nameOf(t.statusOne, change.status)}</span>
              <RelativeTime time={change.said_at} absolute />
            </p>
          </li>
        ))}
      </ol>
      {note ? <p className={css.why}>{note}</p> : null}
    </section>
  );
}

function Near({ near, content }: { near: NearMemory; content: string }) {
  return (
    <section className={css.section} data-testid={TESTIDS.reviewNear}>
      <h3 className={css.heading}>
        {t.memory.near}
        <Badge tone={near.outcome === 'exact' ? 'ok' : near.outcome === 'reinforcement' ? 'accent' : 'plain'}>{nameOf(t.outcome, near.outcome)}</Badge>
      </h3>
      <div className={css.near}>
        <WordDiff before={shownStatement(near.content)} after={shownStatement(content)} />
        <p className={css.nearMeta}>
          <span>{nameOf(t.statusOne, near.status)}</span>
          <span className="num">{t.memory.similarity(near.similarity)}</span>
        </p>
      </div>
    </section>
  );
}

function Versions({ detail }: { detail: MemoryDetail }) {
  const newest = detail.versions.toReversed();
  return (
    <section className={css.section}>
      <h3 className={css.heading}>{t.memory.versions}</h3>
      <ol className={css.versions}>
        {newest.map((version, index) => {
          const older = newest[index + 1];
          return (
            <li key={version.id} className={css.version} data-current={version.id === detail.row.id}>
              <div className={css.versionText}>{older ? <WordDiff before={shownStatement(older.content)} after={shownStatement(version.content)} /> : <p>{shownStatement(version.content)}</p>}</div>
              <p className={css.nearMeta}>
                <span>{version.id === detail.row.id ? t.memory.current : nameOf(t.statusOne, version.status)}</span>
                {version.is_edited ? <span>{t.memory.edited}</span> : null}
                <RelativeTime time={version.created_at} absolute />
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The log of who was served this memory. Only the event is recorded, never the text of the answer. */
function Reads({ detail }: { detail: MemoryDetail }) {
  const last = detail.reads[0];
  return (
    <details className={css.section} data-testid={TESTIDS.memoryReads}>
      <summary className={css.readsHead}>
        {t.memory.reads(detail.reads_total)}
        {last ? <span className={css.nearMeta}>{t.memory.lastRead(fullTime(last.at))}</span> : null}
      </summary>
      <ul className={css.reads}>
        {detail.reads.map((read) => (
          <li key={read.id}>
            <span>{read.agent === '' ? t.app.unnamedProgram : read.agent}</span>
            <span>{nameOf(t.sessions.readKinds, read.kind)}</span>
            <span>{read.person === null ? '' : t.memory.readWith(read.person)}</span>
            <RelativeTime time={read.at} absolute />
          </li>
        ))}
      </ul>
      {detail.reads_total > detail.reads.length ? <p className={css.nearMeta}>{t.memory.readsOlder(detail.reads_total - detail.reads.length)}</p> : null}
    </details>
  );
}

/** The strictest visibility of the places that the evidence comes from. */
function visibilityOf(evidence: readonly EvidenceView[]): string | null {
  const seen = evidence.filter((each) => each.line !== null && !each.is_private);
  return seen.length === 0 ? null : seen.every((each) => each.visibility === 'public') ? 'public' : 'private';
}

function Facts({ detail }: { detail: MemoryDetail }) {
  const visibility = visibilityOf(detail.evidence);
  return (
    <dl className={css.facts}>
      <Fact className={css.fact} name={t.memory.durability}>{nameOf(t.durability, detail.durability)}</Fact>
      <Fact className={css.fact} name={t.memory.said}>{fullTime(detail.row.said_at)}</Fact>
      {visibility ? <Fact className={css.fact} name={t.memory.place}>{nameOf(t.privacy.visibilityLong, visibility)}</Fact> : null}
      <Fact className={css.fact} name={t.memory.proposers}>
        <span title={detail.proposers.join(', ')}>{proposerNames(detail.proposers)}</span>
      </Fact>
      {detail.snoozed_until ? <Fact className={css.fact} name={t.review.snooze}>{fullTime(detail.snoozed_until)}</Fact> : null}
      {detail.reject_reason ? <Fact className={css.fact} name={t.statusOne.rejected ?? ''}>{nameOf(t.review.reasons, detail.reject_reason)}</Fact> : null}
    </dl>
  );
}
