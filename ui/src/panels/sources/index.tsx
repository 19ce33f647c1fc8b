/**
 * Sources: importing conversations, and the accounts whose messages are read as they arrive. Dropped or selected files are
 * previewed first. Nothing is imported before the person has seen the contents and answered the questions that only they can
 * answer.
 *
 * Not in this panel: the details of the work (Activity).
 */
import { FilePlus2, FolderPlus } from 'lucide-react';
import { useEffect } from 'react';
import { type JobView, type JobsResponse, type AppStatus, type LiveSourcesResponse, useRpc } from '../../api';
import { Button, PaneHeader, cx } from '../../design';
import { useActions } from '../../keys';
import { platform } from '../../platform';
import { drop, nav, pickFiles, pickFolder, useStore, waitingFiles } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { EraseDialog } from '../shared/EraseDialog';
import { FollowOffers } from '../shared/FollowOffers';
import { Files } from './Files';
import { ExportHelp } from './Help';
import { Imports, Running } from './Imports';
import { Channels } from './live/Channels';
import { choosing } from './live/channelChoices';
import { LiveSources } from './live/LiveSources';
import { SampleCard } from './Sample';
import css from './Sources.module.css';
import { Watched } from './Watched';

const firstRunOf = (status: AppStatus) => status.is_first_run;
const importsOf = (response: JobsResponse): JobView[] => response.items.filter((job) => job.kind === 'import');

/** The page, or in its place the choice of what is remembered of one account. */
export default function Sources() {
  const id = useStore(choosing, (now) => now);
  const { data: source } = useRpc('live_sources_list', {}, { select: (response: LiveSourcesResponse) => response.items.find((each) => each.id === id) });
  // Whoever goes to Sources again wants the page. This includes dropped files, which are shown there.
  useEffect(() => nav.subscribe(() => choosing.set(null)), []);
  return id !== null && source ? <Channels key={id} source={source} /> : <Page />;
}

function Page() {
  const { data: isFirstRun = false } = useRpc('app_status', {}, { select: firstRunOf });
  const { data: jobs } = useRpc('jobs_list', {}, { select: importsOf });
  useActions('sources', { 'sources.add': () => void pickFiles() });
  return (
    <div className={css.panel}>
      <PaneHeader title={t.sources.title}>
        {platform().fileAccess === 'pick_files' ? (
          <Button size="s" icon={<FolderPlus size={14} aria-hidden="true" />} testId={TESTIDS.sourcesPickFolder} onClick={() => void pickFolder()}>
            {t.sources.addFolder}
          </Button>
        ) : null}
        <Button tone="primary" size="s" icon={<FilePlus2 size={14} aria-hidden="true" />} action="sources.add" testId={TESTIDS.sourcesPick} onClick={() => void pickFiles()}>
          {t.sources.add}
        </Button>
      </PaneHeader>
      <div className={css.columns}>
        {/* Each column is a scroll container. Focusable, so that it can be scrolled by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className={css.main} role="region" aria-label={t.sources.title} tabIndex={0}>
          <div className={css.measure}>
            <DropZone />
            <Files />
            <Running jobs={jobs ?? []} />
            <FollowOffers />
            {isFirstRun ? <SampleCard /> : null}
            <LiveSources />
            <Watched />
            <Imports jobs={jobs ?? []} />
          </div>
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <aside className={css.aside} aria-label={t.sources.helpTitle} tabIndex={0}>
          <ExportHelp />
          {isFirstRun ? null : <SampleCard />}
        </aside>
      </div>
      <EraseDialog />
    </div>
  );
}

/** Files can be dropped anywhere in the window. This area says so, and opens the dialog when clicked. */
function DropZone() {
  const state = useStore(drop, (now) => now);
  // Once files are selected, the area shrinks to make room for them.
  const isSmall = useStore(waitingFiles, (files) => files.length > 0);
  return (
    <button type="button" className={cx(css.drop, isSmall && css.small, state === 'over' && css.over)} data-testid={TESTIDS.sourcesDrop} data-state={state} disabled={state === 'taking'} onClick={() => void pickFiles()}>
      <FilePlus2 size={isSmall ? 16 : 22} strokeWidth={1.6} aria-hidden="true" />
      <span className={css.dropTitle}>{state === 'over' ? t.sources.dropNow : state === 'taking' ? t.sources.uploading : t.sources.dropTitle}</span>
      {isSmall ? null : (
        <>
          <span className={css.dropText}>{t.sources.dropText}</span>
          <span className={css.dropText}>{t.sources.dropSafe}</span>
        </>
      )}
    </button>
  );
}
