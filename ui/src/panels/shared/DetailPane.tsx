/**
 * The detail of the row under the cursor: its title and facts at once, the rest when it is loaded, and the actions below.
 *
 * Also the parts that details consist of: sections, and lines that open the message they come from.
 */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, type ButtonProps, Loaded, type LoadedAnswer, PaneBody, PaneFoot, cx } from '../../design';
import type { ActionId } from '../../keys';
import { openConversation } from '../../state';
import css from './DetailPane.module.css';

interface DetailPaneProps<T> {
  label: string;
  /** Identity of the row. When it changes, the pane scrolls to the top. */
  of: string;
  testId: string;
  title: ReactNode;
  titleTestId: string;
  /** Next to the title. */
  marks?: ReactNode;
  facts?: ReactNode;
  /** Shown before the rest is loaded. */
  first?: ReactNode;
  answer: LoadedAnswer<T>;
  words: { readonly detailFailed: string; readonly loadFailedText: string };
  /** Replaces the usual frame. */
  className?: string | undefined;
  children: (detail: T) => ReactNode;
  foot: ReactNode;
}

export function DetailPane<T>({ label, of, testId, title, titleTestId, marks, facts, first, answer, words, className, children, foot }: DetailPaneProps<T>) {
  return (
    <>
      <PaneBody label={label} of={of} testId={testId}>
        <article className={className ?? css.detail}>
          <header className={css.head}>
            <h2 className={css.title} data-testid={titleTestId}>
              {title}
            </h2>
            {marks}
          </header>
          {facts ? <p className={cx('num', css.facts)}>{facts}</p> : null}
          {first}
          <Loaded answer={answer} title={words.detailFailed} text={words.loadFailedText} rows={4}>
            {children}
          </Loaded>
        </article>
      </PaneBody>
      <PaneFoot label={label}>{foot}</PaneFoot>
    </>
  );
}

export interface RowAnswer<Status> {
  readonly to: Status;
  readonly action: ActionId;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly tone?: ButtonProps['tone'];
  readonly testId: string;
}

/** The answers that are possible now, as buttons that do the same as their keys. */
export function RowAnswers<Status>({ answers, isPossible }: { answers: readonly RowAnswer<Status>[]; isPossible: (to: Status) => boolean }) {
  return answers
    .filter(({ to }) => isPossible(to))
    .map(({ action, label, icon: Icon, tone, testId }) => (
      <Button key={action} tone={tone} icon={<Icon size={15} aria-hidden="true" />} action={action} testId={testId}>
        {label}
      </Button>
    ));
}

export function Section({ title, hint, testId, field, children }: { title: string; hint?: string; testId?: string; field?: string; children: ReactNode }) {
  return (
    <section className={css.section} data-testid={testId} data-field={field}>
      <h3 className={css.heading}>{title}</h3>
      {hint ? <p className={css.hint}>{hint}</p> : null}
      {children}
    </section>
  );
}

/** A name with its value, in a list of facts. */
export function Fact({ name, className, children }: { name: string; className?: string | undefined; children: ReactNode }) {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Hint({ testId, children }: { testId?: string; children: ReactNode }) {
  return (
    <p className={css.hint} data-testid={testId}>
      {children}
    </p>
  );
}

interface SaidLineProps {
  conversation: string;
  message: string | undefined;
  testId: string;
  title?: string;
  /** Who said it and when, in the muted color. */
  author?: ReactNode;
  /** A name before the words. */
  tag?: ReactNode;
  isAuthorLast?: boolean;
  children: ReactNode;
}

/** Words of a message. They open it. */
export function SaidLine({ conversation, message, testId, title, author, tag, isAuthorLast = false, children }: SaidLineProps) {
  const by =
    author === undefined ? null : (
      <span className={css.author}>
        {author}
        {tag ? <span className={css.tag}>{tag}</span> : null}
      </span>
    );
  return (
    <button type="button" className={css.said} data-testid={testId} title={title} onClick={() => openConversation(conversation, message)}>
      {isAuthorLast ? null : by}
      <span className={css.words}>{children}</span>
      {isAuthorLast ? by : null}
    </button>
  );
}
