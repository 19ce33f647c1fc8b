/** Shows in advance the person that a link would create, and what would become visible where. */
import { CircleAlert, Globe } from 'lucide-react';
import { useRpc } from '../../api';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { HandleRow } from './parts';
import css from './People.module.css';

/** Sends the request once both handles are known. */
export const usePreview = (a: string | null, b: string | null) => useRpc('link_preview', { a: a ?? '', b: b ?? '' }, { enabled: a !== null && b !== null });

export function LinkPreview({ preview, isMade = false }: { preview: ReturnType<typeof usePreview>; isMade?: boolean }) {
  const { data, error } = preview;
  if (error && !data) {
    return (
      <div className={css.preview} role="alert">
        <p className={css.obstacle}>{t.people.previewFailed}</p>
        <p>{error.message}</p>
      </div>
    );
  }
  if (!data) {
    return (
      <p className={css.previewEmpty} aria-busy="true">
        {t.people.previewing}
      </p>
    );
  }
  return (
    <div className={css.preview} data-testid={TESTIDS.linkPreview}>
      {data.obstacle && !isMade ? (
        <p className={css.obstacle} role="alert">
          <CircleAlert size={14} aria-hidden="true" />
          {data.obstacle}
        </p>
      ) : null}
      <p className={css.previewTitle}>{t.people.makes(data.handles.length)}</p>
      <ul className={css.rows}>
        {data.handles.map((handle) => (
          <HandleRow key={handle.id} handle={handle} />
        ))}
      </ul>
      {isMade ? null : data.newly_visible.length === 0 ? (
        <p className={css.opensNothing}>{t.people.opensNothing}</p>
      ) : (
        <div className={css.opens}>
          <p>
            <Globe size={14} aria-hidden="true" />
            {t.people.opens}
          </p>
          <ul>
            {data.newly_visible.map((place) => (
              <li key={place.title}>{t.people.opensLine(place.memories, place.title)}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
