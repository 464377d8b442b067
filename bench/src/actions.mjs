// Actions joined to a table and to another action, and the memory that a large response needs.
import { command, trackTable } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { memory } from './measure/process.mjs';
import { graphql, plain, race } from './measure/race.mjs';
import {
  startEndpoint,
  startHandwrittenJoins,
  startJoinery,
  startServices,
  startYoga,
  withServers,
} from './servers.mjs';

const picks = '{ picks { track_id score track { track_id name milliseconds } } }';
const postsInTable = '{ posts { id title person { id name email } } }';
const postsInBatch = '{ posts { id title user { id name email } } }';

export async function actions(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const endpoint = await start(startEndpoint());
    const handwritten = await start(startHandwrittenJoins(database.url, endpoint.url));
    const services = await startServices(start, database, settings, (url) => define(url, endpoint.url));
    const yoga = await start(startYoga(database.url, endpoint.url));
    return {
      picks: await race('action of 100 objects, each joined to a row', settings, [
        plain(handwritten, '/picks', [{}]),
        ...services.map((service) => graphql(service, '/v1/graphql', picks, [{}])),
      ]),
      postsInTable: await race('100 posts of an endpoint, users in PostgreSQL', settings, [
        plain(handwritten, '/posts-in-table', [{}]),
        ...services.map((service) => graphql(service, '/v1/graphql', postsInTable, [{}])),
        graphql(yoga, '/graphql', postsInTable, [{}]),
      ]),
      postsInBatch: await race('100 posts of an endpoint, users behind a batch endpoint', settings, [
        plain(handwritten, '/posts-in-batch', [{}]),
        ...services.map((service) => graphql(service, '/v1/graphql', postsInBatch, [{}])),
        graphql(yoga, '/graphql', postsInBatch, [{}]),
      ]),
      memory: await large(database, endpoint),
    };
  });
}

/** Measures the peak memory of one response of 20 MB in newly started servers. */
async function large(database, endpoint) {
  process.stdout.write('\na response of 20 MB from the endpoint, one field of each object selected\n');
  const contestants = [
    { starting: startHandwrittenJoins(database.url, endpoint.url), path: '/big', body: {} },
    { starting: startJoinery(database.url), path: '/v1/graphql', body: { query: '{ big { id } }' } },
  ];
  const report = [];
  for (const { starting, path, body } of contestants) {
    const server = await starting;
    try {
      const before = await memory(server.pid);
      const began = performance.now();
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!text.startsWith('{"data"')) throw new Error(`${server.name} returned ${text.slice(0, 500)}`);
      const ms = Math.round(performance.now() - began);
      const peak = (await memory(server.pid)).most;
      report.push({ name: server.name, before: before.now, peak, ms });
      process.stdout.write(`  ${server.name.padEnd(16)} before ${before.now} MB, at most ${peak} MB, ${ms} ms\n`);
    } finally {
      await server.stop();
    }
  }
  return report;
}

const action = (name, output_type, handler, args = []) => ({
  type: 'create_action',
  args: { name, definition: { kind: 'synchronous', type: 'query', arguments: args, output_type, handler } },
});
const fields = (types) => Object.entries(types).map(([name, type]) => ({ name, type }));
const toTable = (name, table, field_mapping) => ({ name, type: 'object', remote_table: table, field_mapping });

function define(url, endpoint) {
  const objects = [
    {
      name: 'Pick',
      fields: fields({ track_id: 'Int!', score: 'Float!', reason: 'String!' }),
      relationships: [toTable('track', 'track', { track_id: 'track_id' })],
    },
    { name: 'User', fields: fields({ id: 'Int!', name: 'String!', email: 'String!' }) },
    {
      name: 'Post',
      fields: fields({ id: 'Int!', userId: 'Int!', title: 'String!', body: 'String!' }),
      relationships: [
        toTable('person', 'person', { userId: 'id' }),
        { name: 'user', definition: { to_action: { action: 'user', arguments: { id: '$userId' }, batch: {} } } },
      ],
    },
    { name: 'Large', fields: fields({ id: 'Int!', words: 'String!' }) },
  ];
  return command(url, 'bulk', [
    trackTable('track'),
    trackTable('person'),
    { type: 'set_custom_types', args: { scalars: [], enums: [], input_objects: [], objects } },
    action('user', 'User', `${endpoint}/user`, [{ name: 'id', type: 'Int!' }]),
    action('picks', '[Pick!]!', `${endpoint}/picks`),
    action('posts', '[Post!]!', `${endpoint}/posts`),
    action('big', '[Large!]!', `${endpoint}/big`),
  ]);
}
