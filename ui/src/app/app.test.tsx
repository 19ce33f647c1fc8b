import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { hotkeys } from '../keys';
import { type PanelId, nav } from '../state/nav';
import { press, renderApp, violations } from '../test/render';
import { enterFirstPanel } from './App';
import { RAIL, panelComponent } from './panels';

describe('the frame', () => {
  test('g and a letter go to a panel', async () => {
    await renderApp('review');
    const went: PanelId[] = [];
    for (const key of ['m', 'c', 'p', 'v', 's', 'a', ',', 'r']) {
      await press('g', key);
      went.push(nav.get().panel);
    }
    expect(went).toEqual(['memories', 'conversations', 'people', 'privacy', 'sources', 'activity', 'settings', 'review']);
  });

  test('? shows the keys of the panel in view, from the same table', async () => {
    await renderApp('review');
    await press('?');
    const help = await screen.findByTestId('help');
    expect(within(help).getByText('Approve selected')).toBeDefined();
    expect(within(help).queryByText('Change category'), 'that is for Memories').toBeNull();
  });

  test('single keys can be switched off', async () => {
    const host = await renderApp('review');
    const settings = { theme: 'system', single_keys: false, phone_regions: [], private_channels: [], extract_on_import: true, offer: 'balanced', analyze_ended: true } as const;
    host.answer('settings_get', () => ({ ...settings, phone_regions: [], private_channels: [] }));
    host.emit({ type: 'changed', tags: ['settings'] });
    await waitFor(() => expect(hotkeys.singleKeys()).toBe(false));
    await press('g', 'm');
    expect(nav.get().panel).toBe('review');
    hotkeys.setSingleKeys(true);
  });

  test('the title counts what waits', async () => {
    await renderApp('review');
    await waitFor(() => expect(document.title).toBe('(14) Keepsake'));
  });

  test('a panel is called what is seen, and its number says what it counts', async () => {
    await renderApp('review');
    expect(screen.getByRole('button', { name: 'Review 14 proposals to review' }).dataset.testid).toBe('nav-review');
    expect(screen.getByRole('button', { name: 'Undo' }).getAttribute('aria-keyshortcuts')).toContain('u');
  });

  test('who comes back to the window has the backend look at what another process wrote', async () => {
    const host = await renderApp('review');
    const asked = () => host.calls.filter((each) => each.cmd === 'app_status').length;
    const before = asked();
    fireEvent.focus(window);
    expect(asked()).toBe(before + 1);
  });

  test('a missing model is said, not hidden', async () => {
    await renderApp('review', { embeddingMissing: true });
    expect((await screen.findByTestId('banner')).textContent).toContain('so Keepsake matches by keywords only');
  });

  test('paused work is said and can be resumed', async () => {
    const host = await renderApp('review');
    await host.rpc('queue_pause', { paused: true, until: null });
    const paused = await screen.findByTestId('paused');
    within(paused).getByRole('button').click();
    await waitFor(() => expect(screen.queryByTestId('paused')).toBeNull());
  });

  test('a pause that ends by itself says when', async () => {
    const host = await renderApp('review');
    await host.rpc('queue_pause', { paused: true, until: 'tomorrow' });
    expect((await screen.findByTestId('paused')).textContent).toMatch(/paused until .*8:00/);
    await host.rpc('queue_pause', { paused: true, until: 'hour' });
    await waitFor(() => expect(screen.getByTestId('paused').textContent).toMatch(/paused until .*\d\d?:\d\d/));
  });

  test('the first start welcomes, later ones go where one left off', () => {
    enterFirstPanel({ is_first_run: true });
    expect(nav.get().panel).toBe(panelComponent('welcome') ? 'welcome' : 'review');
    enterFirstPanel({ is_first_run: false });
    expect(nav.get().panel).not.toBe('welcome');
  });
});

test('a panel whose code is here is drawn at once, and stays what it was drawn with', async () => {
  vi.resetModules();
  const { panelComponent: componentOf, preloadPanel } = await import('./panels');
  await preloadPanel('sources');
  expect(typeof componentOf('sources'), 'React would show that it waits, for 300 ms at least').toBe('function');
  const waited = componentOf('activity');
  await preloadPanel('activity');
  expect(componentOf('activity'), 'another component would begin the panel anew').toBe(waited);
});

test('axe does find a control that is not called what is seen', async () => {
  const rail = document.createElement('main');
  rail.innerHTML = '<button aria-label="Review, 14 candidates"><span>Review</span><span>14</span></button>';
  document.body.append(rail);
  try {
    expect((await violations(rail)).join()).toContain('label-content-name-mismatch');
  } finally {
    rail.remove();
  }
});

describe('axe finds nothing', () => {
  const panels = [...RAIL.map((spec) => spec.id), 'welcome' as const].filter((id) => panelComponent(id) !== null);
  test.each(panels.flatMap((id) => [['light', id] as const, ['dark', id] as const]))(
    'in the %s %s panel',
    async (theme, id) => {
      await renderApp(id, { theme, firstRun: id === 'welcome' });
      // Waits for the panel's code, its first answer and the details.
      await waitFor(() => expect(document.querySelector('main [aria-busy=true]')).toBeNull());
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(document.documentElement.dataset.theme).toBe(theme);
      expect(await violations()).toEqual([]);
    },
    15_000,
  );

  test('in the list of keys', async () => {
    await renderApp('review');
    await press('?');
    await screen.findByTestId('help');
    expect(await violations()).toEqual([]);
  });
});
