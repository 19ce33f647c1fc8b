/** Renders the whole application on a fake host, for tests. */
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import axe from 'axe-core';
import { call, createQueryClient, rpcKey } from '../api';
import { stamped } from '../api/optimistic';
import { App } from '../app/App';
import { resetDrafts } from '../panels/review/drafts';
import { resetSearch } from '../panels/search/state';
import { setPlatform } from '../platform';
import { type FakeOptions, type FakePlatform, createFakePlatform } from '../platform/fake';
import { resetDecisions } from '../state/decisions';
import { resetLists } from '../state/list';
import { type PanelId, type Target, go } from '../state/nav';
import { toasts } from '../state/toasts';

// There is no canvas on which axe could check whether letters are drawn as icons, and the application has no such font. Without a
// canvas, axe would report every name as undecided.
HTMLCanvasElement.prototype.getContext = (() => ({ canvas: {} })) as never;
axe.configure({ checks: [{ id: 'label-content-name-mismatch', options: { occurrenceThreshold: 0 } }] });

/** A working day in November, so that texts with times never change. */
export const NOW = Date.UTC(2026, 10, 20, 14, 0);

export async function renderApp(panel: PanelId, options: FakeOptions = {}, target: Target | null = null): Promise<FakePlatform> {
  const host = createFakePlatform({ now: NOW, ...options });
  setPlatform(host);
  resetDecisions();
  resetLists();
  resetDrafts();
  resetSearch();
  toasts.set([]);
  go(panel, target);
  const client = createQueryClient();
  client.setQueryData(rpcKey('app_status', {}), await stamped(() => call('app_status', {})));
  client.setQueryData(rpcKey('settings_get', {}), await call('settings_get', {}));
  render(
    <QueryClientProvider client={client}>
      <Tooltip.Provider>
        <App />
      </Tooltip.Provider>
    </QueryClientProvider>,
  );
  await screen.findByTestId('panel');
  return host;
}

/** Presses keys like a person with the focus on the page. `Shift+A` is `A`, Ctrl+Z is `^z`, and Alt is written out. */
export async function press(...keys: string[]): Promise<void> {
  for (const written of keys) {
    const ctrlKey = written.startsWith('^') && written.length > 1;
    const altKey = written.startsWith('Alt+');
    const key = ctrlKey ? written.slice(1) : altKey ? written.slice('Alt+'.length) : written;
    await act(async () => {
      fireEvent.keyDown(document.activeElement ?? document.body, { key, ctrlKey, altKey, shiftKey: /^\p{Lu}$/u.test(key) });
    });
  }
}

/**
 * The violations that axe finds in the page. Colors are checked in `contrast.test.ts`, because jsdom cannot compute them. The
 * rule that a control's name contains its visible text, for speech control, is off in axe by default and enabled here.
 */
export async function violations(root: Element = document.body): Promise<string[]> {
  const { violations: found } = await axe.run(root, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false }, 'label-content-name-mismatch': { enabled: true } } });
  return found.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}
