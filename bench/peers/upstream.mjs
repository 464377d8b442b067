// Shared by the hand-written servers: calls of the endpoint, and rows for keys.
import pg from 'pg';
import { Pool } from 'undici';

const endpoint = new Pool(process.env.ENDPOINT, { connections: 50 });

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  types: { getTypeParser: () => (text) => text },
});

export async function call(path, body) {
  const { body: result } = await endpoint.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return result.json();
}

const texts = {
  track: `
    select (select row_to_json(row) from (select t.track_id, t.name, t.milliseconds from track t where t.track_id = k.id) row)
    from unnest($1::int[]) with ordinality k (id, place) order by k.place`,
  person: `
    select (select row_to_json(row) from (select p.id, p.name, p.email from person p where p.id = k.id) row)
    from unnest($1::int[]) with ordinality k (id, place) order by k.place`,
};

/** Returns the JSON text of the row for each of `ids`, in their order; null for a missing row. */
export async function rowsFor(table, ids) {
  const { rows } = await pool.query({ name: table, text: texts[table], values: [ids], rowMode: 'array' });
  return rows.map(([text]) => text);
}
