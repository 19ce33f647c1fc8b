/** Features that jsdom lacks and components need: a layout of fixed size, media queries, observers. */
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 800 },
  clientWidth: { configurable: true, get: () => 400 },
  offsetHeight: { configurable: true, get: () => 800 },
  offsetWidth: { configurable: true, get: () => 400 },
});
HTMLElement.prototype.scrollTo = function scrollTo() {};
HTMLElement.prototype.setPointerCapture = function setPointerCapture() {};
HTMLElement.prototype.hasPointerCapture = () => false;

globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

window.matchMedia = (query: string) =>
  ({ matches: false, media: query, onchange: null, addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {}, dispatchEvent: () => false }) as MediaQueryList;

// A panel's code is loaded when it is first shown, which takes longer than the default second on a busy computer.
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);
