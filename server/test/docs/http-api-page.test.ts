/**
 * docs/public/openapi.json has the endpoints of the service, and docs/http-api.md has the endpoints of that document.
 * `JOINERY_UPDATE_EXAMPLES=1` writes the page.
 */
import diagnostics from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/http/free-port.ts';
import { type OidcProvider, oidcClient, startOidcProvider } from '../support/http/oidc-provider.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { examples, prepare } from './http-api-requests.ts';
import { endpointSections, endpointsOf, type OpenApi, resolved, schemaSections } from './open-api-page.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const document = JSON.parse(readFileSync(`${docs}public/openapi.json`, 'utf8')) as OpenApi;

let provider: OidcProvider;
let service: TestService;
/** "METHOD /path" of each route that the service has registered. */
const routes = new Set<string>();

/** Fastify publishes each server before its routes are registered. */
function record(message: unknown): void {
  const { fastify } = message as { readonly fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url }) => {
    // Every GET route has one for HEAD, and one for OPTIONS responds to preflight requests.
    for (const one of [method].flat()) if (!['HEAD', 'OPTIONS'].includes(one)) routes.add(`${one} ${url}`);
  });
}

beforeAll(async () => {
  provider = await startOidcProvider();
  const port = await freePort();
  diagnostics.subscribe('fastify.initialization', record);
  service = await startService({
    JOINERY_PORT: `${port}`,
    JOINERY_ADMIN_SECRET: 'hush',
    JOINERY_UNAUTHORIZED_ROLE: 'anonymous',
    JOINERY_CONSOLE_OIDC_ISSUER: provider.issuer,
    JOINERY_CONSOLE_OIDC_CLIENT_ID: oidcClient.id,
    JOINERY_CONSOLE_OIDC_CLIENT_SECRET: oidcClient.secret,
    JOINERY_CONSOLE_OIDC_REDIRECT_URL: `http://127.0.0.1:${port}/console/oidc/callback`,
    JOINERY_CONSOLE_OIDC_ALLOWED: 'ada@example.com',
  }).finally(() => diagnostics.unsubscribe('fastify.initialization', record));
  await prepare(service);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
});

it('docs/public/openapi.json is a valid OpenAPI 3.1 document', async () => {
  expect(await new Validator().validate(readFileSync(`${docs}public/openapi.json`, 'utf8'))).toEqual({ valid: true });
});

it('docs/public/openapi.json has every route of the service and no other', () => {
  const documented = endpointsOf(document).map(({ method, path }) => `${method} ${path.replace('{path}', '*')}`);
  expect(documented.sort()).toEqual([...routes].sort());
});

it('docs/http-api.md has the endpoints of docs/public/openapi.json', () => {
  const page = readFileSync(`${docs}http-api.md`, 'utf8');
  const [head = ''] = page.split(/^## GraphQL$/m);
  const generated = `${head.trimEnd()}\n\n${endpointSections(document)}\n\n${schemaSections(document)}\n`;
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(`${docs}http-api.md`, generated);
  expect(readFileSync(`${docs}http-api.md`, 'utf8')).toBe(generated);
});

it('every endpoint has a request that this test sends', () => {
  const requested = new Set(examples.map(({ operation }) => operation));
  expect(endpointsOf(document).filter(({ operation }) => !requested.has(operation.operationId))).toEqual([]);
});

it.each(examples)('the response of $operation ($name) is the one of the document', async (example) => {
  const endpoint = endpointsOf(document).find(({ operation }) => operation.operationId === example.operation);
  if (endpoint === undefined) throw new Error(`the document has no operation ${example.operation}`);
  const response = await fetch(service.url + (example.path ?? endpoint.path), {
    method: endpoint.method,
    redirect: 'manual',
    headers: example.headers ?? {},
    ...(example.body !== undefined && { body: example.body }),
  });
  const { responses } = endpoint.operation;
  const given = responses[`${response.status}`] ?? responses[`${`${response.status}`[0]}XX`];
  if (given === undefined) throw new Error(`the document has no status ${response.status} of ${example.operation}`);
  const { content, headers = {} } = resolved(document, given);
  const type = response.headers.get('content-type')?.split(';')[0];
  const text = await response.text();
  expect({
    status: response.status,
    type: text === '' ? undefined : type,
    missing: Object.entries(headers).filter(
      ([name, header]) => resolved(document, header).required === true && !response.headers.has(name),
    ),
    errors: type !== undefined && /[/+]json$/.test(type) ? schemaErrors(content?.[type]?.schema, text) : null,
  }).toEqual({
    status: example.status,
    type: content === undefined ? undefined : Object.keys(content).find((one) => one === type),
    missing: [],
    errors: null,
  });
});

/** The errors of a JSON body by its schema; null if there are none. */
function schemaErrors(schema: object | undefined, text: string): unknown {
  if (schema === undefined) return null;
  const ajv = new Ajv2020({ strict: false });
  const validate = ajv.compile({ ...schema, components: document.components });
  validate(JSON.parse(text));
  return validate.errors ?? null;
}
