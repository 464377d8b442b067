/** The settings, claims and responses of docs/authentication.md are accepted; the key and the address are those of the test. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { startService } from '../support/service/test-service.ts';
import { codeBlocksOf } from './code-blocks.ts';

const blocks = codeBlocksOf(readFileSync(new URL('../../../docs/authentication.md', import.meta.url), 'utf8'));
const endings: (() => Promise<unknown>)[] = [];
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function labeled(label: string): readonly Readonly<Record<string, unknown>>[] {
  const texts = blocks.filter(({ words }) => words[0] === label).map(({ text }) => text);
  return texts.map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
}

/** Starts a server that responds with a JSON body to each request. Returns its address. */
async function serve(body: unknown): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function signed(payload: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(payload)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

/** The session variable `x-service-user-id` that the service has for a request, or the errors. */
async function userOf(
  settings: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const service = await startService({ JOINERY_ADMIN_SECRET: 'admin', ...settings });
  endings.push(() => service.stop());
  const admin = { 'x-service-admin-secret': 'admin' };
  const sql = `create table note (owner text); insert into note values ('7'), ('8')`;
  for (const [type, args] of [
    ['run_sql', { sql }],
    ['track_table', 'note'],
    [
      'create_select_permission',
      {
        table: 'note',
        role: 'user',
        permission: { columns: ['owner'], filter: { owner: { _eq: 'X-Service-User-Id' } } },
      },
    ],
  ]) {
    const { status, body } = await service.post('/v1/query', { type, args }, admin);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  return service.graphql('{ note { owner } }', headers);
}

const ofUser7 = { data: { note: [{ owner: '7' }] } };

it.each(labeled('config').map((config, index) => ({ index: index + 1, config })))(
  'token configuration $index accepts a token with the claims of the page',
  async ({ config }) => {
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
    const secret =
      'jwk_url' in config
        ? { ...config, jwk_url: await serve({ keys: [jwk] }) }
        : { ...config, key: publicKey.export({ format: 'pem', type: 'spki' }) };
    const token = signed({ ...labeled('claims')[0], aud: config.audience, iss: config.issuer });
    const settings = { JOINERY_JWT_SECRET: JSON.stringify(secret) };
    expect(await userOf(settings, { authorization: `Bearer ${token}` })).toEqual(ofUser7);
  },
);

it('the response of the webhook is the session', async () => {
  const settings = { JOINERY_AUTH_HOOK: await serve(labeled('hook')[0]) };
  expect(await userOf(settings, {})).toEqual(ofUser7);
});

it('the page has two token configurations, claims and a response of the webhook', () => {
  expect(['config', 'claims', 'hook'].map((label) => labeled(label).length)).toEqual([2, 1, 1]);
});
