/** The same graph as a table: all edges with their reason, the amount of evidence, and the line that shows it. */
import { ArrowDown, ArrowUp, Lock, TextQuote } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { GraphEdge, GraphNode, GraphResponse } from '../../../api';
import { IconButton } from '../../../design';
import { openConversation } from '../../../state';
import { nameOf, t } from '../../../strings';
import { TESTIDS } from '../../../testids';
import css from './Graph.module.css';
import { NodeIcon } from './NodeIcon';
import { openNode } from './open';
import { nodeName, reason, strongest } from './words';

const COLUMNS = ['a', 'why', 'b', 'count'] as const;
type Column = (typeof COLUMNS)[number];

interface Sort {
  readonly column: Column;
  readonly isDown: boolean;
}

/** The rows in the requested order. By default, edges with the most evidence come first. Pure. */
export function sorted(graph: GraphResponse, sort: Sort | null): GraphEdge[] {
  const rows = strongest(graph.edges, graph.center);
  if (!sort) return rows;
  const names = new Map(graph.nodes.map((node) => [node.id, nodeName(node)]));
  const text = (edge: GraphEdge): string => (sort.column === 'why' ? nameOf(t.graph.verbs, edge.kind) : (names.get(sort.column === 'b' ? edge.b : edge.a) ?? ''));
  const compare = (x: GraphEdge, y: GraphEdge) => (sort.column === 'count' ? x.count - y.count : text(x).localeCompare(text(y)));
  return rows.toSorted((x, y) => (sort.isDown ? -1 : 1) * compare(x, y));
}

export function GraphTable({ graph, name }: { graph: GraphResponse; name: string }) {
  const [sort, setSort] = useState<Sort | null>(null);
  const rows = useMemo(() => sorted(graph, sort), [graph, sort]);
  const nodes = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph.nodes]);
  if (rows.length === 0) return <p className={css.hint}>{t.graph.hidden}</p>;
  const choose = (column: Column) => setSort(sort?.column === column ? (sort.isDown === (column !== 'count') ? null : { column, isDown: !sort.isDown }) : { column, isDown: column === 'count' });
  return (
    <div className={css.tableFrame}>
      <table className={css.table} data-testid={TESTIDS.graphTable}>
        <caption className="srOnly">{t.graph.caption(name)}</caption>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" aria-sort={sort?.column === column ? (sort.isDown ? 'descending' : 'ascending') : undefined}>
                <button type="button" className={css.sort} title={t.graph.sortBy(t.graph.columns[column])} onClick={() => choose(column)}>
                  {t.graph.columns[column]}
                  {sort?.column === column ? sort.isDown ? <ArrowDown size={12} aria-hidden="true" /> : <ArrowUp size={12} aria-hidden="true" /> : null}
                </button>
              </th>
            ))}
            <th scope="col">{t.graph.columns.line}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((edge) => (
            <tr key={`${edge.a} ${edge.b} ${edge.kind}`} data-testid={TESTIDS.graphRow}>
              <th scope="row">
                <Name node={nodes.get(edge.a)} />
              </th>
              <td>{nameOf(t.graph.verbs, edge.kind)}</td>
              <td>
                <Name node={nodes.get(edge.b)} />
              </td>
              <td className="num">
                {t.graph.restsOn(edge.kind, edge.count, edge.nearness)}
                {edge.is_private ? (
                  <span className={css.rowLock} title={t.graph.offRecord}>
                    <Lock size={11} aria-hidden="true" />
                    <span className="srOnly">{t.graph.offRecord}</span>
                  </span>
                ) : null}
              </td>
              <td>
                {edge.conversation_id && edge.message_id ? (
                  <IconButton size="s" label={`${t.graph.openLine}: ${reason(edge, nodes)}`} onClick={() => openConversation(edge.conversation_id ?? '', edge.message_id ?? undefined)}>
                    <TextQuote size={14} />
                  </IconButton>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The kind and name of a node. */
function Name({ node }: { node: GraphNode | undefined }) {
  if (!node) return null;
  return (
    <button type="button" className={css.cell} onClick={() => openNode(node)}>
      <span className={css[`is_${node.kind}`]}>
        <span className={css.sign}>
          <NodeIcon kind={node.kind} detail={node.detail} />
        </span>
      </span>
      <span className="srOnly">{nameOf(t.graph.kinds, node.kind)}: </span>
      <span className={css.cellName}>{nodeName(node)}</span>
    </button>
  );
}
