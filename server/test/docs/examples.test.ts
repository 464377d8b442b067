/**
 * The examples of the documentation, run as they are printed against a service of their own for each page; the responses are
 * compared with those of the page. `JOINERY_UPDATE_EXAMPLES=1` writes the responses to the pages.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pooled } from '../support/database/pooler.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { createExampleIds, layOut, shapeOf, withoutIds } from './example-responses.ts';
import { startExampleServers } from './example-servers.ts';
import { type Example, examplesOf } from './page-examples.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const updates = process.env.JOINERY_UPDATE_EXAMPLES === '1';

const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, examples: examplesOf(readFileSync(folder + name, 'utf8')) }))
  .filter(({ examples }) => examples.some(({ kind }) => kind === 'sql' || kind === 'command'));

async function run(service: TestService, { kind, text, endpoint, session, variables }: Example): Promise<unknown> {
  if (kind === 'sql')
    return service.command('run_sql', { source: 'default', sql: text, check_metadata_consistency: false });
  if (kind === 'command') return (await service.post(endpoint, text, { 'x-service-role': 'admin' })).body;
  const headers = { 'x-service-role': 'admin', ...session };
  if (kind === 'graphql') return (await service.post(endpoint, { query: text, variables }, headers)).body;
  const client = createClient({
    url: `${service.url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers },
  });
  try {
    for await (const result of client.iterate({ query: text, variables: variables as Record<string, unknown> }))
      return result;
    return undefined;
  } finally {
    await client.dispose();
  }
}

/** What is compared of a response; an example without a response on its page succeeds. */
function compared({ text, response, isShape }: Example, value: unknown): unknown {
  if (response === undefined) {
    const failed = typeof value === 'object' && value !== null && ('error' in value || 'errors' in value);
    return { example: text, response: failed ? value : 'success' };
  }
  return { example: text, response: isShape ? shapeOf(value) : withoutIds(value) };
}

function onPage(example: Example): unknown {
  return compared(example, example.response === undefined ? undefined : (JSON.parse(example.response) as unknown));
}

/** Leaves responses as they are that differ by ids and times only. */
function writeResponses(name: string, examples: readonly Example[], responses: readonly unknown[]): void {
  const lines = readFileSync(folder + name, 'utf8').split('\n');
  for (const [at, example] of [...examples.entries()].reverse()) {
    if (example.responseLines === undefined) continue;
    if (JSON.stringify(onPage(example)) === JSON.stringify(compared(example, responses[at]))) continue;
    const [first, last] = example.responseLines;
    lines.splice(first, last - first, ...layOut(responses[at]).split('\n'));
  }
  writeFileSync(folder + name, lines.join('\n'));
}

describe.each(pages)('the examples of docs/$name', ({ name, examples }) => {
  it('have the responses that the page shows', async () => {
    const servers = await startExampleServers();
    const database = await testDatabase();
    const settings = {
      REPORTS_DATABASE_URL: pooled(database.url),
      JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: String(name === 'commands-remote-schemas.md'),
      JOINERY_APOLLO_FEDERATION: String(['federation.md', 'graphql-reference.md'].includes(name)),
    };
    const service = await startService({ ...servers.environment, ...settings }, database);
    const ids = createExampleIds();
    const responses: unknown[] = [];
    try {
      for (const example of examples) {
        const response = JSON.stringify((await run(service, { ...example, text: ids.ofRun(example.text) })) ?? null);
        ids.learn(updates ? undefined : example.response, response);
        responses.push(JSON.parse(ids.ofPage(response)));
      }
    } finally {
      await service.stop();
      await servers.stop();
      await database.drop();
    }
    if (updates) writeResponses(name, examples, responses);
    const printed = examplesOf(readFileSync(folder + name, 'utf8'));
    expect(examples.map((example, at) => compared(example, responses[at]))).toEqual(printed.map(onPage));
  });
});

it('are on the pages that describe the GraphQL API', () => {
  expect(pages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['model-data.md', 'queries.md', 'mutations.md', 'subscriptions.md']),
  );
});
