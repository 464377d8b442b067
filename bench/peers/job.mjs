// Shared by the workers: the call of a job, and an endpoint through which the benchmark inserts jobs.
import { createServer } from 'node:http';
import { Pool } from 'undici';

export const concurrency = Number(process.env.CONCURRENCY);
export const connectionString = process.env.DATABASE_URL;

const sink = new Pool(process.env.SINK, { connections: concurrency, pipelining: 1 });

/** Sends the request of a scheduled event: the same envelope, the same length. Throws unless the response has a status of 2xx. */
export async function call(id, at, payload) {
  const { statusCode, body } = await sink.request({
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'worker/1.0' },
    body: JSON.stringify({ id, scheduled_time: at, payload, created_at: at, comment: null }),
  });
  await body.text();
  if (statusCode < 200 || statusCode > 299) throw new Error(`the webhook returned ${statusCode}`);
}

/** Serves `POST /<count>`: inserts `count` jobs, numbered from 1, in one transaction. */
export function serveInserts(fill) {
  const server = createServer(async (request, response) => {
    const payloads = Array.from({ length: Number(request.url.slice(1)) }, (_, n) => ({ n: n + 1 }));
    await fill(payloads).catch((error) => response.writeHead(500).end(error.stack));
    response.end('{}');
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
}
