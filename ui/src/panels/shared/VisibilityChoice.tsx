/**
 * A choice between public, private, and as in the source. The effect of the selected choice is counted in advance.
 *
 * The component itself stores nothing. For the current choice, no effect is shown.
 */
import { Globe, GlobeLock, Undo2 } from 'lucide-react';
import { useRef } from 'react';
import { type Change, type VisibilityRequest, call, useRpc } from '../../api';
import { perform } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Visibility.module.css';

/** `source` removes an earlier choice. */
export type Choice = 'public' | 'private' | 'source';

const CHOICES: readonly Choice[] = ['public', 'private', 'source'];
const ICONS = { public: Globe, private: GlobeLock, source: Undo2 } as const;

export type VisibilityTarget = { channel_type: string; channel_id: string } | { conversation_id: string };

export const choiceOf = (chosen: string | null): Choice => (chosen === 'public' || chosen === 'private' ? chosen : 'source');

const requestOf = (target: VisibilityTarget, choice: Choice): Partial<VisibilityRequest> => ({ ...target, visibility: choice === 'source' ? null : choice });

/** Stores the choice, with one undo. `changes` are the rows that show it. */
export function chooseVisibility(target: VisibilityTarget, title: string, choice: Choice, before: Choice, changes: readonly Change[] = []): void {
  void perform({
    changes,
    text: t.privacy.applied(title, t.privacy.choices[choice] ?? choice),
    undone: t.privacy.appliedBack,
    send: () => call('visibility_set', requestOf(target, choice)),
    undo: () => call('visibility_set', requestOf(target, before)),
  });
}

/** The explanation of a choice. The text for `source` differs if there is no earlier choice to remove. */
const textOf = (choice: Choice, isConversation: boolean, current: Choice): string | undefined =>
  t.privacy.choiceText[choice === 'source' ? `source${isConversation ? 'Conversation' : ''}${current === 'source' ? 'Now' : ''}` : choice];

interface VisibilityChoiceProps {
  target: VisibilityTarget;
  value: Choice;
  /** The current choice. */
  current: Choice;
  onChange: (next: Choice) => void;
}

export function VisibilityChoice({ target, value, current, onChange }: VisibilityChoiceProps) {
  const group = useRef<HTMLDivElement>(null);
  const isConversation = 'conversation_id' in target;
  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = (CHOICES.indexOf(value) + step + CHOICES.length) % CHOICES.length;
    onChange(CHOICES[to] ?? value);
    group.current?.querySelectorAll<HTMLElement>('[role=radio]')[to]?.focus();
  };
  return (
    <>
      <div ref={group} className={css.choices} role="radiogroup" aria-label={t.privacy.whoSees} data-testid={TESTIDS.visibilityChoice}>
        {CHOICES.map((choice) => {
          const Icon = ICONS[choice];
          const name = choice === 'source' && isConversation ? t.privacy.byChannel : t.privacy.choices[choice];
          return (
            <button
              key={choice}
              type="button"
              role="radio"
              aria-checked={choice === value}
              tabIndex={choice === value ? 0 : -1}
              className={css.choice}
              data-testid={`visibility-${choice}`}
              onClick={() => onChange(choice)}
              onKeyDown={move}
            >
              <span className={css.name}>
                <Icon size={14} aria-hidden="true" />
                {choice === current ? `${name} (${t.privacy.now.toLowerCase()})` : name}
              </span>
              <span className={css.text}>{textOf(choice, isConversation, current)}</span>
            </button>
          );
        })}
      </div>
      <Effect target={target} value={value} current={current} />
    </>
  );
}

function Effect({ target, value, current }: Omit<VisibilityChoiceProps, 'onChange'>) {
  const isSame = value === current;
  const { data: effect, error } = useRpc('visibility_preview', requestOf(target, value), { enabled: !isSame });
  const words = t.privacy;
  if (isSame) {
    return (
      <div className={css.effect} role="status" data-testid={TESTIDS.visibilityEffect}>
        <h3>{words.effect}</h3>
        <p>{words.effectNothing}</p>
      </div>
    );
  }
  if (error) {
    return (
      <div className={css.effect} role="alert" data-testid={TESTIDS.visibilityEffect}>
        <p className={css.failed}>{words.effectFailed}</p>
        <p>{error.message}</p>
      </div>
    );
  }
  if (!effect) {
    return (
      <div className={css.effect} role="status" aria-busy="true">
        <h3>{words.effect}</h3>
        <p>{words.counting}</p>
      </div>
    );
  }
  const { conversations, messages, opened_memories: opened, closed_memories: closed } = effect;
  return (
    <div className={css.effect} role="status" data-testid={TESTIDS.visibilityEffect} data-opens={opened > 0 || undefined}>
      <h3>{words.effect}</h3>
      {conversations === 0 ? (
        <p>{words.effectSame}</p>
      ) : (
        <>
          <p>{value === 'source' ? words.effectConversationsEither(conversations, messages) : words.effectConversations(conversations, messages, value === 'public')}</p>
          {opened > 0 ? <p className={css.opens}>{words.effectOpened(opened)}</p> : null}
          {closed > 0 ? <p>{words.effectClosed(closed)}</p> : null}
          {opened + closed === 0 ? <p>{words.effectNoMemories}</p> : null}
        </>
      )}
    </div>
  );
}
