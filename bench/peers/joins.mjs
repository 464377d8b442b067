// The hand-written server of joins: the response of an endpoint, joined to rows of a table or to the response of a batch endpoint.
import { createServer } from 'node:http';
import { listen, send } from './server.mjs';
import { call, rowsFor } from './upstream.mjs';

/** Returns the rows for the keys of `items`, by key. Requests each key once. */
async function byKey(items, key, fetch) {
  const keys = [...new Set(items.map((item) => item[key]))];
  const found = await fetch(keys);
  return new Map(keys.map((one, index) => [one, found[index]]));
}

const routes = {
  '/picks': async () => {
    const picks = await call('/picks', {});
    const tracks = await byKey(picks, 'track_id', (ids) => rowsFor('track', ids));
    const items = picks.map(
      ({ track_id, score }) => `{"track_id":${track_id},"score":${score},"track":${tracks.get(track_id) ?? null}}`,
    );
    return `{"data":{"picks":[${items.join(',')}]}}`;
  },
  '/posts-in-table': async () => {
    const posts = await call('/posts', {});
    const people = await byKey(posts, 'userId', (ids) => rowsFor('person', ids));
    const items = posts.map(
      ({ id, title, userId }) => `{"id":${id},"title":${JSON.stringify(title)},"person":${people.get(userId) ?? null}}`,
    );
    return `{"data":{"posts":[${items.join(',')}]}}`;
  },
  '/posts-in-batch': async () => {
    const posts = await call('/posts', {});
    const users = await byKey(posts, 'userId', (ids) => call('/user', { inputs: ids.map((id) => ({ id })) }));
    return JSON.stringify({
      data: { posts: posts.map(({ id, title, userId }) => ({ id, title, user: users.get(userId) ?? null })) },
    });
  },
  '/big': async () => JSON.stringify({ data: { big: (await call('/big', {})).map(({ id }) => ({ id })) } }),
};

const server = createServer((request, response) => {
  request.resume();
  request.on('end', async () => {
    try {
      const body = await routes[request.url]();
      send(response, body);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
});

listen(server);
