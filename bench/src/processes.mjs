// Several processes against one, with the database on the same cores: the lookup by primary key and the nested query. Another
// single process shows how much of a difference is noise.
import { availableParallelism } from 'node:os';
import { trackMusic } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { graphql, ids, race } from './measure/race.mjs';
import { startJoinery, withServers } from './servers.mjs';

const lookup = 'query Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds unit_price } }';
const nested = `query Albums($id: Int!) {
  album(order_by: { album_id: asc }, offset: $id, limit: 5) {
    album_id title artist { artist_id name } tracks(order_by: { track_id: asc }) { track_id name milliseconds unit_price }
  }
}`;
const some = (most) => ids(most).map((id) => ({ id }));

/** The ratio below which several processes must never be. */
const BAR = 0.95;
/** As many connections for one process as for three. */
const POOL = { JOINERY_POOL_SIZE: '12' };

export async function processes(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const one = { ...(await start(startJoinery(database.url, POOL))), name: '1 process' };
    await trackMusic(one.url);
    const again = await start(startJoinery(database.url, POOL));
    await allReady(again.url);
    // The processor time is that of the supervisor, so that it is omitted.
    const two = { ...(await start(startJoinery(database.url, { ...POOL, JOINERY_PROCESSES: '2' }))), pid: undefined };
    await allReady(two.url);
    const run = (title, query, most, more = {}) =>
      race(
        title,
        { ...settings, ...more },
        [one, { ...again, name: '1, again' }, { ...two, name: '2 processes' }].map((server) =>
          graphql(server, '/v1/graphql', query, some(most)),
        ),
      );
    const results = {
      cores: availableParallelism(),
      lookup: await run('lookup by primary key', lookup, 3500),
      nested: await run('nested query', nested, 340),
      lookupByMany: await run('lookup by primary key', lookup, 3500, { clients: 200 }),
    };
    const bars = ['lookup', 'nested', 'lookupByMany'].map((name) => {
      const { ratio } = results[name].at(-1);
      return { what: `${name}: 2 processes against 1`, bar: `≥ ${BAR}`, measured: String(ratio), met: ratio >= BAR };
    });
    return { ...results, bars };
  });
}

async function allReady(url) {
  for (;;) {
    const { status } = await fetch(`${url}/readyz`);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
