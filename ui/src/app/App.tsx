/** The frame of the window: sidebar, one panel, notices. It makes no decisions about memories. */
import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, CirclePause, TriangleAlert } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { type AppStatus, type EmbeddingStatus, call, createInvalidator, useRpc } from '../api';
import { Button, EmptyState, ErrorState, LoadingRows, momentAhead } from '../design';
import { Toasts } from '../design/Toasts';
import { hotkeys, useActions } from '../keys';
import { typed } from '../panels/search/state';
import { platform } from '../platform';
import { type PanelId, PANELS, getUiState, go, goBack, listenForDrops, nav, noteHostEvent, restored, setUiState, showError, startClock, undo, useLasting, usePanel, usePendingDelta, useStore } from '../state';
import { t } from '../strings';
import { TESTIDS } from '../testids';
import css from './App.module.css';
import { Help } from './Help';
import { Palette } from './Palette';
import { PanelBoundary } from './PanelBoundary';
import { panelComponent, preloadPanel, preloadPanels } from './panels';
import { Rail } from './Rail';
import { followSystemTheme, setTheme } from './theme';

const MOUSE_BACK = 3;

/**
 * The embedding model loads within one or two seconds. A message that appeared briefly at every start would make the page jump.
 */
const LOADING_TOLD_AFTER_MS = 4_000;

/** The panel that was open last. */
function lastPanel(): PanelId {
  const last = getUiState<string>('app.panel', 'review');
  return (PANELS as readonly string[]).includes(last) && last !== 'welcome' ? (last as PanelId) : 'review';
}

/** Fetches the code of the first panel while the backend prepares the status. */
export const preloadFirstPanel = (): Promise<void> => preloadPanel(lastPanel());

/** Opens the last panel, or the welcome page on first run. Called once, before the first render. */
export function enterFirstPanel(status: Pick<AppStatus, 'is_first_run'>): void {
  go(status.is_first_run && panelComponent('welcome') ? 'welcome' : lastPanel());
}

function useHost(): void {
  const client = useQueryClient();
  useEffect(() => {
    const invalidator = createInvalidator(client);
    const stopEvents = platform().onEvent((event) => {
      invalidator.onEvent(event);
      noteHostEvent(event);
    });
    const stopDrops = listenForDrops();
    const press = (event: KeyboardEvent) => {
      invalidator.noteInput();
      if (hotkeys.press(event)) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    // The mouse's back button goes back, as in a browser.
    const point = (event: MouseEvent) => {
      if (event.button === MOUSE_BACK && goBack()) event.preventDefault();
    };
    window.addEventListener('mouseup', point);
    // Changes made on the command line must appear here. A status request makes the backend check for other writers and report
    // their changes.
    const look = () => void call('app_status', {}).catch(() => undefined);
    window.addEventListener('focus', look);
    // After an undo, cached answers are outdated.
    const stopRestored = restored.subscribe(() => invalidator.hurry());
    // A newly opened panel must also show current data.
    const stopNav = nav.subscribe(() => invalidator.hurry());
    const stopTheme = followSystemTheme();
    const stopClock = startClock();
    const preload = window.setTimeout(preloadPanels, 1_000);
    return () => {
      invalidator.stop();
      stopEvents();
      stopDrops();
      window.removeEventListener('keydown', press);
      window.removeEventListener('mouseup', point);
      window.removeEventListener('focus', look);
      stopRestored();
      stopNav();
      stopTheme();
      stopClock();
      window.clearTimeout(preload);
    };
  }, [client]);
}

function useSettings(): void {
  const { data: settings } = useRpc('settings_get', {});
  useEffect(() => {
    if (!settings) return;
    setTheme(settings.theme);
    hotkeys.setSingleKeys(settings.single_keys);
  }, [settings]);
}

const pendingOf = (status: AppStatus) => status.counts.pending;

/** A separate component, because a decision changes only the title in the frame. */
function Title() {
  const { data: pending = 0 } = useRpc('app_status', {}, { select: pendingOf });
  const delta = usePendingDelta();
  const title = t.app.title(Math.max(0, pending + delta));
  useEffect(() => {
    // Set only once after a series of quick decisions, because the window manager need not receive each title.
    const timer = window.setTimeout(() => platform().setTitle(title), 150);
    return () => window.clearTimeout(timer);
  }, [title]);
  return null;
}

/** Focuses the panel's search field; without one, opens the search page. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main [role=searchbox], main [data-search-box]');
  if (!field) {
    go('search');
    return;
  }
  field.focus();
  field.select();
}

export function App() {
  const panel = usePanel();
  const [helpOpen, setHelpOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  useHost();
  useSettings();
  useActions('global', {
    'go.search': () => go('search'),
    'go.review': () => go('review'),
    'go.you': () => go('you'),
    'go.memories': () => go('memories'),
    'go.conversations': () => go('conversations'),
    'go.topics': () => go('topics'),
    'go.playbooks': () => go('playbooks'),
    'go.reflection': () => go('reflection'),
    'go.sessions': () => go('sessions'),
    'go.people': () => go('people'),
    'go.privacy': () => go('privacy'),
    'go.sources': () => go('sources'),
    'go.activity': () => go('activity'),
    'go.settings': () => go('settings'),
    'app.palette': () => setPaletteOpen(true),
    'app.search': focusSearch,
    'app.back': goBack,
    'app.undo': undo,
    'app.help': () => setHelpOpen(true),
  });
  return (
    <div className={css.frame}>
      <Title />
      <Rail />
      <main className={css.main}>
        <Banner />
        <BackBar />
        <div className={css.panel} data-testid={TESTIDS.panel} data-panel={panel}>
          <Panel key={panel} id={panel} />
        </div>
      </main>
      <Toasts />
      <Help open={helpOpen} onClose={() => setHelpOpen(false)} />
      <Palette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  );
}

function Panel({ id }: { id: PanelId }) {
  // Must run before the panel's own effects, which set what its keys act on.
  useState(() => hotkeys.setScope(id));
  useEffect(() => {
    if (id !== 'welcome') setUiState('app.panel', id);
  }, [id]);
  const Component = panelComponent(id);
  if (!Component) return <EmptyState title={t.panels[id]} text={t.app.missingPanel} />;
  return (
    <PanelBoundary>
      <Suspense fallback={<LoadingRows />}>
        {/* oxlint-disable-next-line react/static-components -- created once a panel, see panels.ts */}
        <Component />
      </Suspense>
    </PanelBoundary>
  );
}

const embeddingOf = (status: AppStatus): EmbeddingStatus => status.embedding;
const pausedOf = (status: AppStatus): boolean => status.paused;
const pausedUntilOf = (status: AppStatus): number | null => status.paused_until;

/** Shows unusual states: the embedding model is not available, or background work is paused. */
function Banner() {
  const { data: embedding } = useRpc('app_status', {}, { select: embeddingOf });
  const { data: paused } = useRpc('app_status', {}, { select: pausedOf });
  const { data: pausedUntil = null } = useRpc('app_status', {}, { select: pausedUntilOf });
  const isWelcome = useStore(nav, (place) => place.panel === 'welcome');
  const isLoadingLong = useLasting(embedding?.state === 'loading', LOADING_TOLD_AFTER_MS);
  if (isWelcome) return null;
  const words = embedding && { ready: null, loading: isLoadingLong ? t.app.keywordLoading : null, missing: t.app.keywordOnly, broken: t.app.embeddingBroken }[embedding.state];
  return (
    <>
      {words ? (
        <div className={css.banner} data-tone={embedding?.state === 'loading' ? 'plain' : 'warn'} role="status" data-testid={TESTIDS.banner} title={embedding?.problem ?? undefined}>
          <TriangleAlert size={14} aria-hidden="true" />
          <span className={css.bannerText}>{words}</span>
          <Button size="s" tone="quiet" onClick={() => go('settings')}>
            {t.app.details}
          </Button>
        </div>
      ) : null}
      {paused ? (
        <div className={css.banner} data-tone="plain" role="status" data-testid={TESTIDS.paused}>
          <CirclePause size={14} aria-hidden="true" />
          <span className={css.bannerText}>{pausedUntil === null ? t.app.paused : t.app.pausedUntil(momentAhead(pausedUntil))}</span>
          <Button size="s" tone="quiet" onClick={() => void call('queue_pause', { paused: false, until: null }).catch(showError)}>
            {t.app.resume}
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** A link back to the search results, if a result was opened. */
function BackBar() {
  const isResult = useStore(nav, (place) => place.isResult);
  const query = useStore(typed, (text) => text.trim());
  if (!isResult) return null;
  return (
    <div className={css.back}>
      <Button size="s" tone="quiet" action="app.back" icon={<ArrowLeft size={14} aria-hidden="true" />} testId={TESTIDS.searchBack} onClick={() => goBack()}>
        {t.search.back(query)}
      </Button>
    </div>
  );
}

/** Shown if the first request fails. */
export function StartFailure({ detail }: { detail: string }) {
  return <ErrorState title={t.app.startTitle} text={t.app.startText} detail={detail} onRetry={() => window.location.reload()} />;
}
