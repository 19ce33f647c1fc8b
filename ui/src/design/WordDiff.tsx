import css from './WordDiff.module.css';
import { wordDiff } from './wordDiff';

/** Two statements as one: what is new is underlined, what is gone is struck out; never by colour alone. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  let at = 0;
  return (
    <p className={css.diff}>
      {wordDiff(before, after).map((part) => {
        const key = `${part.kind} ${(at += part.text.length)}`;
        if (part.kind === 'added') return <ins key={key}>{part.text}</ins>;
        if (part.kind === 'gone') return <del key={key}>{part.text}</del>;
        return <span key={key}>{part.text}</span>;
      })}
    </p>
  );
}
