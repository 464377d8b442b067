/**
 * The examples of the documentation, run as they are printed against a service of their own for each page; the responses are
 * compared with those of the page. `JOINERY_UPDATE_EXAMPLES=1` writes the responses to the pages.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startService, type TestService } from '../support/service/test-service.ts';
import { type Example, examplesOf } from './page-examples.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const updates = process.env.JOINERY_UPDATE_EXAMPLES === '1';

const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, examples: examplesOf(readFileSync(folder + name, 'utf8')) }))
  .filter(({ examples }) => examples.some(({ kind }) => kind === 'sql' || kind === 'command'));

async function run(service: TestService, { kind, text, session, variables }: Example): Promise<unknown> {
  if (kind === 'sql')
    return service.command('run_sql', { source: 'default', sql: text, check_metadata_consistency: false });
  if (kind === 'command') return (await service.post('/v1/metadata', text, { 'x-service-role': 'admin' })).body;
  const headers = { 'x-service-role': 'admin', ...session };
  if (kind === 'graphql') return service.graphql(text, headers, variables);
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

/** An example without a response on its page succeeds. */
function shownAs({ text, response }: Example, actual: unknown): unknown {
  if (response !== undefined) return { example: text, response: actual };
  const failed = typeof actual === 'object' && actual !== null && ('error' in actual || 'errors' in actual);
  return { example: text, response: failed ? actual : 'success' };
}

function writeResponses(name: string, examples: readonly Example[], responses: readonly unknown[]): void {
  const lines = readFileSync(folder + name, 'utf8').split('\n');
  for (const [at, { responseLines }] of [...examples.entries()].reverse()) {
    if (responseLines === undefined) continue;
    const [first, last] = responseLines;
    lines.splice(first, last - first, ...layOut(responses[at]).split('\n'));
  }
  writeFileSync(folder + name, lines.join('\n'));
}

/** One line for what fits, otherwise one line for each member. */
function layOut(value: unknown, indent = ''): string {
  const short = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ') ?? 'null';
  if (indent.length + short.length <= 110 || typeof value !== 'object' || value === null) return short;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((one) => inner + layOut(one, inner))
    : Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${layOut(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

describe.each(pages)('the examples of docs/$name', ({ name, examples }) => {
  it('have the responses that the page shows', async () => {
    const service = await startService();
    const responses: unknown[] = [];
    try {
      for (const example of examples) responses.push(await run(service, example));
    } finally {
      await service.stop();
    }
    if (updates) writeResponses(name, examples, responses);
    const onPage = examplesOf(readFileSync(folder + name, 'utf8')).map(({ text, response }) => ({
      example: text,
      response: response === undefined ? 'success' : (JSON.parse(response) as unknown),
    }));
    expect(examples.map((example, at) => shownAs(example, responses[at]))).toEqual(onPage);
  });
});

it('are on the pages that describe the GraphQL API', () => {
  expect(pages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['model-data.md', 'queries.md', 'mutations.md', 'subscriptions.md']),
  );
});
