/**
 * The fake host's search: it answers in the same shape as the real one, with kinds in its order, operators, facets, highlights in
 * code points and the lines around a message. Words match at their start; two similar meanings are hard-coded.
 */
import type { SearchHit, SearchLine, SearchResponse, TextRange } from '../../api/schema';
import { KINDS, kindOf, operationsOf, valuesOf, wordsOf } from '../../panels/search/operators';
import { tally } from '../../api/tally';
import type { AllHandlers, Handlers } from './index';
import { type World, memoriesOf, messagesOf, points } from './world';

const SCOPES: Readonly<Record<string, string>> = { messages: 'message', memories: 'memory', topics: 'topic', people: 'person' };

/** Words with a similar meaning, as a model would know. */
const CLOSE: readonly (readonly [asked: string, said: string])[] = [
  ['stove', 'gas hob'],
  ['reading', 'novels'],
];

const LINES_SHOWN = 3;
const ASKING_WORDS = 3;
/** A query with at least this many words is checked for relevance. */
const LONG_QUESTION_WORDS = 5;
/** Number of messages shown if none answers the query. */
const NEAREST = 3;
const STOP_WORDS = new Set(['a', 'an', 'and', 'are', 'did', 'do', 'does', 'how', 'i', 'in', 'is', 'of', 'the', 'there', 'to', 'was', 'what', 'when', 'where', 'who', 'why']);

const folded = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);

/** The start of a written day, month or year. */
function beginning(text: string): number {
  const [year, month = '01', day = '01'] = text.split('-');
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`);
}

/** Phrases in quotes, and single words. */
function soughtIn(about: string): { phrases: string[]; words: string[] } {
  const phrases = [...about.matchAll(/"([^"]+)"?/gu)].map((match) => folded(match[1] ?? '').trim()).filter(Boolean);
  const words = folded(about.replace(/"[^"]*"?/gu, ' ')).match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return { phrases, words: telling.length > 0 || phrases.length > 0 ? telling : words };
}

export function searchCommands(world: World, handlers: AllHandlers): Handlers {
  return {
    search(request): SearchResponse {
      const { query } = request;
      const about = wordsOf(query);
      const { phrases, words } = soughtIn(about);
      const scopes = (request.scope ?? 'all') === 'all' ? [...KINDS] : (request.scope ?? '').split(',').map((scope) => SCOPES[scope] ?? '');
      const typed = kindOf(query);
      const wants = (kind: string) => scopes.includes(kind) && (typed === 'all' || typed === kind);
      const people = valuesOf(query, 'person').map(folded);
      const channels = valuesOf(query, 'channel').map(folded);
      const after = Math.max(...valuesOf(query, 'after').map(beginning), Number.NEGATIVE_INFINITY);
      const before = Math.min(...valuesOf(query, 'before').map(beginning), Number.POSITIVE_INFINITY);
      const hasWords = phrases.length > 0 || words.length > 0;
      const isNarrow = operationsOf(query).length > 0;
      const limit = request.limit || 20;

      const ranges = (text: string): TextRange[] => {
        const plain = text.toLowerCase();
        const found = [
          ...phrases.flatMap((phrase) => (plain.includes(phrase) ? [[plain.indexOf(phrase), phrase.length] as const] : [])),
          ...[...plain.matchAll(/[\p{L}\p{N}]+/gu)].filter((match) => words.some((word) => folded(match[0]).startsWith(word))).map((match) => [match.index, match[0].length] as const),
        ];
        const all = found.map(([at, length]) => ({ start: points(text, at), end: points(text, at + length) })).toSorted((a, b) => a.start - b.start || b.end - a.end);
        return all.filter((range, index) => index === 0 || range.start >= (all[index - 1]?.end ?? 0));
      };
      const matches = (text: string) => phrases.every((phrase) => folded(text).includes(phrase)) && (words.length === 0 || (folded(text).match(/[\p{L}\p{N}]+/gu) ?? []).some((each) => words.some((word) => each.startsWith(word))));
      const isClose = (text: string) => phrases.length === 0 && CLOSE.some(([asked, said]) => words.some((word) => asked.startsWith(word) && word.length > 3) && text.toLowerCase().includes(said));
      const why = (text: string): string[] => (hasWords ? [...(matches(text) ? ['words'] : []), ...(isClose(text) ? ['meaning'] : [])] : isNarrow ? ['filter'] : []);
      const blank = { source: null, conversation_id: '', conversation_title: '', channel_type: '', author: '', handles: [], lines: [], score: 1 };

      const messages = [...world.messages]
        .flatMap(([id, all]): SearchHit[] => {
          const row = world.conversations.find((each) => each.id === id);
          if (!row || !wants('message')) return [];
          if (channels.length > 0 && !channels.some((name) => folded(row.channel_type) === name || folded(row.title).includes(name))) return [];
          return all.flatMap((message, position): SearchHit[] => {
            if (message.time < after || message.time >= before) return [];
            if (people.length > 0 && !people.some((name) => folded(message.author).includes(name) || (name === 'me' && message.role === 'owner'))) return [];
            const previous = all[position - 1];
            const isBeside = words.length >= ASKING_WORDS && previous !== undefined && words.every((word) => folded(previous.text).includes(word));
            const own = why(message.text);
            const reasons = own.length > 0 ? own : isBeside ? ['neighbour'] : [];
            if (reasons.length === 0) return [];
            const score = words.filter((word) => folded(message.text).includes(word)).length;
            return [{ ...blank, kind: 'message', id: message.id, score, why: reasons, text: message.text, highlights: [], conversation_id: id, conversation_title: row.title, channel_type: row.channel_type, author: message.author, time: message.time }];
          });
        })
        .toSorted((a, b) => b.score - a.score || b.time - a.time);
      /** Fields needed only for the hits that are shown, because there may be thousands. */
      const whole = (hit: SearchHit): SearchHit => {
        const all = messagesOf(world, hit.conversation_id);
        const position = all.findIndex((message) => message.id === hit.id);
        const around = request.around ?? 0;
        const lines = all.slice(Math.max(0, position - around), position + around + 1).flatMap((each, nth): SearchLine[] => {
          const offset = Math.max(0, position - around) + nth - position;
          return offset === 0 ? [] : [{ message_id: each.id, conversation_id: hit.conversation_id, author: each.author, time: each.time, text: each.text, highlights: ranges(each.text), offset }];
        });
        return { ...hit, highlights: ranges(hit.text), lines };
      };

      const isPlain = people.length === 0 && channels.length === 0;
      const memories = memoriesOf(world).flatMap(({ row }): SearchHit[] => {
        if (!wants('memory') || row.status !== 'active' || !isPlain || row.said_at < after || row.said_at >= before) return [];
        const reasons = hasWords || typed === 'memory' ? why(row.content) : [];
        return reasons.length === 0 ? [] : [{ ...blank, kind: 'memory', id: row.id, why: reasons, text: row.content, highlights: ranges(row.content), conversation_id: row.conversation_id, conversation_title: row.conversation_title, channel_type: row.channel_type, author: row.author, time: row.said_at }];
      });

      const isTimeless = !Number.isFinite(after) && !Number.isFinite(before);
      const everybody = handlers.people_list({}).items;
      const persons = everybody.flatMap((person): SearchHit[] => {
        if (!wants('person') || !isPlain || !isTimeless || (!hasWords && typed !== 'person')) return [];
        const name = person.name || (person.handles[0]?.handle ?? '');
        if (hasWords && !matches(name)) return [];
        return [{ ...blank, kind: 'person', id: person.id, why: [hasWords ? 'name' : 'filter'], text: name, highlights: ranges(name), author: name, time: 0, handles: person.handles.map((each) => `${each.channel}:${each.handle}`) }];
      });

      const topics = handlers.topics_list({}).items.flatMap((topic): SearchHit[] => {
        const detail = wants('topic') ? handlers.topic_get({ id: topic.id }) : undefined;
        if (!detail) return [];
        const fits = detail.messages.some(
          (line) => line.time >= after && line.time < before && (people.length === 0 || people.some((name) => folded(line.author).includes(name))) && (channels.length === 0 || channels.some((name) => folded(line.channel) === name || folded(line.conversation_title).includes(name))),
        );
        const reasons = why([topic.title, ...detail.lines.map((line) => line.text)].join('\n'));
        if (!fits || reasons.length === 0) return [];
        const telling = detail.lines.filter((each) => matches(each.text) || isClose(each.text));
        const lines = (hasWords && telling.length > 0 ? telling : detail.lines.slice(0, 1)).slice(0, LINES_SHOWN).map((each): SearchLine => ({
          message_id: each.line.message_id, conversation_id: each.line.conversation_id, author: each.line.author, time: each.line.time, text: each.text, highlights: ranges(each.text), offset: 0,
        }));
        const text = [topic.title, ...lines.map((line) => line.text)].join('\n');
        return [{ ...blank, kind: 'topic', id: topic.id, why: reasons, text, highlights: ranges(text), time: topic.last, lines }];
      });

      const count = (name: string, of: (hit: SearchHit) => string) => ({ name, values: tally(messages.map(of)).toSorted((a, b) => b.count - a.count) });
      // If no line contains half of the words of a long query, they are about something else.
      const isNearestOnly = words.length >= LONG_QUESTION_WORDS && messages.length > 0 && messages.every((hit) => hit.score * 2 < words.length);
      const said = isNearestOnly ? messages.slice(0, NEAREST) : [...memories, ...topics, ...messages];
      return {
        hits: [...persons, ...said].slice(0, limit).map((hit) => (hit.kind === 'message' ? whole(hit) : hit)),
        facets: wants('message') ? [count('channel', (hit) => hit.channel_type), count('author', (hit) => hit.author), count('month', (hit) => monthOf(hit.time))] : [],
        filters: operationsOf(query).map(({ operator, value }) => ({ operator, value })),
        is_nearest_only: isNearestOnly,
        weights_version: 1,
      };
    },
  };
}

