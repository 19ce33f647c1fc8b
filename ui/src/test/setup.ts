/** What jsdom has not and the parts need: a layout of a fixed size, media queries, observers. */
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

// A panel's code is loaded when it is first shown, which on a busy machine takes longer than the usual second.
configure({ asyncUtilTimeout: 5_000 });

afterEach(cleanup);
