// The REST endpoints behind actions. Responses are built in advance, so that the endpoint itself costs little.
import { createServer } from 'node:http';
import { listen, send } from './server.mjs';

const list = (length, item) => Array.from({ length }, (_, n) => item(n + 1));

const users = list(10, (id) => ({ id, name: `User number ${id}`, email: `user.${id}@example.com` }));

const responses = {
  '/picks': JSON.stringify(
    list(100, (n) => ({ track_id: 1 + n * 31, score: n / 100, reason: `picked as number ${n}` })),
  ),
  '/posts': JSON.stringify(
    list(100, (id) => ({
      id,
      userId: 1 + (id % 10),
      title: `The title of post ${id}`,
      body: `The text of post ${id}.`,
    })),
  ),
  // 20 MB.
  '/big': JSON.stringify(
    list(200_000, (id) => ({ id, words: `${id}: a text that is repeated to fill the row up. `.padEnd(78) })),
  ),
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = responses[request.url] ?? usersFor(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    send(response, body);
  });
});

/** A batch: one user for each input, in the same order. */
function usersFor({ inputs }) {
  return JSON.stringify(inputs.map(({ id }) => users[id - 1]));
}

listen(server);
