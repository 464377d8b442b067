// The nested query (album -> artist, tracks) and the lookup by primary key.
import { trackMusic } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { graphql, ids, plain, race } from './measure/race.mjs';
import { startHandwritten, startPostGraphile, startServices, withServers } from './servers.mjs';

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
  postgraphile: 'query Track($id: Int!) { trackByTrackId(trackId: $id) { trackId name milliseconds unitPrice } }',
};

const some = (most) => ids(most).map((id) => ({ id }));

export async function queries(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const handwritten = await start(startHandwritten(database.url));
    const services = await startServices(start, database, settings, trackMusic);
    const postgraphile = await start(startPostGraphile(database.url));
    return {
      data: database.data,
      nested: await race('nested query', settings, [
        plain(handwritten, '/albums', some(340)),
        ...services.map((service) => graphql(service, '/v1/graphql', nested.joinery, some(340))),
        graphql(postgraphile, '/graphql', nested.postgraphile, some(340)),
      ]),
      lookup: await race('lookup by primary key', settings, [
        plain(handwritten, '/track', some(3500)),
        ...services.map((service) => graphql(service, '/v1/graphql', lookup.joinery, some(3500))),
        graphql(postgraphile, '/graphql', lookup.postgraphile, some(3500)),
      ]),
    };
  });
}
