/**
 * Computes the positions of the nodes in the diagram. Pure: the same nodes always have the same positions.
 *
 * The center node is in the middle. All others are on a ring around it in two columns, so that every name has its own line next
 * to its icon and never overlaps another, regardless of the number of nodes. Kinds stay together, clockwise. Within a kind, nodes
 * are placed close to the nodes they are connected to, which keeps edges short.
 *
 * A force simulation would have fewer crossings with a dozen nodes, but names would be unreadable with sixty, the diagram would
 * move while being viewed, and it would be different each time.
 */

export interface LayoutNode {
  readonly id: string;
  readonly kind: string;
}

export interface LayoutEdge {
  readonly a: string;
  readonly b: string;
}

export type Side = 'middle' | 'left' | 'right';

export interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly side: Side;
  /** Room for the name, from the icon to the edge of the diagram. */
  readonly room: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The center first, then the right column, then the left column, each from top to bottom. */
  readonly placed: readonly Placed[];
}

/**
 * The order of kinds, clockwise from the top. Projects and technologies are next to the topics that mention them, memories next
 * to their conversations.
 */
const ORDER = ['topic', 'project', 'technology', 'memory', 'conversation', 'person'];

/** Minimum row height: a line of 12 px text with spacing, or an icon of 20 px. */
export const ROW_MIN = 23;
const ROW_MAX = 46;
/** Gap between two kinds, in rows. */
const GAP = 0.55;
const HEIGHT_MIN = 320;
const PAD = 26;
/** Size of an icon, and the gap between an icon and its name and between the name and the edge of the diagram. */
export const SIGN = 20;
export const NAME_GAP = 7;
const EDGE = 6;
/** Minimum width. In a narrower pane, the diagram scrolls. */
export const WIDTH_MIN = 460;
/** Half the width of the ring as a share of the diagram's width. The rest is for names. */
const RING = 0.235;
const RING_MAX = 250;
/** Minimum distance of the top and bottom nodes from the vertical center line, where their names start. */
const SPREAD_MIN = 34;
/** Exponent of the ring's shape, squarer than a circle, so that names are nearly aligned. */
const SQUARENESS = 2.6;
const PASSES = 4;

/** The order on the ring, clockwise. */
function clockwise(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], center: string): LayoutNode[] {
  const groups = [...new Set([...ORDER, ...nodes.map((node) => node.kind)])]
    .map((kind) => nodes.filter((node) => node.kind === kind && node.id !== center))
    .filter((group) => group.length > 0);
  const near = new Map<string, string[]>();
  for (const { a, b } of edges) {
    if (a === center || b === center) continue;
    near.set(a, [...(near.get(a) ?? []), b]);
    near.set(b, [...(near.get(b) ?? []), a]);
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    for (const [at, group] of groups.entries()) {
      const place = new Map(groups.flat().map((node, index) => [node.id, index]));
      const pull = (node: LayoutNode) => {
        const own = place.get(node.id) ?? 0;
        const others = (near.get(node.id) ?? []).map((id) => place.get(id)).filter((index) => index !== undefined);
        // The ring has no end, so the first and the last node are close to each other.
        const count = place.size;
        const steps = others.map((index) => ((index - own + count * 1.5) % count) - count / 2);
        return steps.length === 0 ? own : own + steps.reduce((sum, step) => sum + step, 0) / steps.length;
      };
      const pulled = new Map(group.map((node) => [node.id, pull(node)]));
      groups[at] = group.toSorted((a, b) => (pulled.get(a.id) ?? 0) - (pulled.get(b.id) ?? 0) || (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
    }
  }
  return groups.flat();
}

/** The rows of a column from the top, with a gap before each new kind. */
function rows(column: readonly LayoutNode[]): { readonly at: readonly number[]; readonly count: number } {
  let row = 0;
  const at = column.map((node, index) => {
    const before = column[index - 1];
    if (before && before.kind !== node.kind) row += GAP;
    row += 1;
    return row - 0.5;
  });
  return { at, count: row };
}

export function layout(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], center: string, wanted: number): Layout {
  const width = Math.max(WIDTH_MIN, Math.round(wanted));
  const ring = clockwise(nodes, edges, center);
  const half = Math.ceil(ring.length / 2);
  const columns = [ring.slice(0, half), ring.slice(half).toReversed()] as const;
  const counted = columns.map(rows);
  const most = Math.max(1, ...counted.map(({ count }) => count));
  const row = Math.max(ROW_MIN, Math.min(ROW_MAX, (HEIGHT_MIN - 2 * PAD) / most));
  const height = Math.max(HEIGHT_MIN, Math.ceil(most * row + 2 * PAD));
  const [cx, cy] = [width / 2, height / 2];
  const [rx, ry] = [Math.min(RING_MAX, width * RING), height / 2 - PAD / 2];
  const placed: Placed[] = [{ id: center, x: cx, y: cy, side: 'middle', room: rx }];
  for (const [at, column] of columns.entries()) {
    const { at: own, count } = counted[at] ?? { at: [], count: 0 };
    for (const [index, node] of column.entries()) {
      const y = cy + ((own[index] ?? 0) - count / 2) * row;
      const share = Math.min(1, Math.abs(y - cy) / ry);
      const out = Math.max(SPREAD_MIN, rx * (1 - share ** SQUARENESS) ** (1 / SQUARENESS));
      const side = at === 0 ? 'right' : 'left';
      const x = side === 'right' ? cx + out : cx - out;
      const room = width / 2 - out - SIGN / 2 - NAME_GAP - EDGE;
      placed.push({ id: node.id, x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10, side, room: Math.floor(room) });
    }
  }
  return { width, height, placed };
}

/** The node that an arrow key moves to: up and down within a column, or across through the middle. Null if there is none. */
export function stepTo(placed: readonly Placed[], from: string, key: string): string | null {
  const here = placed.find((each) => each.id === from);
  const middle = placed[0];
  if (!here || !middle) return middle?.id ?? null;
  if (key === 'Home') return middle.id;
  const column = (side: Side) => placed.filter((each) => each.side === side).toSorted((a, b) => a.y - b.y);
  const nearest = (side: Side) => column(side).toSorted((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0]?.id ?? null;
  if (key === 'ArrowLeft') return here.side === 'middle' ? nearest('left') : here.side === 'right' ? middle.id : null;
  if (key === 'ArrowRight') return here.side === 'middle' ? nearest('right') : here.side === 'left' ? middle.id : null;
  if (key === 'End') return placed[placed.length - 1]?.id ?? null;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return null;
  if (here.side === 'middle') {
    const all = placed.filter((each) => (each.y - here.y) * step > 0);
    return all.toSorted((a, b) => Math.abs(a.x - here.x) - Math.abs(b.x - here.x) || Math.abs(a.y - here.y) - Math.abs(b.y - here.y) || a.id.localeCompare(b.id))[0]?.id ?? null;
  }
  const own = column(here.side);
  const at = own.findIndex((each) => each.id === from);
  return own[at + step]?.id ?? null;
}

/**
 * The edge between two nodes. It is straight if it starts at the center. Otherwise it is bent toward the center, so that edges do
 * not cross names.
 */
export function path(a: Placed, b: Placed, middle: Placed): string {
  const from = `M${a.x} ${a.y}`;
  if (a.side === 'middle' || b.side === 'middle') return `${from}L${b.x} ${b.y}`;
  const bend = (p: number, q: number, center: number) => Math.round((center + ((p + q) / 2 - center) * 0.35) * 10) / 10;
  return `${from}Q${bend(a.x, b.x, middle.x)} ${bend(a.y, b.y, middle.y)} ${b.x} ${b.y}`;
}
