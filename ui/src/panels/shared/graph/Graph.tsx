/**
 * The graph around one person or one topic: a diagram, and a table with the same content for reading.
 *
 * Not in this module: selecting the nodes, which the backend does. Suggestions are never shown.
 */
import { Minus, Plus, Share2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type GraphNode, type GraphResponse, useRpc } from '../../../api';
import { EmptyState, ErrorState, IconButton, LoadingRows, Segmented, cx } from '../../../design';
import { useUiState } from '../../../state';
import { nameOf, number, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import css from './Graph.module.css';
import { NodeIcon } from './NodeIcon';
import { Diagram } from './Diagram';
import { GraphTable } from './Table';
import { nodeName } from './words';

const KINDS = ['person', 'topic', 'project', 'technology', 'memory', 'conversation'] as const;
/** Zoom levels, for people with low vision: from fitting the pane to twice the size. */
const ZOOMS = [1, 1.25, 1.5, 2] as const;

/** The graph without some kinds; the center always stays. Pure. */
export function without(graph: GraphResponse, hidden: readonly string[]): GraphResponse {
  const nodes = graph.nodes.filter((node) => node.id === graph.center || !hidden.includes(node.kind));
  const left = new Set(nodes.map((node) => node.id));
  return { ...graph, nodes, edges: graph.edges.filter((edge) => left.has(edge.a) && left.has(edge.b)) };
}

export function Graph({ person, topic }: { person?: string; topic?: string }) {
  const { data, error, refetch } = useRpc('graph', person === undefined ? { topic: topic ?? null } : { person });
  if (error && !data) return <ErrorState title={t.graph.loadFailed} text={t.graph.loadFailedText} detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={6} />;
  return <Shown graph={data} />;
}

function Shown({ graph }: { graph: GraphResponse }) {
  const [view, setView] = useUiState<string>('graph.view', 'diagram');
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [zoom, setZoom] = useState(0);
  const shown = useMemo(() => without(graph, hidden), [graph, hidden]);
  const center = graph.nodes.find((node) => node.id === graph.center);
  if (!center) return null;
  const name = nodeName(center);
  if (graph.nodes.length === 1) return <EmptyState icon={<Share2 size={18} />} title={t.graph.aloneTitle} text={t.graph.alone(name)} />;
  const toggle = (kind: string) => setHidden(hidden.includes(kind) ? hidden.filter((each) => each !== kind) : [...hidden, kind]);
  const isTable = view === 'table';
  return (
    <section className={css.graph} aria-label={t.graph.label(name, graph.nodes.length)} data-testid={TESTIDS.graph}>
      <div className={css.bar}>
        <Kinds nodes={graph.nodes} center={graph.center} hidden={hidden} onToggle={toggle} />
        {isTable ? null : (
          <span className={css.zoom}>
            <IconButton size="s" label={t.graph.zoomOut} disabled={zoom === 0} testId={TESTIDS.graphSmaller} onClick={() => setZoom(zoom - 1)}>
              <Minus size={14} />
            </IconButton>
            <IconButton size="s" label={t.graph.zoomIn} disabled={zoom === ZOOMS.length - 1} testId={TESTIDS.graphLarger} onClick={() => setZoom(zoom + 1)}>
              <Plus size={14} />
            </IconButton>
          </span>
        )}
        <Segmented
          label={t.graph.show}
          value={isTable ? 'table' : 'diagram'}
          testId={TESTIDS.graphView}
          choices={[
            { value: 'diagram', label: t.graph.diagram, testId: 'graph-picture' },
            { value: 'table', label: t.graph.table, testId: 'graph-table' },
          ]}
          onChange={setView}
        />
      </div>
      {isTable ? <GraphTable graph={shown} name={name} /> : <Diagram graph={shown} zoom={ZOOMS[zoom] ?? 1} />}
      <p className={css.leftOut} data-testid={TESTIDS.graphLeftOut}>
        {graph.left_out.length === 0 ? t.graph.allThere : t.graph.leftOut(graph.left_out.map((each) => t.graph.tooMany(each.name, each.count)))}
      </p>
    </section>
  );
}

/** A switch for each kind, which also explains the icons. */
function Kinds({ nodes, center, hidden, onToggle }: { nodes: readonly GraphNode[]; center: string; hidden: readonly string[]; onToggle: (kind: string) => void }) {
  return (
    <div className={css.kinds} role="group" aria-label={t.graph.filter}>
      {KINDS.map((kind) => {
        const count = nodes.filter((node) => node.kind === kind && node.id !== center).length;
        if (count === 0) return null;
        return (
          <button key={kind} type="button" className={cx(css.kind, css[`is_${kind}`])} aria-pressed={!hidden.includes(kind)} data-testid={TESTIDS.graphKind} data-kind={kind} onClick={() => onToggle(kind)}>
            <span className={css.sign}>
              <NodeIcon kind={kind} detail="" />
            </span>
            {nameOf(t.graph.kindsMany, kind)}
            <span className={cx('num', css.kindCount)}>{number(count)}</span>
          </button>
        );
      })}
    </div>
  );
}
