// Compares contestants on one task: prints a response of each, then runs them in turn.
import { compare } from './load.mjs';

/** Returns 64 numbers spread over the range from 1 to `most`. */
export const ids = (most) => Array.from({ length: 64 }, (_, n) => 1 + ((n * 37) % most));

/** Returns a contestant with a REST endpoint. `bodies` are objects. */
export const plain = (server, path, bodies) => ({
  name: server.name,
  pid: server.pid,
  url: server.url + path,
  bodies: bodies.map((body) => JSON.stringify(body)),
});

/** Returns a contestant with a GraphQL endpoint. `bodies` are variables. */
export const graphql = (server, path, query, bodies) =>
  plain(
    server,
    path,
    bodies.map((variables) => ({ query, variables })),
  );

/** Resolves with a row for each contestant. Throws when one of them responds with an error. */
export async function race(title, settings, contestants) {
  process.stdout.write(
    `\n${title}: ${settings.clients} clients, median of ${settings.rounds} alternating runs of ${settings.seconds} s\n`,
  );
  for (const { name, url, bodies } of contestants) await sample(name, url, bodies[0]);
  const rows = await compare(contestants, settings);
  process.stdout.write('  server          requests/s   p50 ms   p99 ms   CPU us   ratio\n');
  for (const { name, perSecond, p50, p99, cpu, ratio, ratios } of rows) {
    const columns = [
      String(perSecond).padStart(9),
      ...[p50, p99, cpu ?? '-'].map((value) => String(value).padStart(9)),
    ];
    process.stdout.write(
      `  ${name.padEnd(16)}${columns.join('')}   ${ratio} (${Math.min(...ratios)} to ${Math.max(...ratios)})\n`,
    );
  }
  return rows;
}

/** Prints a response of a contestant. Throws for an error, so that errors are not measured. */
async function sample(name, url, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) {
    throw new Error(
      `${name} returned ${response.status}: ${text.slice(Math.max(0, text.indexOf('"errors"'))).slice(0, 500)}`,
    );
  }
  process.stdout.write(`  ${name}: ${text.length} bytes, starts ${text.slice(0, 90)}\n`);
}
