// The webhook that events and jobs call. It stores the time of each call, and returns all times at the end.
import { createServer } from 'node:http';
import { listen } from './server.mjs';

let offset = Number.NEGATIVE_INFINITY;

/**
 * Returns milliseconds since 1970 with fractions. `Date.now` has none, so the greatest difference seen between it and the
 * monotonic clock is the offset of the two. Its whole milliseconds win, because the system may adjust it.
 */
function now() {
  const wall = Date.now();
  const monotonic = performance.now();
  offset = Math.max(offset, wall - monotonic);
  return Math.min(Math.max(wall, offset + monotonic), wall + 1);
}

/** Compares the clocks for long enough to see several milliseconds begin. */
function compareClocks() {
  offset = Number.NEGATIVE_INFINITY;
  for (const end = performance.now() + 5; performance.now() < end; ) now();
}

let most = 0;
let seen = new Uint8Array(0);
let due = new Float64Array(0);
let came = new Float64Array(0);
let calls = 0;
let different = 0;

/** Deletes all times, and makes room for `count` events, numbered from 1. */
function reset(count) {
  most = count;
  seen = new Uint8Array(count + 1);
  due = new Float64Array(count + 1);
  came = new Float64Array(count + 1);
  calls = 0;
  different = 0;
  compareClocks();
}

/** Stores the time of a call. The body has the number `n` of the event, and may have its scheduled time `at` in whole milliseconds. */
function note(body, moment) {
  const found = /"n":(\d+)/.exec(body);
  const n = Number(found?.[1] ?? 0);
  if (n < 1 || n > most) return;
  calls += 1;
  if (seen[n] === 1) return;
  seen[n] = 1;
  different += 1;
  due[n] = Number(/"at":(\d+)/.exec(body)?.[1] ?? 0);
  came[n] = moment;
}

/** `first` and `last` are times, null before all calls have arrived; `times` has the scheduled time and the arrival of each event. */
function counts(withTimes) {
  const done = different === most;
  return {
    calls,
    different,
    first: done ? came.subarray(1).reduce((a, b) => Math.min(a, b)) : null,
    last: done ? came.subarray(1).reduce((a, b) => Math.max(a, b)) : null,
    ...(withTimes && { times: Array.from(due, (at, n) => [at, came[n]]).filter(([, moment]) => moment > 0) }),
  };
}

const server = createServer((request, response) => {
  const moment = now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/') {
      note(Buffer.concat(chunks).toString('latin1'), moment);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 11 }).end('{"ok":true}');
    } else if (request.url === '/counts' || request.url === '/times') {
      response.end(JSON.stringify(counts(request.url === '/times')));
    } else {
      reset(Number(request.url.slice('/reset/'.length)));
      response.end('{}');
    }
  });
});
server.keepAliveTimeout = 60_000;
listen(server);
