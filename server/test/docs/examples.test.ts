/**
 * The examples of the documentation, run as they are printed against a service of their own for each page; the responses are
 * compared with those of the page. `JOINERY_UPDATE_EXAMPLES=1` writes the responses to the pages.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pooled } from '../support/database/pooler.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { createExampleIds, layOut, shapeOf, withoutIds } from './example-responses.ts';
import { type ExampleServers, startExampleServers } from './example-servers.ts';
import { fixtures, type Step } from './examples/fixtures.ts';
import { parts } from './examples/parts.ts';
import { type Example, examplesOf } from './page-examples.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const updates = process.env.JOINERY_UPDATE_EXAMPLES === '1';

const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, examples: examplesOf(readFileSync(folder + name, 'utf8')) }))
  .filter(({ examples }) => examples.length > 0);

interface Running {
  readonly service: TestService;
  readonly servers: ExampleServers;
  readonly page: string;
}

async function run({ service, servers, page }: Running, example: Example): Promise<unknown> {
  const { kind, text, endpoint, session, variables, part } = example;
  if (kind === 'received') {
    if (part !== undefined) await runPart(service, `${page}:${part}`, text);
    return servers.received(endpoint);
  }
  if (kind === 'script') return outputOf(text, service.url);
  if (kind === 'part') return runPart(service, `${page}:${part}`, text);
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

/** Runs commands of a shell with the address of the service. The output is JSON. */
async function outputOf(script: string, url: string): Promise<unknown> {
  const moved = script.replaceAll(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):8080/g, url);
  const { stdout } = await promisify(execFile)('bash', ['-ec', moved], { env: { ...process.env, SECRET: 'secret' } });
  return JSON.parse(stdout) as unknown;
}

async function runStep(service: TestService, step: Step): Promise<unknown> {
  if ('type' in step) return service.command(step.type, step.args);
  const { body } = await service.post(step.endpoint ?? '/v1/graphql', { query: step.query }, step.session);
  if (typeof body === 'object' && body !== null && 'errors' in body) throw new Error(JSON.stringify(body));
  return body;
}

/** Sends the commands that complete a part of a request, and returns the last response. */
async function runPart(service: TestService, name: string, text: string): Promise<unknown> {
  const complete = parts[name];
  if (complete === undefined) throw new Error(`examples/parts.ts does not complete "${name}"`);
  let response: unknown;
  for (const step of complete(text)) response = await runStep(service, step);
  return response;
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
    const { environment = {}, sql, commands = [] } = fixtures[name] ?? {};
    const settings = {
      SHOP_DATABASE_URL: pooled(database.url),
      SHOP_REPLICA_URL: pooled(database.url),
      REPORTS_DATABASE_URL: pooled(database.url),
      JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: String(name === 'commands-remote-schemas.md'),
      JOINERY_APOLLO_FEDERATION: String(['federation.md', 'graphql-reference.md'].includes(name)),
      ...environment,
    };
    const service = await startService({ ...servers.environment, ...settings }, database);
    const ids = createExampleIds();
    const responses: unknown[] = [];
    const running = { service, servers, page: name };
    try {
      if (sql !== undefined) await service.command('run_sql', { sql });
      for (const { type, args } of commands) await service.command(type, args);
      for (const example of examples) {
        const response = JSON.stringify((await run(running, { ...example, text: ids.ofRun(example.text) })) ?? null);
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
