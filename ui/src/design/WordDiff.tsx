import css from './WordDiff.module.css';
import { wordDiff } from './wordDiff';

/** Two statements as one: what is new is underlined, what is gone is struck out; never by colour alone. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <p className={css.diff}>
      {wordDiff(before, after).map((part, index) => {
        const key = `${index} ${part.kind}`;
        if (part.kind === 'added') return <ins key={key}>{part.text}</ins>;
        if (part.kind === 'gone') return <del key={key}>{part.text}</del>;
        return <span key={key}>{part.text}</span>;
      })}
    </p>
  );
}
