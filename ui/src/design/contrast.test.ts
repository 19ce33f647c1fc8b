import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TINTS } from './Badge';

const css = readFileSync('src/design/tokens.css', 'utf8');

function tokens(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('\n}', start));
  return new Map([...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((match) => [match[1] ?? '', (match[2] ?? '').trim()]));
}

const light = tokens(':root');
const dark = new Map([...light, ...tokens(":root[data-theme='dark']")]);

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const backgrounds = ['bg', 'surface', 'raised', 'sunken', 'hover'];
const TEXT: [string, string][] = [
  ...[...backgrounds, 'pressed', 'accent-soft'].flatMap((bg): [string, string][] => [
    ['text', bg],
    ['muted', bg],
  ]),
  ...[...backgrounds, 'accent-soft'].map((bg): [string, string] => ['accent-text', bg]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['danger', 'surface'],
  ['danger', 'raised'],
  ['danger', 'danger-soft'],
  ['warn', 'warn-soft'],
  ['warn', 'raised'],
  ['ok', 'ok-soft'],
  ['on-mark', 'mark'],
  ['on-toast', 'toast'],
  ['toast-muted', 'toast'],
  ['toast-accent', 'toast'],
  ['toast-accent', 'toast-line'],
  ['toast-danger', 'toast'],
  ['toast-warn', 'toast'],
  ...TINTS.map((tint): [string, string] => [tint, `${tint}-bg`]),
];
const CONTROLS: [string, string][] = [
  ['focus', 'surface'],
  ['focus', 'bg'],
  ['control', 'surface'],
  ['control', 'raised'],
  ['accent', 'surface'],
  ['star', 'surface'],
  ['star', 'accent-soft'],
  ...['accent', 'plot-2', 'plot-3', 'plot-4', 'plot-kept', 'star', 'control'].flatMap((bar): [string, string][] => [
    [bar, 'surface'],
    [bar, 'bg'],
  ]),
];

describe.each([
  ['light', light],
  ['dark', dark],
])('%s theme', (_, theme) => {
  const check = (front: string, back: string, least: number) => {
    const [a, b] = [theme.get(front), theme.get(back)];
    expect(a, `--${front} is a colour`).toMatch(/^#[0-9a-f]{6}$/i);
    expect(b, `--${back} is a colour`).toMatch(/^#[0-9a-f]{6}$/i);
    expect(contrast(a ?? '', b ?? ''), `--${front} on --${back}`).toBeGreaterThanOrEqual(least);
  };
  test.each(TEXT)('text: %s on %s keeps 4.5 : 1', (front, back) => check(front, back, 4.5));
  test.each(CONTROLS)('control: %s on %s keeps 3 : 1', (front, back) => check(front, back, 3));
});

test('both themes define the same colours', () => {
  const names = (theme: Map<string, string>) => [...theme].filter(([, value]) => value.startsWith('#')).map(([name]) => name);
  expect(names(tokens(":root[data-theme='dark']")).sort()).toEqual(names(light).sort());
});
