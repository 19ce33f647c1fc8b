/** Opens the page of each kind of node. */
import type { GraphNode } from '../../../api';
import { go, openConversation, openMemory, openPerson, openSearch } from '../../../state';

export function openNode(node: GraphNode): void {
  if (node.kind === 'person') openPerson(node.id);
  else if (node.kind === 'topic') go('topics', { topic: node.id });
  else if (node.kind === 'memory') openMemory(node.id);
  else if (node.kind === 'conversation') openConversation(node.id);
  // For a name without a page, opens a search.
  else openSearch(`"${node.label.replaceAll('"', '')}"`);
}
