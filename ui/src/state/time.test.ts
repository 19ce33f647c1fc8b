import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useLasting } from './time';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('what is over soon is not told of, and what lasts is told of until it is over', () => {
  const { result, rerender } = renderHook(({ is }) => useLasting(is, 4_000), { initialProps: { is: true } });
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
  expect(result.current).toBe(false);
  pass(3_999);
  expect(result.current).toBe(false);
  rerender({ is: false });
  pass(10_000);
  rerender({ is: true });
  pass(3_999);
  expect(result.current, 'it counts from when it began anew').toBe(false);
  pass(1);
  expect(result.current).toBe(true);
  rerender({ is: false });
  expect(result.current).toBe(false);
  rerender({ is: true });
  expect(result.current, 'and is not told of again at once').toBe(false);
});
