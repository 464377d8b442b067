// An insert of one row, and an update by primary key.
import { trackMusic } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { graphql, ids, plain, race } from './measure/race.mjs';
import { startHandwritten, startJoinery, startPostGraphile, startServices, withServers } from './servers.mjs';

const insert = {
  joinery: `mutation Insert($id: Int!, $words: String!) {
    insert_remark_one(object: { track_id: $id, words: $words }) { remark_id track_id words }
  }`,
  postgraphile: `mutation Insert($id: Int!, $words: String!) {
    createRemark(input: { remark: { trackId: $id, words: $words } }) { remark { remarkId trackId words } }
  }`,
};
const update = {
  joinery: `mutation Update($id: Int!, $milliseconds: Int!) {
    update_track_by_pk(pk_columns: { track_id: $id }, _set: { milliseconds: $milliseconds }) { track_id name milliseconds }
  }`,
  postgraphile: `mutation Update($id: Int!, $milliseconds: Int!) {
    updateTrackByTrackId(input: { trackId: $id, trackPatch: { milliseconds: $milliseconds } }) {
      track { trackId name milliseconds }
    }
  }`,
};

export async function mutations(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const handwritten = await start(startHandwritten(database.url));
    const services = await startServices(start, database, settings, trackMusic);
    // A mutation has a connection until the disk confirms its commit, so their number limits the rate. The hand-written server
    // has 10; a role of the service has 8 of 10, unless it may use all of them.
    const unlimited = await start(startJoinery(database.url, { JOINERY_POOL_ROLE_SHARE: '100' }));
    services.push({ ...unlimited, name: 'joinery, all 10' });
    const postgraphile = settings.short ? undefined : await start(startPostGraphile(database.url));
    const contestants = (path, { joinery: ours, postgraphile: theirs }, bodies) => [
      plain(handwritten, path, bodies),
      ...services.map((service) => graphql(service, '/v1/graphql', ours, bodies)),
      ...(postgraphile === undefined ? [] : [graphql(postgraphile, '/graphql', theirs, bodies)]),
    ];
    const remarks = ids(3500).map((id) => ({ id, words: `a remark about track ${id}` }));
    const changes = ids(3500).map((id, n) => ({ id, milliseconds: 200_000 + n }));
    return {
      data: database.data,
      insert: await race('insert of one row', settings, contestants('/remark', insert, remarks)),
      update: await race('update by primary key', settings, contestants('/change', update, changes)),
    };
  });
}
