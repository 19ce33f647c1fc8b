/** The same numbers as a table, newest first. Periods without data are left out, which the table states. */
import { cx } from '../../../design';
import { nameOf, number, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import { periodName } from './periods';
import type { Shown } from './Plot';
import { sumAt } from './scale';
import css from './Time.module.css';

export function TimeTable({ shown }: { shown: Shown }) {
  const rows = Array.from({ length: shown.edges.length - 1 }, (_, at) => at)
    .filter((at) => sumAt(shown.messages, at) + sumAt(shown.memories, at) > 0)
    .toReversed();
  const offRecord = [...shown.messages, ...shown.memories].some((each) => each.off_record.some((count) => count > 0));
  const offRecordAt = (at: number) => shown.messages.reduce((sum, each) => sum + (each.off_record[at] ?? 0), 0);
  return (
    <div className={css.tableFrame}>
      <table className={css.table} data-testid={TESTIDS.timeTable}>
        <caption className={css.caption}>
          {t.time.caption(nameOf(t.time.units, shown.unit))}. {t.time.captionPart}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t.time.period}</th>
            <th scope="col" className={css.cell}>
              {t.time.messages}
            </th>
            {shown.messages.length > 1
              ? shown.messages.map((each) => (
                  <th key={each.name} scope="col" className={cx(css.cell, css.part)}>
                    {each.name}
                  </th>
                ))
              : null}
            {offRecord ? (
              <th scope="col" className={cx(css.cell, css.part)}>
                {t.time.offRecord}
              </th>
            ) : null}
            {shown.memories.map((each) => (
              <th key={each.name} scope="col" className={css.cell}>
                {each.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((at) => (
            <tr key={shown.edges[at]} data-testid={TESTIDS.timeRow}>
              <th scope="row">{periodName(shown.unit, shown.edges[at] ?? 0, shown.edges[at + 1] ?? 0)}</th>
              <Part value={sumAt(shown.messages, at)} />
              {shown.messages.length > 1 ? shown.messages.map((each) => <Part key={each.name} value={each.counts[at] ?? 0} />) : null}
              {offRecord ? <Part value={offRecordAt(at)} /> : null}
              {shown.memories.map((each) => (
                <Part key={each.name} value={each.counts[at] ?? 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Part = ({ value }: { value: number }) => <td className={cx('num', css.cell, value === 0 && css.zero)}>{number(value)}</td>;
