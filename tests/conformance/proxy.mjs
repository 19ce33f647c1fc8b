// Adds an agent's token to every request, because the suite cannot send one. Everything else is passed on as it came: the address
// that the suite calls this proxy by becomes the server's own, and a foreign Host or Origin stays foreign.
import { createServer, request as open } from 'node:http';

/** Starts the proxy. `token` may be null: then nothing is added. Returns its address and a function that ends it. */
export async function startProxy(port, token) {
  const server = createServer((request, response) => {
    const own = `127.0.0.1:${server.address().port}`;
    const rename = (value) => value?.replaceAll(own, `127.0.0.1:${port}`);
    const headers = { ...request.headers, host: rename(request.headers.host) };
    if (headers.origin) headers.origin = rename(headers.origin);
    if (token !== null) headers.authorization = `Bearer ${token}`;
    const passed = open({ host: '127.0.0.1', port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => new Promise((done) => server.close(done).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close };
}
