import { describe, expect, test } from 'vitest';
import { type LayoutNode, type Placed, ROW_MIN, SIGN, layout, path, stepTo } from './layout';

/** A generator that gives the same numbers in each run, so that a failure can be reproduced. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const KINDS = ['person', 'topic', 'project', 'technology', 'memory', 'conversation'];

function invented(seed: number, count: number) {
  const draw = numbers(seed);
  const nodes: LayoutNode[] = Array.from({ length: count }, (_, at) => ({ id: `n${at}`, kind: at === 0 ? 'person' : (KINDS[Math.floor(draw() * KINDS.length)] ?? 'topic') }));
  const edges = nodes.slice(1).map((node) => ({ a: 'n0', b: node.id }));
  for (let at = 0; at < count * 2; at += 1) edges.push({ a: `n${Math.floor(draw() * count)}`, b: `n${Math.floor(draw() * count)}` });
  return { nodes, edges: edges.filter((edge) => edge.a !== edge.b) };
}

/** A letter of 12 px Inter is about 6.4 px wide. A name is never wider than its room. */
const box = (place: Placed) => {
  const name = { from: place.side === 'left' ? place.x - SIGN / 2 - 7 - place.room : place.x - SIGN / 2, to: place.side === 'left' ? place.x + SIGN / 2 : place.x + SIGN / 2 + 7 + place.room };
  return { ...name, top: place.y - ROW_MIN / 2, bottom: place.y + ROW_MIN / 2 };
};

describe('where things stand', () => {
  test('names never overlap, nothing leaves the diagram, and the same things stand at the same places', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const count = 2 + (seed * 7) % 59;
      const width = [460, 544, 680, 860][seed % 4] ?? 680;
      const { nodes, edges } = invented(seed, count);
      const drawn = layout(nodes, edges, 'n0', width);
      expect(drawn.placed.map((each) => each.id).toSorted(), 'each thing stands somewhere, once').toEqual(nodes.map((each) => each.id).toSorted());
      expect(layout(nodes, edges, 'n0', width), 'worked out again it is the same').toEqual(drawn);
      const boxes = drawn.placed.slice(1).map(box);
      for (const [at, one] of boxes.entries()) {
        expect(one.from).toBeGreaterThanOrEqual(-0.5);
        expect(one.to).toBeLessThanOrEqual(drawn.width + 0.5);
        expect(one.top).toBeGreaterThanOrEqual(0);
        expect(one.bottom).toBeLessThanOrEqual(drawn.height);
        for (const other of boxes.slice(at + 1)) {
          const apart = one.to <= other.from + 0.5 || other.to <= one.from + 0.5 || one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5;
          expect(apart, `seed ${seed}: two names overlap`).toBe(true);
        }
      }
    }
  });

  test('every name has room to be read', () => {
    const { nodes, edges } = invented(3, 60);
    const rooms = layout(nodes, edges, 'n0', 544).placed.slice(1).map((each) => each.room);
    expect(Math.min(...rooms)).toBeGreaterThan(90);
  });

  test('the order in which edges come changes nothing', () => {
    const { nodes, edges } = invented(9, 40);
    expect(layout(nodes, edges.toReversed(), 'n0', 680)).toEqual(layout(nodes, edges, 'n0', 680));
  });

  test('kinds stay together', () => {
    const { nodes, edges } = invented(5, 50);
    const kindOf = new Map(nodes.map((node) => [node.id, node.kind]));
    const { placed } = layout(nodes, edges, 'n0', 680);
    const right = placed.filter((each) => each.side === 'right');
    const left = placed.filter((each) => each.side === 'left').toReversed();
    const ring = [...right, ...left].map((each) => kindOf.get(each.id));
    const changes = ring.filter((kind, at) => at > 0 && kind !== ring[at - 1]).length;
    expect(changes).toBe(new Set(ring).size - 1);
  });

  test('one alone is a diagram too', () => {
    expect(layout([{ id: 'n0', kind: 'topic' }], [], 'n0', 600).placed).toHaveLength(1);
    expect(layout([{ id: 'n0', kind: 'topic' }, { id: 'n1', kind: 'person' }], [], 'n0', 600).placed[1]).toMatchObject({ side: 'right' });
  });
});

describe('keys move by direction', () => {
  const { nodes, edges } = invented(11, 30);
  const { placed } = layout(nodes, edges, 'n0', 680);
  const at = (id: string) => placed.find((each) => each.id === id) as Placed;

  test('whatever a key leads to lies in its direction', () => {
    const wrong = placed.flatMap((from) =>
      (
        [
          ['ArrowUp', (to: Placed) => to.y < from.y],
          ['ArrowDown', (to: Placed) => to.y > from.y],
          ['ArrowLeft', (to: Placed) => to.x < from.x],
          ['ArrowRight', (to: Placed) => to.x > from.x],
        ] as const
      ).flatMap(([key, lies]) => {
        const to = stepTo(placed, from.id, key);
        return to === null || lies(at(to)) ? [] : [`${key} from ${from.id} to ${to}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('everything can be reached, and Home leads back', () => {
    const seen = new Set(['n0']);
    for (let queue = ['n0']; queue.length > 0; ) {
      const from = queue.shift() ?? '';
      for (const key of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']) {
        const to = stepTo(placed, from, key);
        if (to !== null && !seen.has(to)) {
          seen.add(to);
          queue = [...queue, to];
        }
      }
    }
    expect(seen.size).toBe(placed.length);
    expect(stepTo(placed, 'n7', 'Home')).toBe('n0');
    expect(stepTo(placed, 'n7', 'x')).toBeNull();
    expect(stepTo(placed, 'gone', 'ArrowUp'), 'from what is not there any more: to the middle').toBe('n0');
  });
});

test('a line from the middle is straight, any other bends towards it', () => {
  const place = (id: string, x: number, y: number, side: Placed['side']): Placed => ({ id, x, y, side, room: 100 });
  const [middle, a, b] = [place('m', 100, 100, 'middle'), place('a', 180, 40, 'right'), place('b', 180, 160, 'right')];
  expect(path(middle, a, middle)).toBe('M100 100L180 40');
  expect(path(a, b, middle)).toBe('M180 40Q128 100 180 160');
});
