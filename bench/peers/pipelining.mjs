// The hand-written server of queries and mutations with a driver that pipelines: node:http, postgres.js, one prepared statement
// for each endpoint.
import postgres from 'postgres';
import { serve } from './statements.mjs';

const unparsed = (text) => text;

const sql = postgres(process.env.DATABASE_URL, {
  max: Number(process.env.CONNECTIONS),
  // The JSON of the database is sent unparsed.
  types: {
    json: { to: 114, from: [114], serialize: unparsed, parse: unparsed },
    jsonb: { to: 3802, from: [3802], serialize: unparsed, parse: unparsed },
  },
});

serve(async ({ text }, values) => {
  const [row] = await sql.unsafe(text, values, { prepare: true });
  return row?.data;
});
