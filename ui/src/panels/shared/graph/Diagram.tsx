/**
 * The diagram. Edges are drawn. Nodes are buttons above them, so that they have an accessible name and can be focused.
 *
 * One node is in the tab order, and arrow keys move by direction. Below the diagram are the reasons why a node is connected, each
 * with the line that shows it: for the node under the pointer, otherwise for the node last clicked or moved to. Nothing moves on
 * its own.
 */
import { Lock } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import type { GraphEdge, GraphNode, GraphResponse } from '../../../api';
import { Button, cx } from '../../../design';
import { useWidth } from '../../../design/useWidth';
import { openConversation } from '../../../state';
import { nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import css from './Graph.module.css';
import { type Placed, layout, path, stepTo } from './layout';
import { NodeIcon } from './NodeIcon';
import { openNode } from './open';
import { nodeName, reason, strongest } from './words';

/** Assumed width until it has been measured. */
const WIDTH_AT_FIRST = 640;

/** Edges get thicker with the amount of evidence, up to a width at which they still look like lines. */
const thickness = (count: number) => Math.min(2.6, 0.9 + 0.8 * Math.log10(Math.max(1, count)));

export function Diagram({ graph, zoom }: { graph: GraphResponse; zoom: number }) {
  const frame = useRef<HTMLDivElement>(null);
  const hint = useId();
  const width = useWidth(frame) ?? WIDTH_AT_FIRST;
  const { placed, height, width: drawn } = useMemo(() => layout(graph.nodes, graph.edges, graph.center, width), [graph, width]);
  const nodes = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph.nodes]);
  const places = useMemo(() => new Map(placed.map((each) => [each.id, each])), [placed]);
  const [tabbed, setTabbed] = useState(graph.center);
  const [pointed, setPointed] = useState<string | null>(null);
  const [kept, setKept] = useState<string | null>(null);
  const [line, setLine] = useState<GraphEdge | null>(null);
  const stop = nodes.has(tabbed) ? tabbed : graph.center;
  const asked = pointed ?? kept;
  const here = asked !== null && nodes.has(asked) ? asked : null;
  const touching = useMemo(() => neighbours(graph.edges, here), [graph.edges, here]);
  const middle = placed[0];
  if (!middle) return null;
  const isFaint = (edge: GraphEdge) => (line ? edge !== line : here !== null && edge.a !== here && edge.b !== here);
  const isApart = (id: string) => (line ? id !== line.a && id !== line.b : here !== null && id !== here && !touching.has(id));

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && kept !== null) {
      event.preventDefault();
      setKept(null);
    }
    if (!/^Arrow|^Home$|^End$/.test(event.key)) return;
    const to = stepTo(placed, stop, event.key);
    // Also prevented if there is no further node, so that the page does not scroll while the person moves through the diagram.
    event.preventDefault();
    if (to === null) return;
    setTabbed(to);
    [...(frame.current?.querySelectorAll<HTMLElement>('[data-node]') ?? [])].find((each) => each.dataset.node === to)?.focus();
  };
  return (
    <>
      <div ref={frame} className={css.frame}>
        {/* Handles the keys of all buttons. */}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
        <div className={css.canvas} style={{ width: drawn * zoom, height: height * zoom }} onKeyDown={onKeyDown} onMouseLeave={() => setPointed(null)}>
          <div className={css.scaled} style={{ width: drawn, height, transform: zoom === 1 ? undefined : `scale(${zoom})` }} role="group" aria-describedby={hint} aria-label={t.graph.label(nodeName(nodes.get(graph.center) as GraphNode), graph.nodes.length)}>
            <svg className={css.lines} width={drawn} height={height} viewBox={`0 0 ${drawn} ${height}`} aria-hidden="true" focusable="false">
              {graph.edges.map((edge) => {
                const [a, b] = [places.get(edge.a), places.get(edge.b)];
                if (!a || !b) return null;
                const d = path(a, b, middle);
                const isOwn = a.side === 'middle' || b.side === 'middle';
                return (
                  <g key={`${edge.a} ${edge.b} ${edge.kind}`} data-edge={edge.kind} onMouseEnter={() => setLine(edge)} onMouseLeave={() => setLine(null)}>
                    <path className={cx(css.line, isOwn && css.spoke, edge.is_private && css.private, isFaint(edge) ? css.faint : (line || here !== null) && css.strong)} d={d} strokeWidth={thickness(edge.count)} />
                    <path className={css.reach} d={d} />
                  </g>
                );
              })}
            </svg>
            {placed.map((place) => {
              const node = nodes.get(place.id);
              if (!node) return null;
              return (
                <Thing
                  key={node.id}
                  node={node}
                  place={place}
                  isTabStop={node.id === stop}
                  isApart={isApart(node.id)}
                  connections={graph.edges.filter((edge) => edge.a === node.id || edge.b === node.id).length}
                  onPoint={setPointed}
                  onKeep={(id) => {
                    setTabbed(id);
                    setKept(id);
                  }}
                />
              );
            })}
          </div>
        </div>
      </div>
      <p className="srOnly" id={hint}>
        {t.graph.keys}
      </p>
      <Why graph={graph} nodes={nodes} here={here ?? stop} isAsked={here !== null} line={line} />
    </>
  );
}

function neighbours(edges: readonly GraphEdge[], here: string | null): ReadonlySet<string> {
  const found = new Set<string>();
  for (const edge of edges) {
    if (edge.a === here) found.add(edge.b);
    if (edge.b === here) found.add(edge.a);
  }
  return found;
}

interface ThingProps {
  node: GraphNode;
  place: Placed;
  isTabStop: boolean;
  isApart: boolean;
  connections: number;
  onPoint: (id: string | null) => void;
  onKeep: (id: string) => void;
}

function Thing({ node, place, isTabStop, isApart, connections, onPoint, onKeep }: ThingProps) {
  const name = nodeName(node);
  const isMiddle = place.side === 'middle';
  return (
    <button
      type="button"
      className={cx(css.thing, css[`at_${place.side}`], css[`is_${node.kind}`], isApart && css.apart)}
      style={{ left: place.x, top: place.y, '--room': `${place.room}px` } as React.CSSProperties}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={t.graph.node(nameOf(t.graph.kinds, node.kind), name, connections, node.is_private)}
      aria-current={isMiddle ? 'true' : undefined}
      data-node={node.id}
      data-kind={node.kind}
      data-testid={TESTIDS.graphNode}
      onMouseEnter={() => onPoint(node.id)}
      onMouseLeave={() => onPoint(null)}
      onFocus={() => onKeep(node.id)}
      onClick={(event) => {
        // By keyboard, a node opens immediately. With the pointer, the first click selects it and the second opens it.
        if (event.detail === 1) onKeep(node.id);
        else if (!isMiddle) openNode(node);
      }}
    >
      <span className={css.sign}>
        <NodeIcon kind={node.kind} detail={node.detail} size={isMiddle ? 16 : 12} />
      </span>
      <span className={css.name}>{name}</span>
      {node.is_private ? (
        <span className={css.lock}>
          <Lock size={11} aria-hidden="true" />
        </span>
      ) : null}
    </button>
  );
}

/** Maximum number of reasons shown, as many as fit without moving the diagram. */
const REASONS = 3;

/** Why the current node is in the graph. */
function Why({ graph, nodes, here, isAsked, line }: { graph: GraphResponse; nodes: ReadonlyMap<string, GraphNode>; here: string; isAsked: boolean; line: GraphEdge | null }) {
  const node = nodes.get(here);
  if (!node) return null;
  const own = line ? [line] : strongest(graph.edges.filter((edge) => edge.a === here || edge.b === here), graph.center);
  const isHint = !isAsked && !line;
  return (
    <div className={cx(css.why, isHint && css.whyHint)} data-testid={TESTIDS.graphWhy}>
      {isHint ? (
        <p className={css.hint}>{t.graph.hint}</p>
      ) : (
        <>
          <div className={css.whyHead}>
            {line ? null : (
              <>
                <span className={cx(css.sign, css[`is_${node.kind}`])}>
                  <NodeIcon kind={node.kind} detail={node.detail} />
                </span>
                <span className={css.whyName}>{nodeName(node)}</span>
                {node.is_private ? <span className={css.offRecord}>{t.graph.offRecord}</span> : null}
                {node.id !== graph.center ? (
                  <Button size="s" tone="quiet" onClick={() => openNode(node)}>
                    {t.graph.open(node.kind)}
                  </Button>
                ) : null}
              </>
            )}
          </div>
          <ul className={css.reasons}>
            {own.slice(0, REASONS).map((edge) => (
              <li key={`${edge.a} ${edge.b} ${edge.kind}`}>
                <span className={css.reason}>{reason(edge, nodes)}</span>
                {edge.conversation_id && edge.message_id ? (
                  <Button size="s" tone="quiet" label={`${t.graph.openLine}: ${reason(edge, nodes)}`} onClick={() => openConversation(edge.conversation_id ?? '', edge.message_id ?? undefined)}>
                    {t.graph.openLine}
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
          {own.length > REASONS ? <p className={css.more}>{t.graph.more(own.length - REASONS)}</p> : null}
        </>
      )}
      <p className="srOnly" role="status">
        {isAsked ? own.slice(0, REASONS).map((edge) => reason(edge, nodes)).join('. ') : ''}
      </p>
    </div>
  );
}
