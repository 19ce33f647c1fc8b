// A model server on loopback for the real window: speaks the OpenAI shape, answers facts with what it is told to find, and
// remembers what it was sent. What is asked is read from the shape that the reply must have.

import { createServer } from 'node:http';

/** `found` says what the model makes of a line: {words, content, category}. */
export async function startModelServer(found) {
  const received = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      if (request.url === '/v1/models') return send(response, { object: 'list', data: [{ id: 'tiny-reader', object: 'model' }] });
      if (request.url !== '/v1/chat/completions') return send(response, { error: { message: 'there is nothing here' } }, 404);
      const asked = JSON.parse(body);
      received.push(asked);
      stream(response, JSON.stringify(answer(asked, found)));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    received,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
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
  if (properties.facts) return { facts };
  if (properties.entries) return { entries: [] };
  if (properties.observations) return { observations: [] };
  if (properties.verdicts) return { verdicts: [] };
  return { memories: [], summary: [], themes: [], key_topics: [], mood: 'neutral', tone: 'calm', emotional_arc: [], participants: [] };
}

function send(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** In pieces, as such servers answer. */
function stream(response, text) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (choice, usage) => response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: choice ? [choice] : [], usage })}\n\n`);
  for (let at = 0; at < text.length; at += 40) event({ index: 0, delta: { content: text.slice(at, at + 40) }, finish_reason: null });
  event({ index: 0, delta: {}, finish_reason: 'stop' });
  event(null, { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 });
  response.end('data: [DONE]\n\n');
}
