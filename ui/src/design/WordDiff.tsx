import { Fragment } from 'react';
import css from './WordDiff.module.css';
import { wordDiff } from './wordDiff';

/**
 * Shows two statements as one: new words are underlined and removed words are struck through, so that color is not the only
 * indication.
 */
export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <p className={css.diff}>
      {wordDiff(before, after).map((part, index) => {
        const key = `${index} ${part.kind}`;
        if (part.kind === 'same') return <span key={key}>{part.text}</span>;
        // Spaces around words are not marked: an underlined space looks like a mistake.
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
