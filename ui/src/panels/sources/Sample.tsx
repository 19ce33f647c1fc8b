import { Sparkles } from 'lucide-react';
import { useState } from 'react';
import { type AppStatus, call, useRpc } from '../../api';
import { Button } from '../../design';
import { showError, showToast } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './Sample.module.css';
import { startedJobs } from './files';

const loadedOf = (status: AppStatus) => status.sample_loaded;

export async function removeSample(): Promise<void> {
  try {
    const gone = await call('sample_remove', {});
    const said = t.sources.sampleRemoved(gone.conversations, gone.messages, gone.memories);
    showToast({ text: gone.is_pending ? `${said}. ${t.sources.erasurePending}` : said, replaces: 'sample' });
  } catch (thrown) {
    showError(thrown);
  }
}

/** Invented data to try things out. It is loaded and removed with one click. */
export function SampleCard() {
  const { data: isLoaded = false } = useRpc('app_status', {}, { select: loadedOf });
  const [isBusy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await work().catch(showError);
    setBusy(false);
  };
  const load = async () => {
    const { job_ids } = await call('sample_load', {});
    startedJobs.update((ids) => [...ids, ...job_ids]);
  };
  return (
    <section className={css.card}>
      <h2 className={css.title}>
        <Sparkles size={15} aria-hidden="true" />
        {t.sources.sampleTitle}
      </h2>
      <p className={css.text}>{isLoaded ? t.sources.sampleLoaded : t.sources.sampleText}</p>
      {isLoaded ? (
        <Button size="s" disabled={isBusy} testId={TESTIDS.sampleRemove} onClick={() => void act(removeSample)}>
          {t.sources.sampleRemove}
        </Button>
      ) : (
        <Button size="s" disabled={isBusy} testId={TESTIDS.sampleLoad} onClick={() => void act(load)}>
          {t.sources.sampleLoad}
        </Button>
      )}
    </section>
  );
}
