// A model server on loopback for the real window: speaks the OpenAI shape, answers facts with what it is told to find, and
// remembers what it was sent. What is asked is read from the shape that the reply must have.

import { createServer } from 'node:http';

/** As many characters as no reply of a model has. */
const HUGE_CHARS = 10 * 1024 * 1024;

/**
 * `found` says what the model makes of a line: {words, content, category}. Set `fault` on what it answers and every question meets
 * it: `hang` (it begins to answer and never goes on), `huge` (10 MB of an answer), `error` (500), `cut` (it ends in the middle).
 */
export async function startModelServer(found) {
  const received = [];
  const model = { received, fault: null, hanging: 0, left: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      if (request.url === '/v1/models') return send(response, { object: 'list', data: [{ id: 'tiny-reader', object: 'model' }] });
      if (request.url !== '/v1/chat/completions') return send(response, { error: { message: 'there is nothing here' } }, 404);
      const asked = JSON.parse(body);
      received.push(asked);
      const good = JSON.stringify(answer(asked, found));
      if (model.fault === 'error') return send(response, { error: { message: 'out of memory' } }, 500);
      if (model.fault === 'huge') return stream(response, good + ' '.repeat(HUGE_CHARS), 16 * 1024);
      if (model.fault === 'cut') return begin(response, good.slice(0, 10)).destroy();
      if (model.fault !== 'hang') return stream(response, good);
      model.hanging += 1;
      response.on('close', () => {
        model.hanging -= 1;
        model.left += 1;
      });
      begin(response, good.slice(0, 10));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  model.url = `http://127.0.0.1:${server.address().port}`;
  model.close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return model;
}

function answer(asked, found) {
  const properties = asked.response_format?.json_schema?.schema?.properties ?? {};
  const user = asked.messages.find(({ role }) => role === 'user').content;
  const lines = user
    .split('\n')
    .filter((line) => line.startsWith('{"line"'))
    .map((line) => JSON.parse(line));
  const facts = lines.flatMap(({ line, role, text }) =>
    found
      .filter(({ words }) => role === 'user' && text.includes(words))
      .map(({ words, content, category }) => ({
        line,
        quote: words,
        content,
        category,
        confidence: 0.95,
        reasoning: 'The user says so outright in these very words.',
      })),
  );
  if (properties.positions) return { facts, positions: [] };
  if (properties.facts) return { facts };
  if (properties.entries) return { entries: [] };
  if (properties.observations) return { observations: [] };
  if (properties.verdicts) {
    const entries = user
      .split('\n')
      .filter((line) => line.startsWith('{"entry"'))
      .map((line) => JSON.parse(line).entry);
    const isOfFacts = Boolean(properties.verdicts.items.properties.supported);
    const yes = isOfFacts ? { supported: true, about_person: true, lasting: true } : { keep: true, grounded: true, distinctive: true };
    return { verdicts: entries.map((entry) => ({ entry, ...yes })) };
  }
  return { memories: [], summary: [], themes: [], key_topics: [], mood: 'neutral', tone: 'calm', emotional_arc: [], participants: [] };
}

function send(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const event = (response, choice, usage) =>
  response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: choice ? [choice] : [], usage })}\n\n`);

/** The first words of an answer. */
function begin(response, text) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event(response, { index: 0, delta: { content: text }, finish_reason: null });
  return response;
}

/** In pieces, as such servers answer. */
function stream(response, text, piece_chars = 40) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < text.length; at += piece_chars) {
    event(response, { index: 0, delta: { content: text.slice(at, at + piece_chars) }, finish_reason: null });
  }
  event(response, { index: 0, delta: {}, finish_reason: 'stop' });
  event(response, null, { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 });
  response.end('data: [DONE]\n\n');
}
