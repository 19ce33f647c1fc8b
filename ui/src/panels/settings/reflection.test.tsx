import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp, violations } from '../../test/render';
// Imported in advance, because loading may exceed a test's timeout on a busy computer.
import './index';

test('nothing is tidied without asking unless it is chosen, kind by kind', async () => {
  const host = await renderApp('settings');
  const switches = () => screen.getAllByTestId('reflection-automatic');
  await screen.findAllByTestId('reflection-automatic');
  expect(switches()).toHaveLength(2);
  expect(switches().map((each) => each.getAttribute('aria-checked'))).toEqual(['false', 'false']);
  expect(await violations()).toEqual([]);
  const written = () => host.calls.filter((each) => each.cmd === 'reflection_settings_set').map((each) => each.payload);
  fireEvent.click(switches()[0] as HTMLElement);
  await waitFor(() => expect(written()).toEqual([{ automatic: ['archive'] }]));
  await waitFor(() => expect(switches()[0]?.getAttribute('aria-checked')).toBe('true'));
  fireEvent.click(switches()[1] as HTMLElement);
  await waitFor(() => expect(written()[1]).toEqual({ automatic: ['archive', 'merge'] }));
  fireEvent.click(switches()[0] as HTMLElement);
  await waitFor(() => expect(written()[2]).toEqual({ automatic: ['merge'] }));
});
