/** One message: author, time and original text. Markup is not rendered, and images are not fetched. */
import { ChevronRight, FileText, GitBranch, Info, type LucideIcon, Mic, ScrollText, Sparkles, SquareTerminal, Wrench } from 'lucide-react';
import type { MemorySpan, MessageView } from '../../api';
import { Button, CATEGORIES, cx, fullTime, segmentsOf, tintOf } from '../../design';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { SHOWN_CHARS_MAX, beginningOf, blocksOf } from './blocks';
import css from './Message.module.css';

const FOLDABLE = new Set(['tool_use', 'tool_result', 'thinking']);
const PREVIEW_CHARS = 120;
/** Consecutive messages of one speaker within this time show the name only once. */
const TOGETHER_MS = 4 * 60_000;

const ICONS: Record<string, LucideIcon> = {
  tool_use: Wrench,
  tool_result: SquareTerminal,
  thinking: Sparkles,
  instruction: ScrollText,
  notice: Info,
  command: SquareTerminal,
  file: FileText,
  voice: Mic,
};

/** Tool messages and thinking are collapsed by default, because they are long and nobody said them. */
export const isFoldable = (message: Pick<MessageView, 'message_type'>): boolean => FOLDABLE.has(message.message_type);

const dayOf = (time: number) => new Date(time).toDateString();
/** `undefined` means that the previous message is not loaded yet; no day line is drawn until it is. */
export const startsDay = (message: MessageView, previous: MessageView | null | undefined): boolean =>
  previous === null || (previous !== undefined && dayOf(previous.time) !== dayOf(message.time));

const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export function DayLine({ message: { time, time_certainty } }: { message: MessageView }) {
  return (
    <div className={css.day}>
      <h2 className={css.dayText}>{time_certainty === 'inferred' ? '≈ ' : ''}{dayFormat.format(time)}</h2>
    </div>
  );
}

interface MessageProps {
  message: MessageView;
  follows: MessageView | null;
  isCurrent: boolean;
  isTarget: boolean;
  isOpen: boolean;
  total: number;
  onToggle: () => void;
  onPick: () => void;
  onSpan: (anchor: HTMLElement, spans: readonly MemorySpan[]) => void;
}

export function Message({ message, follows, isCurrent, isTarget, isOpen, total, onToggle, onPick, onSpan }: MessageProps) {
  const { role, message_type: type } = message;
  const kind = type === 'text' ? null : nameOf(t.conversations.kinds, type);
  const Icon = ICONS[type];
  const name = role === 'owner' ? t.conversations.you : message.author || nameOf(t.role, role);
  const folds = isFoldable(message);
  const isSame = follows !== null && follows.author === message.author && follows.role === role && follows.message_type === type && message.time - follows.time < TOGETHER_MS && startsDay(message, follows) === false;
  const frame = {
    'data-testid': TESTIDS.message,
    'data-role': role,
    'data-type': type,
    'data-message': message.id,
    'data-current': isCurrent || undefined,
    'aria-label': `${name}, ${fullTime(message.time)}${kind ? `, ${kind}` : ''}`,
    'aria-current': isCurrent || undefined,
    'aria-posinset': message.position + 1,
    'aria-setsize': total,
    onClick: onPick,
  } as const;

  if (type === 'notice') {
    return (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- j and k do the same
      <article {...frame} className={css.notice}>
        <Info size={13} aria-hidden="true" />
        <span>{message.text}</span>
      </article>
    );
  }
  if (folds && !isOpen) {
    return (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- j and k do the same
      <article {...frame} className={cx(css.folded, message.is_branch && css.branch)}>
        <FoldButton message={message} kind={kind ?? type} icon={Icon} isOpen={false} onToggle={onToggle} />
      </article>
    );
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- j and k do the same
    <article {...frame} className={cx(css.message, css[`role_${role}`], type === 'instruction' && css.instruction, message.is_branch && css.branch, isSame && !folds && css.same, isTarget && css.target)}>
      {folds ? (
        <FoldButton message={message} kind={kind ?? type} icon={Icon} isOpen onToggle={onToggle} />
      ) : isSame ? null : (
        <header className={css.who}>
          <span className={css.author}>{name}</span>
          {message.label ? (
            <span className={css.label} title={t.unidentifiedSpeakers.label(message.label)}>
              {message.label}
            </span>
          ) : null}
          <Said message={message} />
          {kind ? (
            <span className={css.kind}>
              {Icon ? <Icon size={13} aria-hidden="true" /> : null}
              {kind}
            </span>
          ) : null}
          {message.is_branch ? (
            <span className={css.kind} title={t.conversations.branchHint}>
              <GitBranch size={13} aria-hidden="true" />
              {t.conversations.branch}
            </span>
          ) : null}
        </header>
      )}
      <Body message={message} isMono={folds || type === 'command'} isOpen={isOpen} onToggle={onToggle} onSpan={onSpan} />
    </article>
  );
}

/** The time of the message. If the source did not give it exactly, a hint says so. */
function Said({ message }: { message: MessageView }) {
  const hint = { local_assumed: t.conversations.timeAssumed, inferred: t.conversations.timeInferred }[message.time_certainty];
  return (
    <time className={cx('num', css.time)} dateTime={new Date(message.time).toISOString()} title={hint ? `${fullTime(message.time)}. ${hint}` : fullTime(message.time)}>
      {message.time_certainty === 'inferred' ? '≈ ' : ''}
      {timeFormat.format(message.time)}
    </time>
  );
}

function FoldButton({ message, kind, icon: Icon, isOpen, onToggle }: { message: MessageView; kind: string; icon: LucideIcon | undefined; isOpen: boolean; onToggle: () => void }) {
  const preview = message.text.slice(0, PREVIEW_CHARS).replace(/\s+/g, ' ').trim();
  return (
    <button
      type="button"
      className={css.fold}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <ChevronRight size={14} className={css.chevron} aria-hidden="true" />
      {Icon ? <Icon size={13} aria-hidden="true" /> : null}
      <span className={css.foldKind}>
        {kind}
        {message.tool ? ` · ${message.tool}` : ''}
      </span>
      {isOpen ? null : <span className={css.preview}>{preview}</span>}
    </button>
  );
}

function Body({ message, isMono, isOpen, onToggle, onSpan }: { message: MessageView; isMono: boolean; isOpen: boolean; onToggle: () => void; onSpan: MessageProps['onSpan'] }) {
  const beginning = beginningOf(message.text);
  const farthest = Math.max(0, ...message.spans.map((span) => span.end));
  const isCut = beginning !== null && !isMono && !isOpen && farthest < SHOWN_CHARS_MAX * 0.8;
  const text = isCut ? beginning : message.text;
  if (text.trim() === '') return <p className={cx(css.text, css.empty)}>{t.conversations.noText}</p>;
  const blocks = isMono ? [{ kind: 'code' as const, text, start: 0, language: null }] : blocksOf(text);
  return (
    <>
      {blocks.map((block) => {
        const spans = message.spans.map((span) => ({ ...span, start: span.start - block.start, end: span.end - block.start, origin: span }));
        const inside = segmentsOf(block.text, spans).map((segment) =>
          segment.spans.length === 0 ? segment.text : <Span key={segment.start} text={segment.text} spans={segment.spans.map((each) => each.origin)} onSpan={onSpan} />,
        );
        return block.kind === 'code' ? (
          <pre key={block.start} className={css.code} data-start={block.start} data-language={block.language ?? undefined}>
            {inside}
          </pre>
        ) : (
          <p key={block.start} className={css.text} data-start={block.start}>
            {inside}
          </p>
        );
      })}
      {isCut || (beginning !== null && isOpen && !isMono) ? (
        <Button size="s" onClick={onToggle}>
          {isCut ? t.conversations.showAll(Array.from(message.text).length) : t.conversations.showLess}
        </Button>
      ) : null}
    </>
  );
}

/** Active memories first, then pending ones, then all others. The first one determines the color. */
const RANK: Record<string, number> = { active: 0, pending: 1, quarantined: 2 };
const rank = (span: MemorySpan) => (RANK[span.status] ?? 3) * 100 + CATEGORIES.indexOf(span.category);

/** The words that a memory is based on. Color, underline and name indicate its kind. */
function Span({ text, spans, onSpan }: { text: string; spans: readonly MemorySpan[]; onSpan: MessageProps['onSpan'] }) {
  const shown = spans.toSorted((a, b) => rank(a) - rank(b))[0];
  if (!shown) return text;
  const tint = tintOf(shown.category);
  const open = (element: HTMLElement) => onSpan(element, spans);
  return (
    <span
      // Not a button element, because that would be a single box and could not wrap.
      role="button"
      tabIndex={0}
      className={css.span}
      style={{ '--tint': `var(--${tint})`, '--tint-bg': `var(--${tint}-bg)` } as React.CSSProperties}
      data-status={shown.status}
      data-testid={TESTIDS.messageSpan}
      data-memory={shown.memory_id}
      aria-haspopup="dialog"
      title={t.conversations.spanOf(nameOf(t.category, shown.category), nameOf(t.statusOne, shown.status), shown.content)}
      onClick={(event) => {
        event.stopPropagation();
        open(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        open(event.currentTarget);
      }}
    >
      {text}
    </span>
  );
}
