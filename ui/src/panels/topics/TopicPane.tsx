/** One topic: takeaways and details, each line linked to its message; people, times and versions; and the actions. */
import { Combine, Pencil, Pin, PinOff, Split } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { type LineView, type TopicDetail, type TopicLineView, type TopicListRow, type TopicProposalView, type TopicVersionView, useRpc } from '../../api';
import { Badge, Button, Dialog, type Option, Pick, RelativeTime, Segmented, cx, fullTime, shortDate } from '../../design';
import { useActions } from '../../keys';
import { openConversation, openLine, showError, useNow, useUiChoice } from '../../state';
import { listed, nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { Graph } from '../shared/graph/Graph';
import { OverTime } from '../shared/time/OverTime';
import { DetailPane, Hint, SaidLine, Section } from '../shared/DetailPane';
import { isBuiltIn, proposerName } from '../shared/proposers';
import { dragged, keepApart, mergeTopics, renameTopic, splitTopic, undoDecision } from './acts';
import css from './Topics.module.css';

interface TopicPaneProps {
  topic: TopicListRow;
  topics: readonly TopicListRow[];
  proposals: readonly TopicProposalView[];
  /** True if the cursor rests on this topic. */
  isRested: boolean;
  onShow: (topic: string) => void;
}

const PARTS = ['text', 'graph'] as const;
const SECTIONS = ['decision', 'solution', 'task', 'learning'] as const;

export function TopicPane({ topic, topics, proposals, isRested, onShow }: TopicPaneProps) {
  const now = useNow();
  const answer = useRpc('topic_get', { id: topic.id }, { enabled: isRested });
  const { data: detail } = answer;
  const [part, setPart, otherPart] = useUiChoice('topics.part', PARTS, 'text');
  const [isRenaming, setRenaming] = useState(false);
  const [isMerging, setMerging] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const own = proposals.filter((proposal) => proposal.topic_id === topic.id || proposal.other_id === topic.id);
  const split = () => {
    if (chosen.size === 0) {
      document.querySelector<HTMLElement>(`[data-testid="${TESTIDS.topicChoose}"]`)?.focus();
      return true;
    }
    const ids = [...chosen];
    setChosen(new Set());
    void splitTopic(topic, ids);
    return true;
  };
  useActions('topics', {
    'topics.rename': () => setRenaming(true),
    'topics.merge': () => setMerging(true),
    'topics.split': split,
    'topics.graph': () => setPart(otherPart),
    'topics.open': () => openLine(detail?.lines[0]?.line ?? detail?.messages[0]),
  });
  return (
    <>
      <DetailPane
        label={t.topics.detail}
        of={`${topic.id} ${part}`}
        testId={TESTIDS.topicDetail}
        title={topic.title}
        titleTestId={TESTIDS.topicTitle}
        marks={
          <>
            {topic.is_renamed ? <Badge>{t.topics.yourTitle}</Badge> : null}
            <span className={css.space} />
            <Segmented
              value={part}
              choices={[
                { value: 'text', label: t.topics.partText, testId: 'topic-part-text' },
                { value: 'graph', label: t.topics.partGraph, testId: 'topic-part-graph' },
              ]}
              onChange={setPart}
            />
          </>
        }
        facts={
          <>
            <span>{t.app.messages(topic.messages)}</span>
            <span>{t.topics.between(shortDate(topic.first, now), shortDate(topic.last, now))}</span>
            {detail ? <span>{t.app.conversations(detail.sessions)}</span> : null}
            {detail && detail.users.length > 0 ? <span>{listed(detail.users)}</span> : null}
          </>
        }
        first={<Proposals topic={topic} proposals={own} />}
        answer={answer}
        words={t.topics}
        foot={
          <>
            <Button icon={<Pencil size={15} aria-hidden="true" />} action="topics.rename" testId={TESTIDS.topicRename}>
              {t.topics.rename}
            </Button>
            <Button icon={<Combine size={15} aria-hidden="true" />} action="topics.merge" testId={TESTIDS.topicMerge} disabled={topics.length < 2}>
              {t.topics.merge}
            </Button>
            <Button icon={<Split size={15} aria-hidden="true" />} action="topics.split" testId={TESTIDS.topicSplit}>
              {chosen.size > 0 ? t.topics.splitChosen(chosen.size) : t.topics.split}
            </Button>
            <Button tone="quiet" icon={topic.is_pinned ? <PinOff size={15} aria-hidden="true" /> : <Pin size={15} aria-hidden="true" />} action="topics.pin" testId={TESTIDS.topicPin}>
              {topic.is_pinned ? t.topics.unpin : t.topics.pin}
            </Button>
          </>
        }
      >
        {(loaded) => (part === 'graph' ? <Graph topic={topic.id} /> : <Known detail={loaded} topic={topic} chosen={chosen} onChosen={setChosen} onSplit={split} onShow={onShow} />)}
      </DetailPane>
      {isRenaming ? <RenameDialog topic={topic} onClose={() => setRenaming(false)} /> : null}
      {isMerging ? <MergeDialog topic={topic} topics={topics} onClose={() => setMerging(false)} /> : null}
    </>
  );
}

function Proposals({ topic, proposals }: { topic: TopicListRow; proposals: readonly TopicProposalView[] }) {
  if (proposals.length === 0) return null;
  return (
    <div className={css.proposals}>
      {proposals.map((proposal) => {
        const isMerge = proposal.kind === 'merge' && proposal.other_id !== null;
        const isOther = proposal.other_id === topic.id;
        const other = isOther ? { id: proposal.topic_id, title: proposal.topic_title } : { id: proposal.other_id ?? '', title: proposal.other_title ?? '' };
        return (
          <div key={proposal.id} className={css.proposal} data-testid={TESTIDS.topicProposal}>
            <p className={css.proposalText}>
              {isMerge ? t.topics.looksLike(other.title) : t.topics.looksBroad(proposal.apart.length)}
              {proposal.why.length > 0 ? <span className={css.why}>{t.topics.because(proposal.why.join(', '))}</span> : null}
            </p>
            <Button size="s" testId={TESTIDS.topicAccept} onClick={() => void (isMerge ? mergeTopics(topic, other, proposal.id) : splitTopic(topic, proposal.apart, proposal.id))}>
              {isMerge ? t.topics.mergeThem : t.topics.splitIt}
            </Button>
            <Button size="s" tone="quiet" testId={TESTIDS.topicLeave} onClick={() => void keepApart(topic, isMerge ? other.id : null, proposal.id)}>
              {isMerge ? t.topics.keepApart : t.topics.keepWhole}
            </Button>
          </div>
        );
      })}
    </div>
  );
}

interface KnownProps {
  detail: TopicDetail;
  topic: TopicListRow;
  chosen: ReadonlySet<string>;
  onChosen: (next: ReadonlySet<string>) => void;
  onSplit: () => void;
  onShow: (topic: string) => void;
}

function Known({ detail, topic, chosen, onChosen, onSplit, onShow }: KnownProps) {
  return (
    <>
      <Wording versions={detail.versions} />
      <Text lines={detail.lines} />
      <Named detail={detail} />
      {detail.related.length > 0 ? (
        <Section title={t.topics.related}>
          <ul className={css.chips}>
            {detail.related.map((other) => (
              <li key={other.id}>
                <Button size="s" tone="quiet" testId={TESTIDS.topicRelated} onClick={() => onShow(other.id)}>
                  {other.kind === 'related' ? other.title : `${nameOf(t.topics.relations, other.kind)}: ${other.title}`}
                </Button>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      <Section title={t.time.title}>
        <OverTime topic={topic.id} />
      </Section>
      <Messages topic={topic} messages={detail.messages} chosen={chosen} onChosen={onChosen} onSplit={onSplit} />
      <Versions versions={detail.versions} />
      <Decisions detail={detail} />
    </>
  );
}

/** The author of the text, unless it was taken literally from the messages. */
function Wording({ versions }: { versions: readonly TopicVersionView[] }) {
  const proposer = versions.find((version) => version.is_current)?.proposer;
  if (proposer === undefined || isBuiltIn(proposer)) return null;
  return (
    <Hint testId={TESTIDS.topicWordedBy}>{t.topics.wordedBy(proposerName(proposer))}</Hint>
  );
}

/** Takeaways first, then the details. */
function Text({ lines }: { lines: readonly TopicLineView[] }) {
  const details = lines.filter((line) => line.section === 'detail');
  return (
    <>
      {lines.some((line) => line.section !== 'detail') ? (
        <Section title={t.topics.takeaways} testId={TESTIDS.topicTakeaways}>
          {SECTIONS.map((section) => {
            const own = lines.filter((line) => line.section === section);
            return own.length === 0 ? null : (
              <div key={section}>
                <h4 className={css.kind}>{nameOf(t.topics.sections, section)}</h4>
                <Lines lines={own} />
              </div>
            );
          })}
        </Section>
      ) : null}
      {details.length > 0 ? (
        <Section title={t.topics.details}>
          <Lines lines={details} />
        </Section>
      ) : null}
    </>
  );
}

function Lines({ lines }: { lines: readonly TopicLineView[] }) {
  const now = useNow();
  return (
    <ul className={css.lines}>
      {lines.map((line) => (
        <li key={`${line.line.message_id} ${line.line.start} ${line.text}`}>
          <SaidLine conversation={line.line.conversation_id} message={line.line.message_id} testId={TESTIDS.topicLine} title={`${line.line.conversation_title} · ${fullTime(line.line.time)}`} author={line.line.author}>
            {line.text}
          </SaidLine>
          {line.also.length > 0 ? (
            <p className={css.also}>
              {line.also.map((place) => (
                <Button key={`${place.message_id} ${place.start}`} size="s" tone="quiet" testId={TESTIDS.topicAlso} onClick={() => openConversation(place.conversation_id, place.message_id)}>
                  {t.topics.restsOn(place.author, shortDate(place.time, now))}
                </Button>
              ))}
            </p>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Named({ detail }: { detail: TopicDetail }) {
  const { entities } = detail.topic;
  const rows = [
    [t.topics.people, entities.people],
    [t.topics.projects, entities.projects],
    [t.topics.technologies, entities.technologies],
    [t.topics.channels, detail.interfaces.map((name) => nameOf(t.channel, name))],
  ] as const;
  return (
    <Section title={t.topics.named}>
      <dl className={css.named}>
        {rows.map(([label, names]) =>
          names.length === 0 ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{names.join(', ')}</dd>
            </div>
          ),
        )}
      </dl>
    </Section>
  );
}

interface MessagesProps {
  topic: TopicListRow;
  messages: readonly LineView[];
  chosen: ReadonlySet<string>;
  onChosen: (next: ReadonlySet<string>) => void;
  onSplit: () => void;
}

function Messages({ topic, messages, chosen, onChosen, onSplit }: MessagesProps) {
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChosen(next);
  };
  return (
    <Section title={t.topics.sources} hint={t.topics.sourcesHint} testId={TESTIDS.topicMessages}>
      {chosen.size > 0 ? (
        <p className={css.chosen}>
          {t.topics.chosen(chosen.size)}
          <Button size="s" testId={TESTIDS.topicSplitChosen} onClick={onSplit}>
            {t.topics.splitChosen(chosen.size)}
          </Button>
          <Button size="s" tone="quiet" onClick={() => onChosen(new Set())}>
            {t.topics.chooseNone}
          </Button>
        </p>
      ) : null}
      <ul className={css.lines}>
        {messages.map((line) => (
          // Dragging is only an alternative: the checkbox next to each line and the key do the same.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <li
            key={line.message_id}
            className={css.message}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', line.text);
              const ids = chosen.has(line.message_id) ? [...chosen] : [line.message_id];
              dragged.set({ kind: 'messages', topic: topic.id, ids });
            }}
            onDragEnd={() => dragged.set(null)}
          >
            <input type="checkbox" className={css.choose} checked={chosen.has(line.message_id)} aria-label={t.topics.choose(line.author, line.text.slice(0, 80))} data-testid={TESTIDS.topicChoose} onChange={() => toggle(line.message_id)} />
            <SaidLine
              conversation={line.conversation_id}
              message={line.message_id}
              testId={TESTIDS.topicMessage}
              title={fullTime(line.time)}
              author={
                <>
                  {line.author} · <RelativeTime time={line.time} date /> · {line.conversation_title}
                </>
              }
            >
              {line.text}
            </SaidLine>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Versions({ versions }: { versions: readonly TopicVersionView[] }) {
  const [shown, setShown] = useState<string | null>(null);
  const { data } = useRpc('topic_text', { version_id: shown ?? '' }, { enabled: shown !== null });
  return (
    <Section title={t.topics.versions}>
      <ol className={css.versions}>
        {versions.map((version) => (
          <li key={version.id} data-testid={TESTIDS.topicVersion}>
            <div className={css.version}>
              <span className="num">{t.memory.version(version.number)}</span>
              <span className={css.words}>{version.title}</span>
              <span className={cx('num', css.meta)}>{t.app.messages(version.messages)}</span>
              {isBuiltIn(version.proposer) ? null : <span className={css.meta}>{proposerName(version.proposer)}</span>}
              <RelativeTime time={version.made} date />
              {version.is_retired ? <Badge>{t.topics.retired}</Badge> : null}
              {version.is_current ? (
                <Badge tone="ok">{t.memory.current}</Badge>
              ) : (
                <Button size="s" tone="quiet" label={t.topics.readVersion(version.number, isBuiltIn(version.proposer) ? null : proposerName(version.proposer))} onClick={() => setShown(shown === version.id ? null : version.id)}>
                  {shown === version.id ? t.topics.hide : t.topics.read}
                </Button>
              )}
            </div>
            {shown === version.id && data ? <Lines lines={data.lines} /> : null}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Decisions({ detail }: { detail: TopicDetail }) {
  if (detail.decisions.length === 0) return null;
  return (
    <Section title={t.topics.decisions} hint={t.topics.decisionsHint}>
      <ul className={css.versions}>
        {detail.decisions.map((decision) => (
          <li key={decision.id} className={css.version} data-testid={TESTIDS.topicDecision}>
            <span className={css.words}>
              {nameOf(t.topics.acts, decision.kind)}
              {decision.title ? `: ${decision.title}` : ''}
            </span>
            <RelativeTime time={decision.decided} date />
            <Button size="s" tone="quiet" testId={TESTIDS.topicUndo} label={`${t.app.undo}: ${nameOf(t.topics.acts, decision.kind)}`} onClick={() => void undoDecision(decision.id).catch(showError)}>
              {t.app.undo}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function RenameDialog({ topic, onClose }: { topic: TopicListRow; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [title, setTitle] = useState(topic.title);
  const save = (next: string) => {
    onClose();
    if (next.trim() !== topic.title || topic.is_renamed) void renameTopic(topic, next);
  };
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={t.topics.renameTitle}
      testId={TESTIDS.topicRenameDialog}
      focus={field}
      actions={
        topic.is_renamed ? (
          <Button tone="quiet" onClick={() => save('')}>
            {t.topics.follow}
          </Button>
        ) : null
      }
      confirm={{ label: t.topics.save, run: () => save(title), isDisabled: title.trim() === '', testId: TESTIDS.topicRenameSave }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim()) save(title);
        }}
      >
        <label className={css.field}>
          <span>{t.topics.titleLabel}</span>
          <input ref={field} type="text" maxLength={120} value={title} data-testid={TESTIDS.topicRenameField} onChange={(event) => setTitle(event.target.value)} />
        </label>
      </form>
    </Dialog>
  );
}

function MergeDialog({ topic, topics, onClose }: { topic: TopicListRow; topics: readonly TopicListRow[]; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [other, setOther] = useState('');
  const options = useMemo<Option[]>(() => topics.filter((each) => each.id !== topic.id).map((each) => ({ value: each.id, label: each.title, hint: t.app.messages(each.messages) })), [topics, topic.id]);
  const from = topics.find((each) => each.id === other);
  const merge = () => {
    onClose();
    if (from) void mergeTopics(topic, from);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.topics.mergeTitle(topic.title)}
      testId={TESTIDS.topicMergeDialog}
      focus={field}
      confirm={{ label: t.topics.merge, run: merge, isDisabled: !from, testId: TESTIDS.topicMergeConfirm }}
    >
      <Hint>{t.topics.mergeText}</Hint>
      <div className={css.field}>
        <span>{t.topics.mergeOther}</span>
        <Pick ref={field} label={t.topics.mergeOther} options={options} value={other} onChange={setOther} placeholder={t.topics.mergePlaceholder} none={t.topics.mergeNone} testId={TESTIDS.topicMergeOther} />
      </div>
    </Dialog>
  );
}
