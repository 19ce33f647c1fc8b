/** The access log: what agents were served and what they sent, and when, of all agents or of one. Never the text itself. */
import { useState } from 'react';
import { type AgentReadView, tally } from '../../api';
import { Facet, facetValues, fullTime } from '../../design';
import { nameOf, number, t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Agents.module.css';
import panel from './Sessions.module.css';

const nameOfReader = (agent: string): string => agent || t.app.unnamedProgram;

export function AccessLog({ reads }: { reads: readonly AgentReadView[] }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const words = t.sessions;
  const shown = chosen.length === 0 ? reads : reads.filter((read) => chosen.includes(read.agent));
  const values = facetValues(tally(reads.map((read) => read.agent)).toSorted((a, b) => nameOfReader(a.name).localeCompare(nameOfReader(b.name))), chosen, nameOfReader);
  return (
    <>
      <div className={css.sectionHead}>
        <h2 className={css.sectionTitle}>{words.readsTitle}</h2>
        {values.length > 1 ? <Facet isSingle label={words.readsAgent} values={values} chosen={chosen} onChange={setChosen} testId={TESTIDS.agentReadsOf} /> : null}
      </div>
      <p className={css.hint}>{words.readsText}</p>
      <ul className={panel.cards}>
        {shown.map((read) => (
          <li key={read.id} className={panel.read} data-testid={TESTIDS.agentRead}>
            <span className={panel.cardName}>{nameOfReader(read.agent)}</span>
            <span>{nameOf(words.readKinds, read.kind)}</span>
            {read.person ? <span>{words.readWith(read.person)}</span> : null}
            <span className="num">{words.read(number(read.chars), read.items)}</span>
            <span className="num">{fullTime(read.at)}</span>
          </li>
        ))}
        {shown.length === 0 ? <li className={panel.none}>{chosen.length > 0 ? words.readsNoneOf : words.readsNone}</li> : null}
      </ul>
    </>
  );
}
