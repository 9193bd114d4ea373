/** The bare HTTP echo: what Node's own server can do with the same bodies when nobody decides anything. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`echo: http://127.0.0.1:${server.address().port} `));
process.on('SIGTERM', () => process.exit());
