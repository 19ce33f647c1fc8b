import { Fragment } from 'react';
import css from './WordDiff.module.css';
import { wordDiff } from './wordDiff';

/** Two statements as one: what is new is underlined, what is gone is struck out; never by colour alone. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <p className={css.diff}>
      {wordDiff(before, after).map((part, index) => {
        const key = `${index} ${part.kind}`;
        if (part.kind === 'same') return <span key={key}>{part.text}</span>;
        // The spaces around words are neither new nor gone to the eye: a line under nothing reads as a slip.
        const words = part.text.trim();
        const Mark = part.kind === 'added' ? 'ins' : 'del';
        return (
          <Fragment key={key}>
            {part.text.slice(0, part.text.indexOf(words))}
            {words ? <Mark>{words}</Mark> : null}
            {part.text.slice(part.text.indexOf(words) + words.length)}
          </Fragment>
        );
      })}
    </p>
  );
}
