/** The fake host's conversations: reading, privacy, analysis. */
import type { AnalysisView, ConversationRow, ConversationsListRequest, MessageView } from '../../api/schema';
import { tally } from '../../api/tally';
import type { Handlers, Host } from './index';
import { type World, conversationOf, memoriesOf, messagesOf, pageOf, points } from './world';

/** `saidIn` returns the conversations that match a request's time, person and topic; null if the request names none of them. */
export function conversationCommands(world: World, host: Host, saidIn: (request: Partial<ConversationsListRequest>) => ReadonlySet<string> | null): Handlers {
  const analyses = new Map<string, AnalysisView[]>();
  const countOf = (id: string, status: string) => memoriesOf(world).filter(({ row }) => row.conversation_id === id && row.status === status).length;
  const rowOf = (row: ConversationRow): ConversationRow => ({ ...row, memories_active: countOf(row.id, 'active'), memories_pending: countOf(row.id, 'pending') });
  const find = (id: string) => conversationOf(world, id);
  const withSpans = (message: MessageView): MessageView => ({
    ...message,
    spans: memoriesOf(world)
      .filter(({ row }) => row.status === 'active' || row.status === 'pending')
      .flatMap(({ row, evidence }) => evidence.filter((each) => each.interaction_id === message.id).map(({ start, end }) => ({ memory_id: row.id, start, end, status: row.status, category: row.category, content: row.content }))),
  });

  return {
    conversations_list(request) {
      const words = (request.query ?? '').toLowerCase();
      const said = saidIn(request);
      const found = world.conversations
        .filter((row) => !words || row.title.toLowerCase().includes(words) || messagesOf(world, row.id).some((message) => message.text.toLowerCase().includes(words)))
        .filter((row) => !request.channel?.length || request.channel.includes(row.channel_type))
        .filter((row) => !said || said.has(row.id))
        .filter((row) => request.private == null || row.is_private === request.private)
        .sort((a, b) => b.last - a.last);
      return {
        total: found.length,
        items: pageOf(found, request).map(rowOf),
        by_channel: tally(world.conversations.map((row) => row.channel_type)),
        private_count: world.conversations.filter((row) => row.is_private).length,
      };
    },
    conversation_get: ({ id }) => rowOf(find(id)),
    conversation_messages(request) {
      const all = messagesOf(world, request.conversation_id ?? '').map(withSpans);
      const limit = Math.min(request.limit || 500, 500);
      const around = request.around ? all.findIndex((message) => message.id === request.around) : -1;
      const offset = around >= 0 ? Math.max(0, around - Math.floor(limit / 2)) : (request.offset ?? 0);
      return { total: all.length, offset, items: all.slice(offset, offset + limit) };
    },
    conversation_privacy_preview: ({ id }) => ({
      is_private: find(id).is_private,
      memories_active: countOf(id, 'active'),
      memories_pending: countOf(id, 'pending'),
      analyses: analyses.get(id)?.length ?? 0,
      gate_entries: 2,
      private_time_messages: find(id).is_private || find(id).has_private_time ? 4 : 0,
    }),
    conversation_set_private({ id, private: isPrivate, existing, use_private_time }) {
      const row = find(id);
      row.has_private_time = !isPrivate && !use_private_time && (row.is_private || row.has_private_time);
      row.is_private = isPrivate;
      let hidden = 0;
      let erased = 0;
      let unhidden = 0;
      for (const [key, memory] of world.memories) {
        if (memory.row.conversation_id !== id) continue;
        if (isPrivate && existing === 'erase') {
          world.memories.delete(key);
          erased += 1;
          continue;
        }
        const isHidden = isPrivate && existing === 'hide';
        if (isHidden) hidden += 1;
        else if (memory.row.is_hidden) unhidden += 1;
        world.memories.set(key, { ...memory, row: { ...memory.row, is_private_source: isPrivate, is_hidden: isHidden } });
      }
      host.changed('conversations', 'memories', 'messages', 'status');
      return { is_private: isPrivate, hidden, erased, is_erasure_pending: false, unhidden, jobs_cancelled: 0 };
    },
    /** Without checks and stages, which `work.ts` adds. */
    analyze_start({ id }) {
      const row = find(id);
      const before = analyses.get(id) ?? [];
      const lines = messagesOf(world, id).filter((message) => message.role === 'owner');
      const analysis: AnalysisView = {
        new_since_last: [],
        id: `ana_${id}_${before.length}`,
        created_at: host.now(),
        proposer: 'builtin/1',
        summary: lines.slice(0, 3).map((message) => ({ interaction_id: message.id, start: 0, end: points(message.text), author: message.author, text: message.text })),
        themes: ['Home', 'Planning'],
        tone: 'Practical and warm',
        arc: [
          { stage: 'start', mood: 'worried', interaction_id: lines[0]?.id ?? null },
          { stage: 'middle', mood: 'neutral', interaction_id: lines[1]?.id ?? null },
          { stage: 'end', mood: 'hopeful', interaction_id: lines[2]?.id ?? null },
        ],
        participants: row.participants,
        key_topics: ['kitchen', 'budget', 'schedule'],
        messages: row.messages,
        proposed: [
          { name: 'goal', label: null, count: 1 },
          { name: 'preference', label: null, count: 2 },
        ],
        stopped: [
          { name: 'question_or_request', label: 'Question or request', count: 3 },
          { name: 'vague', label: 'Too vague', count: 1 },
        ],
        repeated: 1,
        candidate_ids: memoriesOf(world).filter(({ row: memory }) => memory.conversation_id === id && memory.status === 'pending').map(({ row: memory }) => memory.id),
      };
      analyses.set(id, [analysis, ...before]);
      host.changed('analyses', 'jobs', 'memories', 'status');
      return { outcome: 'queued', job_id: `job_analyze_${id}` };
    },
    analyses_list: ({ id }) => ({ items: analyses.get(id) ?? [] }),
  };
}
