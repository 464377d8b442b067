/**
 * Histories of two nodes with little memory that get requests that need much of it: the one whose limits fit its memory rejects them, and
 * the other one ends and is started again as by a supervisor.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type BuiltService, startBuiltService } from '../support/service/built-service.ts';
import { until } from '../support/until.ts';
import { type History, listsSql, recordHistory, scale } from './history.ts';
import { testHistory } from './history-rules.ts';

const OPERATIONS = 40;
/** Megabytes of the heap: enough to start, and less than the results of all requests. */
const HEAP_MB = 96;
const TIMEOUT_MS = 5_000;
/** Concurrent requests for results of 20 MB. */
const REQUESTS = 16;

const large = `create table large (id int primary key, text text);
  insert into large select n, repeat(md5(n::text), 640) from generate_series(1, 1000) n;`;

let database: TestDatabase | undefined;
const nodes: BuiltService[] = [];
let history: History;
/** The codes of failed requests to the node with limits. */
const codes = new Set<string>();
let ends = 0;
let limitedEnded = false;

/** Requests more than fits into memory. Each request has a large result, or is large itself. Returns the codes of errors. */
async function overload(url: string): Promise<readonly string[]> {
  const strings = Array.from({ length: 200_000 }, (_, index) => `"${index}"`).join(',');
  const queries = ['{ large { id text } }', `{ large(where: {text: {_in: [${strings}]}}) { id } }`];
  const requests = Array.from({ length: REQUESTS }, async (_, index): Promise<string> => {
    try {
      const body = JSON.stringify({ query: queries[index % queries.length] });
      const response = await fetch(`${url}/v1/graphql`, { method: 'POST', body });
      const { errors } = (await response.json()) as { errors?: readonly { extensions: { code: string } }[] };
      return errors?.[0]?.extensions.code ?? '';
    } catch {
      return '';
    }
  });
  return (await Promise.all(requests)).filter((code) => code !== '');
}

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: listsSql + large });
  const environment = { JOINERY_DATABASE_URL: database.url };
  const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const limits = { JOINERY_MAX_BODY_BYTES: '500000', JOINERY_MAX_RESULT_BYTES: '1000000' };
  const started = await Promise.all([
    startBuiltService({ ...environment, ...heap }),
    startBuiltService({ ...environment, ...heap, ...limits }),
  ]);
  nodes.push(...started);
  const [small, limited] = started;
  history = await recordHistory({
    database: database.database,
    nodes,
    timeoutMs: TIMEOUT_MS,
    disturb: async ({ operations, served }) => {
      await small.command('pg_track_table', { table: 'large' });
      await until('both nodes serve the table', async () => {
        const bodies = await Promise.all(
          nodes.map(({ url }) =>
            fetch(`${url}/v1/graphql`, { method: 'POST', body: '{"query":"{ large(limit: 1) { id } }"}' }),
          ),
        );
        return (await Promise.all(bodies.map((body) => body.text()))).every((text) => text.includes('data'));
      });
      for (let done = 0; done < scale; done++) {
        for (const code of await overload(limited.url)) codes.add(code);
        await until('the node without limits ends', async () => {
          await overload(small.url);
          return small.ended();
        });
        ends += 1;
        await operations(OPERATIONS);
        await small.start();
        await served();
      }
      limitedEnded = limited.ended();
    },
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  });
}, 300_000);
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await database?.drop();
});

testHistory(() => history);

test('the node whose limits fit its memory rejects requests and does not end', () => {
  // Of bodies that are too large, the connection may be closed before the response is read.
  expect([...codes].filter((code) => code !== 'payload-too-large')).toEqual(['result-limit-exceeded']);
  expect(limitedEnded).toBe(false);
});

test('the other node has ended', () => {
  expect(ends).toBe(scale);
});
