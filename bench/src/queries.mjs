// The nested query (album -> artist, tracks) and the lookup by primary key.
import { startDatabase } from './database.mjs';
import { compare } from './load.mjs';
import { startHandwritten, startJoinery, startPostGraphile } from './servers.mjs';

const nested = {
  joinery: `query Albums($id: Int!) {
    album(order_by: { album_id: asc }, offset: $id, limit: 5) {
      album_id title artist { artist_id name } tracks(order_by: { track_id: asc }) { track_id name milliseconds unit_price }
    }
  }`,
  postgraphile: `query Albums($id: Int!) {
    allAlbumsList(orderBy: ALBUM_ID_ASC, offset: $id, first: 5) {
      albumId title artistByArtistId { artistId name }
      tracksByAlbumIdList(orderBy: TRACK_ID_ASC) { trackId name milliseconds unitPrice }
    }
  }`,
};
const lookup = {
  joinery: 'query Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds unit_price } }',
};

const ids = (most) => Array.from({ length: 64 }, (_, n) => 1 + ((n * 37) % most));

export async function queries(settings) {
  const database = await startDatabase();
  const servers = [];
  try {
    const handwritten = await startHandwritten(database.url);
    servers.push(handwritten);
    const joinery = await startJoinery(database.url);
    servers.push(joinery);
    await track(joinery.url);
    const postgraphile = await startPostGraphile(database.url);
    servers.push(postgraphile);
    const report = { data: database.data, node: process.version, settings };
    report.nested = await suite('nested query', settings, [
      plain(handwritten, '/albums', 340),
      graphql(joinery, '/v1/graphql', nested.joinery, 340),
      graphql(postgraphile, '/graphql', nested.postgraphile, 340),
    ]);
    report.lookup = await suite('lookup by primary key', settings, [
      plain(handwritten, '/track', 3500),
      graphql(joinery, '/v1/graphql', lookup.joinery, 3500),
    ]);
    return report;
  } finally {
    for (const server of servers) await server.stop();
    await database.stop();
  }
}

const plain = (server, path, most) => ({
  name: server.name,
  url: server.url + path,
  bodies: ids(most).map((id) => JSON.stringify({ id })),
});

const graphql = (server, path, query, most) => ({
  name: server.name,
  url: server.url + path,
  bodies: ids(most).map((id) => JSON.stringify({ query, variables: { id } })),
});

async function suite(title, settings, contestants) {
  process.stdout.write(
    `\n${title}: ${settings.clients} clients, median of ${settings.rounds} alternating runs of ${settings.seconds} s\n`,
  );
  for (const { name, url, bodies } of contestants) await sample(name, url, bodies[0]);
  const rows = await compare(contestants, settings);
  process.stdout.write('  server          requests/s   p50 ms   p99 ms   ratio\n');
  for (const { name, perSecond, p50, p99, ratio } of rows) {
    process.stdout.write(
      `  ${name.padEnd(16)}${String(perSecond).padStart(9)}${String(p50).padStart(9)}${String(p99).padStart(9)}   ${ratio}\n`,
    );
  }
  return rows;
}

/** One answer of each, so that what is compared can be seen, and an error does not pass for speed. */
async function sample(name, url, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"'))
    throw new Error(`${name} answered ${response.status}: ${text.slice(0, 500)}`);
  process.stdout.write(`  ${name}: ${text.length} bytes, starts ${text.slice(0, 90)}\n`);
}

async function track(url) {
  const tables = ['artist', 'album', 'track'];
  const command = {
    type: 'bulk',
    args: [
      ...tables.map((name) => ({ type: 'track_table', args: { schema: 'public', name } })),
      {
        type: 'create_object_relationship',
        args: { table: 'album', name: 'artist', using: { foreign_key_constraint_on: 'artist_id' } },
      },
      {
        type: 'create_array_relationship',
        args: {
          table: 'album',
          name: 'tracks',
          using: { foreign_key_constraint_on: { table: 'track', column: 'album_id' } },
        },
      },
    ],
  };
  const response = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Service-Role': 'admin' },
    body: JSON.stringify(command),
  });
  if (!response.ok) throw new Error(`tracking the tables failed: ${await response.text()}`);
}
