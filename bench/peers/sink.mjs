// The webhook that events and jobs call. It notes when each call came, and returns all times at the end.
import { createServer } from 'node:http';

let offset = Number.NEGATIVE_INFINITY;

/**
 * Milliseconds since 1970 with their fractions. `Date.now` cuts them off, so the most that it was seen ahead of the
 * monotonic clock is what lies between the two; it has the last word on the whole milliseconds, as it may be adjusted.
 */
function now() {
  const wall = Date.now();
  const monotonic = performance.now();
  offset = Math.max(offset, wall - monotonic);
  return Math.min(Math.max(wall, offset + monotonic), wall + 1);
}

/** Long enough to see the wall clock turn over a few times. */
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

/** Forgets what was, and makes room for `count` numbers from 1. */
function reset(count) {
  most = count;
  seen = new Uint8Array(count + 1);
  due = new Float64Array(count + 1);
  came = new Float64Array(count + 1);
  calls = 0;
  different = 0;
  compareClocks();
}

/** `n` is the number of the event; `at`, where it is given, the moment that it is due, in whole milliseconds. */
function note(body, moment) {
  const found = /"n":(\d+)(?:,"at":(\d+))?/.exec(body);
  const n = Number(found?.[1] ?? 0);
  if (n < 1 || n > most) return;
  calls += 1;
  if (seen[n] === 1) return;
  seen[n] = 1;
  different += 1;
  due[n] = Number(found[2] ?? 0);
  came[n] = moment;
}

/** `first` and `last` are moments, once all have come; `times` has the pair of due and came of each event. */
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
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.on('SIGTERM', () => process.exit(0));
