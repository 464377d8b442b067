/** The configurations of docs/auth-providers.md accept the tokens that the page shows; keys are those of a server of the test. */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { startService } from '../support/service/test-service.ts';

const page = readFileSync(new URL('../../../docs/auth-providers.md', import.meta.url), 'utf8');
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function block(kind: 'config' | 'token', name: string): Record<string, unknown> {
  const text = new RegExp(`^\`\`\`json ${kind}=${name}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1];
  if (text === undefined) throw new Error(`the page has no ${kind} of ${name}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Returns the URL of a set with the public key. */
async function startKeys(): Promise<string> {
  const keys = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
  });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(keys);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
}

function signed(payload: object, secret: unknown): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const isShared = typeof secret === 'string';
  const header = isShared ? { alg: 'HS256', typ: 'JWT' } : { alg: 'RS256', typ: 'JWT', kid: 'one' };
  const text = `${part(header)}.${part({ ...payload, exp: Math.floor(Date.now() / 1000) + 600 })}`;
  const signature = isShared
    ? createHmac('sha256', secret).update(text).digest('base64url')
    : createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url');
  return `${text}.${signature}`;
}

async function startWith(config: Record<string, unknown>) {
  const secret = 'jwk_url' in config ? { ...config, jwk_url: await startKeys() } : config;
  const service = await startService({ JOINERY_ADMIN_SECRET: 'admin', JOINERY_JWT_SECRET: JSON.stringify(secret) });
  endings.push(() => service.stop());
  const admin = async (type: string, args: unknown): Promise<void> => {
    const { status, body } = await service.post('/v1/query', { type, args }, { 'x-service-admin-secret': 'admin' });
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  await admin('run_sql', {
    sql: `create table note (owner text); insert into note values ('7'), ('user_7'), ('auth0|7'), ('8')`,
  });
  await admin('track_table', 'note');
  await admin('create_select_permission', {
    table: 'note',
    role: 'user',
    permission: { columns: ['owner'], filter: { owner: { _eq: 'X-Service-User-Id' } } },
  });
  return (token: string) => service.graphql('{ note { owner } }', { authorization: `Bearer ${token}` });
}

const names = [...page.matchAll(/^```json config=(\w+)$/gm)].map(([, name = '']) => name);

it.each(names)('the configuration of %s accepts its token, as the user of the token', async (name) => {
  const config = block('config', name);
  const token = block('token', name);
  const request = await startWith(config);
  const claims = token['https://hasura.io/jwt/claims'] as Record<string, unknown> | undefined;
  const owner = claims?.['x-service-user-id'] ?? token.sub;
  expect(await request(signed(token, config.key))).toEqual({ data: { note: [{ owner }] } });
});

it.each(names)('the configuration of %s rejects a token of another issuer', async (name) => {
  const config = block('config', name);
  const request = await startWith(config);
  expect(
    await request(signed({ ...block('token', name), iss: 'https://other.example.com' }, config.key)),
  ).toMatchObject({
    errors: [{ extensions: { code: 'invalid-jwt' } }],
  });
});

it('the page has a configuration of each provider', () => {
  expect(names).toEqual(['auth0', 'clerk', 'firebase', 'keycloak', 'supabase', 'own']);
});
