/** Requests to every endpoint of docs/public/openapi.json, with the status that each has. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { TestService } from '../support/service/test-service.ts';

interface ExampleRequest {
  readonly operation: string;
  readonly name: string;
  readonly status: number;
  /** The path of the document unless given. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const secret = { 'x-service-admin-secret': 'hush' };
const json = { 'content-type': 'application/json' };
const admin = { ...secret, ...json };
const specified = { ...admin, accept: 'application/graphql-response+json' };
const query = JSON.stringify({ query: '{ note { id } }' });
const unknownField = JSON.stringify({ query: '{ missing }' });

/** A table, and REST endpoints of an operation that reads it. */
export async function prepare(service: TestService): Promise<void> {
  const run = async (path: string, type: string, args: unknown) =>
    expect(await service.post(path, { type, args }, secret)).toMatchObject({ status: 200 });
  await run('/v2/query', 'run_sql', { sql: 'create table note (id int primary key, body text)' });
  await run('/v1/metadata', 'pg_track_table', { table: 'note' });
  const operation = { name: 'notes', query: 'query ($id: Int) { note(where: { id: { _eq: $id } }) { id } }' };
  await run('/v1/metadata', 'create_query_collection', { name: 'rest', definition: { queries: [operation] } });
  await run('/v1/metadata', 'create_rest_endpoint', {
    name: 'notes',
    url: 'notes/:id',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    definition: { query: { collection_name: 'rest', query_name: 'notes' } },
  });
}

/** The name of a built file. */
function asset(folder: string, extension: string): string {
  const assets = fileURLToPath(new URL(`../../../${folder}/dist/assets/`, import.meta.url));
  const file = readdirSync(assets).find((name) => name.endsWith(extension));
  if (file === undefined) throw new Error(`${folder}/dist is not built: run "npm run build"`);
  return file;
}

export const examples: readonly ExampleRequest[] = [
  { operation: 'getGraphQL', name: 'a query', status: 200, path: '/v1/graphql?query={note{id}}', headers: secret },
  {
    operation: 'getGraphQL',
    name: 'a mutation',
    status: 405,
    path: '/v1/graphql?query=mutation{delete_note(where:{}){affected_rows}}',
    headers: specified,
  },
  { operation: 'postGraphQL', name: 'a query', status: 200, headers: admin, body: query },
  {
    operation: 'postGraphQL',
    name: 'a query, media type of the specification',
    status: 200,
    headers: specified,
    body: query,
  },
  { operation: 'postGraphQL', name: 'a batch', status: 200, headers: admin, body: `[${query},${query}]` },
  { operation: 'postGraphQL', name: 'an unknown field', status: 200, headers: admin, body: unknownField },
  {
    operation: 'postGraphQL',
    name: 'an unknown field, media type of the specification',
    status: 400,
    headers: specified,
    body: unknownField,
  },
  { operation: 'postGraphQL', name: 'no JSON', status: 400, headers: admin, body: '{' },
  {
    operation: 'postGraphQL',
    name: 'a form',
    status: 415,
    headers: { ...secret, 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x--',
  },
  { operation: 'postGraphQLWithStatus', name: 'a query', status: 200, headers: admin, body: query },
  { operation: 'postGraphQLWithStatus', name: 'an unknown field', status: 400, headers: admin, body: unknownField },
  {
    operation: 'postRelay',
    name: 'a query',
    status: 200,
    headers: admin,
    body: '{"query":"{ note_connection { edges { node { id } } } }"}',
  },
  { operation: 'explain', name: 'a query', status: 200, headers: admin, body: query },
  {
    operation: 'explain',
    name: 'another role',
    status: 400,
    headers: { ...specified, 'x-service-role': 'user' },
    body: query,
  },
  { operation: 'getRest', name: 'an endpoint', status: 200, path: '/api/rest/notes/1', headers: secret },
  { operation: 'getRest', name: 'an unknown endpoint', status: 404, path: '/api/rest/missing', headers: secret },
  { operation: 'postRest', name: 'an endpoint', status: 200, path: '/api/rest/notes/1', headers: admin, body: '{}' },
  { operation: 'putRest', name: 'an endpoint', status: 200, path: '/api/rest/notes/1', headers: admin, body: '{}' },
  { operation: 'patchRest', name: 'an endpoint', status: 200, path: '/api/rest/notes/1', headers: admin, body: '{}' },
  { operation: 'deleteRest', name: 'an endpoint', status: 200, path: '/api/rest/notes/1', headers: secret },
  { operation: 'describeRest', name: 'the document', status: 200, headers: secret },
  {
    operation: 'postMetadata',
    name: 'a command',
    status: 200,
    headers: admin,
    body: '{"type":"export_metadata","args":{}}',
  },
  {
    operation: 'postMetadata',
    name: 'another role',
    status: 400,
    headers: json,
    body: '{"type":"export_metadata","args":{}}',
  },
  {
    operation: 'postMetadata',
    name: 'a wrong secret',
    status: 401,
    headers: { ...json, 'x-service-admin-secret': 'x' },
    body: '{}',
  },
  {
    operation: 'postDataCommand',
    name: 'a command',
    status: 200,
    headers: admin,
    body: '{"type":"run_sql","args":{"sql":"select 1"}}',
  },
  {
    operation: 'postCommand',
    name: 'a command',
    status: 200,
    headers: admin,
    body: '{"type":"get_inconsistent_metadata","args":{}}',
  },
  { operation: 'importRows', name: 'a row', status: 200, headers: admin, body: '{"table":"note"}\n{"id":1}\n' },
  {
    operation: 'importRows',
    name: 'a row with progress',
    status: 200,
    headers: { ...admin, accept: 'application/x-ndjson' },
    body: '{"table":"note"}\n{"id":2}\n',
  },
  {
    operation: 'importRows',
    name: 'an unknown table',
    status: 400,
    headers: admin,
    body: '{"table":"missing"}\n{"id":1}\n',
  },
  {
    operation: 'pgDump',
    name: 'an option that is not permitted',
    status: 400,
    headers: admin,
    body: '{"opts":["--file=x"]}',
  },
  { operation: 'getConfig', name: 'the settings', status: 200, headers: secret },
  { operation: 'getConfigOfTools', name: 'another role', status: 400 },
  { operation: 'getHealth', name: 'a live process', status: 200 },
  { operation: 'getHealthOfHasura', name: 'a live process', status: 200 },
  { operation: 'getReadiness', name: 'a ready process', status: 200 },
  { operation: 'getVersion', name: 'the version', status: 200 },
  { operation: 'getMetrics', name: 'the metrics', status: 200 },
  { operation: 'getDocsStart', name: 'the start page', status: 302 },
  { operation: 'getDocs', name: 'a page', status: 200, path: '/docs/limits' },
  {
    operation: 'getDocs',
    name: 'its Markdown',
    status: 200,
    path: '/docs/limits',
    headers: { accept: 'text/markdown' },
  },
  { operation: 'getDocs', name: 'the OpenAPI document', status: 200, path: '/docs/openapi.json' },
  { operation: 'getDocs', name: 'an unknown page', status: 404, path: '/docs/missing' },
  { operation: 'getDocs', name: 'an unknown file', status: 404, path: '/docs/missing.md' },
  { operation: 'getDocsAsset', name: 'a script', status: 200, path: `/docs/assets/${asset('docs', '.js')}` },
  { operation: 'getDocsAsset', name: 'an unknown file', status: 404, path: '/docs/assets/missing.js' },
  { operation: 'getConsoleStart', name: 'the page', status: 200 },
  { operation: 'getConsole', name: 'a page', status: 200, path: '/console/data' },
  { operation: 'getConsole', name: 'an unknown file', status: 404, path: '/console/missing.js' },
  { operation: 'getConsoleAsset', name: 'a script', status: 200, path: `/console/assets/${asset('console', '.js')}` },
  { operation: 'getConsoleAsset', name: 'an unknown file', status: 404, path: '/console/assets/missing.js' },
  { operation: 'getConsoleConfig', name: 'the configuration', status: 200 },
  { operation: 'beginSignIn', name: 'a sign-in', status: 302 },
  {
    operation: 'finishSignIn',
    name: 'a sign-in that was not begun',
    status: 302,
    path: '/console/oidc/callback?code=x&state=y',
  },
  { operation: 'getSignIn', name: 'no session', status: 200 },
  { operation: 'signOut', name: 'a program', status: 403 },
];
