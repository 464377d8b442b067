// The hand-written server of live queries: one statement a second for all subscribers, and changed results to each socket.
import { createServer } from 'node:http';
import pg from 'pg';
import { WebSocketServer } from 'ws';
import { listen } from './server.mjs';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  types: { getTypeParser: () => (text) => text },
});

const text = `
  select t.track_id, row_to_json(row)
  from track t, lateral (select t.track_id, t.name, t.milliseconds) row
  where t.track_id = any($1)`;

/** The sockets by the id that they subscribe to, with the last message of each. */
const watched = new Map();

const server = createServer();
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (message) => {
    const { type, id, payload } = JSON.parse(String(message));
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    if (type !== 'subscribe') return;
    const wanted = String(payload.variables.id);
    const listener = { socket, id, sent: undefined };
    watched.set(wanted, [...(watched.get(wanted) ?? []), listener]);
    socket.once('close', () => watched.delete(wanted));
  });
});

let polling = false;

setInterval(async () => {
  if (watched.size === 0 || polling) return;
  polling = true;
  try {
    const { rows } = await pool.query({
      name: 'live',
      text,
      values: [[...watched.keys()].map(Number)],
      rowMode: 'array',
    });
    for (const [id, row] of rows) {
      for (const listener of watched.get(id) ?? []) {
        if (listener.sent === row) continue;
        listener.sent = row;
        listener.socket.send(`{"id":"${listener.id}","type":"next","payload":{"data":{"track_by_pk":${row}}}}`);
      }
    }
  } finally {
    polling = false;
  }
}, 1000);

listen(server);
