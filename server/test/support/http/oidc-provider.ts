/** An OpenID Connect provider on loopback that signs in its user without a page, and whose responses a test may change. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const oidcClient = { id: 'joinery', secret: 'a secret that the provider has generated' } as const;

export interface OidcProvider {
  readonly issuer: string;
  /** Claims of the user that signs in next. */
  claims: Readonly<Record<string, unknown>>;
  /** Claims that only the userinfo endpoint returns. */
  userInfo: Readonly<Record<string, unknown>>;
  /** Changes the ID token before it is signed. */
  change: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Signs with a key that the provider does not publish. */
  signsWithOtherKey: boolean;
  /** The error of the authorization endpoint; undefined signs the user in. */
  denies: string | undefined;
  /** Changes of the discovery document. An undefined member removes one. */
  metadata: Readonly<Record<string, unknown>>;
  /** Where the client secret must be. */
  secretIn: 'header' | 'body';
  /** Responses by path, in place of the right ones. */
  responses: Readonly<Record<string, { readonly status: number; readonly body: string; readonly type?: string }>>;
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** Restores the first values. */
  reset(): void;
  close(): Promise<void>;
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

const ada = { sub: 'user-1', email: 'ada@example.com', email_verified: true };

/** Checks the client, the PKCE verifier and the redirect URI, and accepts each code once. */
export async function startOidcProvider(port = 0): Promise<OidcProvider> {
  const keys = await generateKeyPair('RS256');
  const otherKeys = await generateKeyPair('RS256');
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  const first = {
    ...{ claims: ada, userInfo: {}, signsWithOtherKey: false, denies: undefined },
    ...{ metadata: {}, secretIn: 'header' as const, responses: {} },
  };
  const provider: OidcProvider & { issuer: string } = {
    ...first,
    issuer: '',
    requests,
    change: (claims: Record<string, unknown>) => claims,
    reset: () => Object.assign(provider, first, { change: (claims: unknown) => claims }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const target = new URL(query.get('redirect_uri') ?? '');
    target.searchParams.set('state', query.get('state') ?? '');
    target.searchParams.set('iss', provider.issuer);
    if (provider.denies !== undefined) target.searchParams.set('error', provider.denies);
    else {
      const code = randomUUID();
      const challenge = query.get('code_challenge_method') === 'S256' ? (query.get('code_challenge') ?? '') : '';
      grants.set(code, { redirectUri: query.get('redirect_uri') ?? '', challenge, nonce: query.get('nonce') ?? '' });
      target.searchParams.set('code', code);
    }
    response.writeHead(302, { location: target.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const [id, secret] =
      provider.secretIn === 'header' ? basicOf(request) : [form.get('client_id'), form.get('client_secret')];
    if (id !== oidcClient.id || secret !== oidcClient.secret) return send(response, { error: 'invalid_client' }, 401);
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return send(response, { error: 'invalid_grant' }, 400);
    }
    const now = Math.floor(Date.now() / 1_000);
    const standard = { iss: provider.issuer, aud: oidcClient.id, iat: now, exp: now + 300, nonce: grant.nonce };
    const signed = await sign(provider.change({ ...standard, ...provider.claims }));
    return send(response, { access_token: 'access', token_type: 'bearer', expires_in: 300, id_token: signed });
  }

  function sign(claims: Record<string, unknown>): Promise<string> {
    const key: CryptoKey = provider.signsWithOtherKey ? otherKeys.privateKey : keys.privateKey;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', provider.issuer);
    requests.push(pathname);
    const { issuer } = provider;
    const replaced = provider.responses[pathname];
    if (replaced !== undefined) {
      const { status, body, type } = replaced;
      response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
      return;
    }
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token') return token(request, response);
    if (pathname === '/userinfo') return send(response, { sub: provider.claims.sub, ...provider.userInfo });
    if (pathname === '/keys') {
      return send(response, { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }] });
    }
    return send(response, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...provider.metadata,
    });
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

function basicOf({ headers }: IncomingMessage): readonly string[] {
  const basic = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
  return basic.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
