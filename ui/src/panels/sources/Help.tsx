/** How to get an export from each service, and what Keepsake JSONL is. */
import { ChevronRight, Clock } from 'lucide-react';
import { t } from '../../strings';
import css from './Help.module.css';

const KEEPSAKE = 'keepsake';
const EXAMPLE =
  '{"conversation":"trip-1","channel_type":"email","channel_id":"ana","id":"m1","time":"2026-03-12T09:30:00Z","author":"Mara","role":"owner","text":"I take the night train."}';

export function ExportHelp() {
  return (
    <section className={css.help}>
      <h2 className={css.title}>{t.sources.helpTitle}</h2>
      {t.sources.help.map((service) => (
        <details key={service.id} className={css.service} name="export-help">
          <summary className={css.name}>
            <ChevronRight size={14} className={css.chevron} aria-hidden="true" />
            {service.name}
          </summary>
          <div className={css.body}>
            {service.wait ? (
              <p className={css.wait}>
                <Clock size={13} aria-hidden="true" />
                <span>
                  {t.sources.wait}: {service.wait}
                </span>
              </p>
            ) : null}
            <ol className={css.steps}>
              {service.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            {service.note ? <p className={css.note}>{service.note}</p> : null}
            {service.id === KEEPSAKE ? <Fields /> : null}
          </div>
        </details>
      ))}
    </section>
  );
}

function Fields() {
  return (
    <>
      <table className={css.fields}>
        <thead>
          <tr>
            <th scope="col">{t.sources.field}</th>
            <th scope="col">{t.sources.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {t.sources.fields.map((field) => (
            <tr key={field.name}>
              <th scope="row">
                <code>{field.name}</code>
              </th>
              <td>
                {field.text}
                {field.isOptional ? <span className={css.optional}> ({t.sources.optional})</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <pre className={css.example}>{EXAMPLE}</pre>
    </>
  );
}
