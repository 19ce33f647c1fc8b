import type { SkipView } from '../../api';
import { number, t } from '../../strings';
import { Disclosure } from './Disclosure';
import css from './Skips.module.css';

const SAMPLE_CHARS = 140;

/** Skipped records by reason, each with an example. Collapsed, because the number is enough for most people. */
export function Skips({ skipped, title, isOpen = false, testId }: { skipped: readonly SkipView[]; title: string; isOpen?: boolean; testId?: string }) {
  return (
    <Disclosure className={css.details} isOpen={isOpen} summary={title} testId={testId}>
      <ul className={css.list}>
        {skipped.map((skip) => (
          <li key={skip.reason} className={css.skip}>
            <span className={css.count}>{number(skip.count)}</span>
            <span>
              {skip.text.replace(/^./, (first) => first.toUpperCase())}
              {skip.sample ? <span className={css.sample}>{t.sources.sampleLine(skip.sample.slice(0, SAMPLE_CHARS))}</span> : null}
            </span>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
