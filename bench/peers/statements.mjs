// What both hand-written servers share: a statement for each endpoint that builds the JSON, and the HTTP server.
import { createServer } from 'node:http';
import { listen, send } from './server.mjs';

const statements = {
  '/albums': {
    name: 'albums',
    text: `
      select coalesce(json_agg(row), '[]') as data
      from (
        select a.album_id, a.title,
          (select row_to_json(o) from (select r.artist_id, r.name from artist r where r.artist_id = a.artist_id) o) as artist,
          (select coalesce(json_agg(l), '[]')
            from (select t.track_id, t.name, t.milliseconds, t.unit_price from track t where t.album_id = a.album_id order by t.track_id) l
          ) as tracks
        from (select * from album order by album_id limit 5 offset $1) a
        order by a.album_id
      ) row`,
    field: 'album',
  },
  '/track': {
    name: 'track',
    text: `
      select row_to_json(row) as data
      from (select t.track_id, t.name, t.milliseconds, t.unit_price from track t where t.track_id = $1) row`,
    field: 'track_by_pk',
  },
  '/remark': {
    name: 'remark',
    text: `
      with new as (insert into remark (track_id, words) values ($1, $2) returning remark_id, track_id, words)
      select row_to_json(new) as data from new`,
    field: 'insert_remark_one',
  },
  '/change': {
    name: 'change',
    text: `
      with new as (update track set milliseconds = $2 where track_id = $1 returning track_id, name, milliseconds)
      select row_to_json(new) as data from new`,
    field: 'update_track_by_pk',
  },
};

/** Serves the statements. `query` runs one and resolves with the JSON of its only value, or undefined without a row. */
export function serve(query) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        const statement = statements[request.url];
        const values = Object.values(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        const data = await query(statement, values);
        const body = `{"data":{"${statement.field}":${data ?? null}}}`;
        send(response, body);
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    });
  });
  listen(server);
}
