/** The endpoints of the MCP server: their bodies, origins, authentication and scopes. */
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../support/http/raw-request.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectMcp } from './mcp-client.ts';

const secret = 'the admin secret of tests';
const key = 'a shared key of at least 32 bytes, for tests';
const issuer = 'https://issuer.example.com/';

let service: TestService;

beforeAll(async () => {
  service = await startService({
    JOINERY_ENABLE_MCP: 'true',
    JOINERY_MCP_SCOPES: 'metadata:read,docs:read',
    JOINERY_PUBLIC_URL: 'https://data.example.com',
    JOINERY_ADMIN_SECRET: secret,
    JOINERY_MAX_BODY_BYTES: '5000',
    JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key, issuer, audience: 'https://data.example.com/mcp' }),
  });
});

afterAll(() => service?.stop());

function token(
  claims: Readonly<Record<string, unknown>> = {},
  audience = 'https://data.example.com/mcp',
): Promise<string> {
  const roles = { 'x-service-allowed-roles': ['user', 'admin'], 'x-service-default-role': 'user' };
  return new SignJWT({ 'https://hasura.io/jwt/claims': roles, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(key));
}

const asAdmin = { 'x-service-admin-secret': secret };
const accept = { accept: 'application/json, text/event-stream' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function call(name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

async function post(body: unknown, headers: Readonly<Record<string, string>> = asAdmin, path = '/mcp') {
  return service.post(path, body, { ...accept, ...headers });
}

/** Sends headers that `fetch` does not permit, such as Host. */
async function statusOf(headers: Readonly<Record<string, string>>): Promise<number> {
  const all = { 'content-type': 'application/json', ...accept, ...asAdmin, ...headers };
  return (await sendRaw(`${service.url}/mcp`, { headers: all, body: JSON.stringify(list) })).status;
}

describe('a body', () => {
  it('that is not JSON is a parse error of JSON-RPC', async () => {
    expect(await post('{"jsonrpc":')).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
  });

  it('that is no message is an error of JSON-RPC', async () => {
    expect(await post({ hello: 1 })).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
  });

  it('that is a batch is rejected', async () => {
    expect(await post([list, list])).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('with an unknown method is an error of JSON-RPC', async () => {
    expect(await post({ ...list, method: 'other' })).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
  });

  it('beyond the limit is rejected with 413', async () => {
    const large = call('run_operation', { query: 'x'.repeat(6_000) });
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'payload-too-large' } });
  });
});

it('rejects GET, because there are no sessions', async () => {
  const response = await fetch(`${service.url}/mcp`, { headers: { accept: 'text/event-stream', ...asAdmin } });
  expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
});

describe('a web page', () => {
  it('of another origin is rejected, although CORS permits every origin', async () => {
    expect(await statusOf({ origin: 'https://evil.example.com' })).toBe(403);
  });

  it('of the own origin under a name that is not known is rejected, as after DNS rebinding', async () => {
    expect(await statusOf({ origin: 'http://evil.example.com', host: 'evil.example.com' })).toBe(403);
  });

  it('of the own origin on loopback is accepted', async () => {
    expect(await statusOf({ origin: service.url })).toBe(200);
  });

  it('of the public address is accepted', async () => {
    expect(await statusOf({ origin: 'https://data.example.com', host: 'data.example.com' })).toBe(200);
  });
});

describe('a request without authentication', () => {
  it('gets 401 with the address of the metadata', async () => {
    const { status, headers } = await post(list, {});
    expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
      status: 401,
      challenge: 'Bearer resource_metadata="https://data.example.com/.well-known/oauth-protected-resource/mcp"',
    });
  });

  it('with an invalid token gets 401 with the error', async () => {
    const { status, headers } = await post(list, { authorization: 'Bearer x' });
    expect({ status, challenge: headers.get('www-authenticate') }).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error="invalid_token"'),
    });
  });

  it('with a token for another audience gets 401', async () => {
    const authorization = `Bearer ${await token({}, 'https://other.example.com')}`;
    expect(await post(list, { authorization })).toMatchObject({ status: 401, body: { code: 'invalid-jwt' } });
  });

  it('with a token that does not permit the role gets 403', async () => {
    const authorization = `Bearer ${await token()}`;
    expect(await post(list, { authorization, 'x-service-role': 'editor' })).toMatchObject({ status: 403 });
  });
});

describe('the metadata of the resource', () => {
  it.each([
    ['/.well-known/oauth-protected-resource', 'https://data.example.com/mcp'],
    ['/.well-known/oauth-protected-resource/mcp', 'https://data.example.com/mcp'],
  ])('%s names the issuer as the authorization server', async (path, resource) => {
    const response = await fetch(service.url + path);
    expect(await response.json()).toEqual({
      resource,
      resource_name: 'Joinery',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
  });

  it('of the endpoint for developers lists the enabled scopes', async () => {
    const response = await fetch(`${service.url}/.well-known/oauth-protected-resource/mcp/admin`);
    expect(await response.json()).toMatchObject({
      resource: 'https://data.example.com/mcp/admin',
      scopes_supported: ['metadata:read', 'docs:read'],
    });
  });
});

describe('/mcp/admin', () => {
  const admin = async (scope?: string) => ({
    authorization: `Bearer ${await token(scope === undefined ? {} : { scope })}`,
    'x-service-role': 'admin',
  });

  it('rejects every role but admin with 403', async () => {
    const authorization = `Bearer ${await token({ scope: 'metadata:read' })}`;
    expect(await post(list, { authorization }, '/mcp/admin')).toMatchObject({ status: 403 });
  });

  it('lists the tools of the scopes that the token contains', async () => {
    const { names } = await connectMcp(`${service.url}/mcp/admin`, await admin('docs:read other'));
    expect(await names()).toEqual(['search_docs', 'read_docs']);
  });

  it('lists the tools of all enabled scopes for the admin secret', async () => {
    const { names } = await connectMcp(`${service.url}/mcp/admin`, asAdmin);
    expect(await names()).toEqual([
      'export_metadata',
      'get_inconsistent_metadata',
      'diff_metadata',
      'search_schema',
      'validate_operation',
      'explain_operation',
      'search_docs',
      'read_docs',
    ]);
  });

  it('rejects a call whose token lacks the scope with 403 and the scope', async () => {
    const { status, headers } = await post(call('export_metadata'), await admin('docs:read'), '/mcp/admin');
    expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
      status: 403,
      challenge:
        'Bearer error="insufficient_scope", scope="metadata:read", resource_metadata="https://data.example.com/.well-known/oauth-protected-resource/mcp/admin"',
    });
  });

  it('adds a call whose token lacks the scope to the audit log', async () => {
    await post(call('validate_operation', { query: '{ denied }' }), await admin('docs:read'), '/mcp/admin');
    const log = { type: 'get_audit_log', args: { command: 'mcp:validate_operation', limit: 1 } };
    expect((await service.post('/v1/metadata', log, asAdmin)).body).toMatchObject({
      entries: [{ arguments: '{"query":"{ denied }"}', outcome: 'error', code: 'access-denied' }],
    });
  });

  it('reads the claim scp as a list of scopes', async () => {
    const authorization = `Bearer ${await token({ scp: ['docs:read'] })}`;
    const { names } = await connectMcp(`${service.url}/mcp/admin`, { authorization, 'x-service-role': 'admin' });
    expect(await names()).toEqual(['search_docs', 'read_docs']);
  });

  it('permits no tool to a token without scopes', async () => {
    expect(await post(call('export_metadata'), await admin(), '/mcp/admin')).toMatchObject({ status: 403 });
  });

  it('has no tool of a scope that the settings do not enable', async () => {
    const { call: run } = await connectMcp(`${service.url}/mcp/admin`, asAdmin);
    await expect(run('run_sql', { sql: 'select 1', confirm: true })).rejects.toThrow('there is no tool "run_sql"');
  });

  it('accepts a token whose scope permits the call', async () => {
    const { call: run } = await connectMcp(`${service.url}/mcp/admin`, await admin('metadata:read'));
    expect((await run('export_metadata')).json()).toMatchObject({ metadata: { version: 3 } });
  });
});
