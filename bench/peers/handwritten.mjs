// The hand-written server of queries and mutations: node:http, pg, one prepared statement for each endpoint.
import pg from 'pg';
import { serve } from './statements.mjs';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  // The JSON of the database is sent unparsed.
  types: { getTypeParser: () => (text) => text },
});

serve(async ({ name, text }, values) => {
  const { rows } = await pool.query({ name, text, values });
  return rows[0]?.data;
});
