/** Names and reasons of a graph in words. Pure. */
import type { GraphEdge, GraphNode } from '../../../api';
import { t } from '../../../strings';

/** Maximum length of a statement quoted within another sentence. */
const QUOTED_CHARS = 60;

export function nodeName(node: GraphNode): string {
  if (node.is_owner) return t.subject.owner ?? node.label;
  if (node.label.trim() !== '') return node.label;
  return node.kind === 'person' ? t.people.nameless : t.graph.untitled;
}

function short(node: GraphNode | undefined): string {
  if (!node) return '';
  const letters = [...nodeName(node)];
  return letters.length <= QUOTED_CHARS ? letters.join('') : `${letters.slice(0, QUOTED_CHARS - 1).join('').trimEnd()}…`;
}

/** Why two nodes are connected, as a sentence. */
export function reason(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>): string {
  const [a, b] = [nodes.get(edge.a), nodes.get(edge.b)];
  const say = t.graph.why[edge.kind];
  return say ? say(short(a), short(b), edge.count) : `${short(a)} – ${short(b)}`;
}

/** Edges with the most evidence first. Edges of the center come before all others. */
export function strongest(edges: readonly GraphEdge[], center: string): GraphEdge[] {
  const isOwn = (edge: GraphEdge) => edge.a === center || edge.b === center;
  return edges.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || b.count - a.count || a.kind.localeCompare(b.kind) || a.a.localeCompare(b.a) || a.b.localeCompare(b.b));
}
