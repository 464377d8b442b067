// The nested query (album -> artist, tracks) and the lookup by primary key, with few and with many clients.
import { trackMusic } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { graphql, ids, plain, race } from './measure/race.mjs';
import {
  startHandwritten,
  startJoinery,
  startPipelining,
  startPostGraphile,
  startServices,
  withServers,
} from './servers.mjs';

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

/** Clients of the runs with many. */
const MANY = 200;

export async function queries(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const handwritten = await start(startHandwritten(database.url));
    const pipelining = await start(startPipelining(database.url));
    const services = await startServices(start, database, settings, trackMusic);
    // A second node on the same database, with the same metadata.
    const unmerged = await start(startJoinery(database.url, { JOINERY_MERGE_READS: 'off' }));
    const own = [...services, { ...unmerged, name: 'merging off' }];
    const postgraphile = settings.short ? undefined : await start(startPostGraphile(database.url));
    const contestants = (path, { joinery: ours, postgraphile: theirs }, most) => [
      plain(handwritten, path, some(most)),
      plain(pipelining, path, some(most)),
      ...own.map((service) => graphql(service, '/v1/graphql', ours, some(most))),
      ...(postgraphile === undefined ? [] : [graphql(postgraphile, '/graphql', theirs, some(most))]),
    ];
    const many = { ...settings, clients: MANY };
    return {
      data: database.data,
      nested: await race('nested query', settings, contestants('/albums', nested, 340)),
      lookup: await race('lookup by primary key', settings, contestants('/track', lookup, 3500)),
      nestedByMany: await race('nested query', many, contestants('/albums', nested, 340)),
      lookupByMany: await race('lookup by primary key', many, contestants('/track', lookup, 3500)),
    };
  });
}
