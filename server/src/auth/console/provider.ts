/** The OpenID Connect provider: discovery, and the authorization code flow with PKCE, state and nonce. */
import * as oidc from 'openid-client';
import { ServiceError } from '../../base/errors.ts';
import { type HttpClient, UpstreamError } from '../../base/http-client/http-client.ts';
import { type Claims, permittingRule } from './allowed-users.ts';
import type { ConsoleSignInSettings } from './settings.ts';

/** What the callback must match. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Provider {
  /** Resolves with the address of the provider's sign-in page. */
  begin(): Promise<{ readonly address: string; readonly checks: LoginChecks }>;
  /** Resolves with the verified claims. `query` is that of the callback, with its question mark. */
  finish(query: string, checks: LoginChecks): Promise<Claims>;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;
/** Milliseconds after which the configuration of the provider is read again. */
const DISCOVERY_MS = 3_600_000;
/** Seconds that the clocks of the provider and of this node may differ. */
const CLOCK_TOLERANCE = 30;

/**
 * Calls go through the HTTP client of the service, whose egress rules apply. All functions reject with a ServiceError.
 * @param now milliseconds of a clock that never jumps
 */
export function createProvider(
  { issuer, clientId, clientSecret, redirectUrl, scopes, allowedUsers }: ConsoleSignInSettings,
  httpClient: HttpClient,
  now: () => number = () => performance.now(),
): Provider {
  let discovered: { readonly configuration: Promise<oidc.Configuration>; readonly until: number } | undefined;

  function discover(): Promise<oidc.Configuration> {
    if (discovered !== undefined && discovered.until > now()) return discovered.configuration;
    const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE };
    const configuration = oidc.discovery(new URL(issuer), clientId, client, clientAuthentication(clientSecret), {
      [oidc.customFetch]: fetchBy(httpClient),
      execute: [
        // The signature of the ID token is checked although it comes from the provider directly.
        oidc.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
    });
    discovered = { configuration, until: now() + DISCOVERY_MS };
    configuration.catch(() => {
      discovered = undefined;
    });
    return configuration;
  }

  async function begin(): ReturnType<Provider['begin']> {
    const configuration = await discover();
    const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: scopes.join(' '),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, checks };
  }

  async function finish(query: string, { state, nonce, verifier }: LoginChecks): Promise<Claims> {
    const configuration = await discover();
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(query, redirectUrl), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new ServiceError('access-denied', 'the provider sent no ID token');
    const isComplete = claims.email !== undefined && permittingRule(allowedUsers, claims) !== undefined;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Providers may return claims such as the e-mail address there only. The subject must be the same.
    const more = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  }

  return {
    begin: () => begin().catch(explain),
    finish: (query, checks) => finish(query, checks).catch(explain),
  };
}

/** Sends the client secret in the header, unless the provider accepts it in the body only. */
function clientAuthentication(secret: string): oidc.ClientAuth {
  const inHeader = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...request);
  };
}

function fetchBy(httpClient: HttpClient): oidc.CustomFetch {
  return async (url, { method, headers, body }) => {
    const response = await httpClient.call({
      purpose: { kind: 'sign-in', name: '' },
      method,
      url,
      headers: Object.entries(headers),
      body: body == null ? undefined : String(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      overflow: 'fail',
    });
    return new Response(response.status === 204 ? null : response.body, {
      status: response.status,
      headers: response.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

/** Reasons by the code of the library. */
const reasons: Readonly<Record<string, string>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED:
    'the ID token is expired or not valid yet; compare the clock of the service with that of the provider',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'its configuration names another issuer than JOINERY_CONSOLE_OIDC_ISSUER',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'it responded with an unexpected status; check JOINERY_CONSOLE_OIDC_ISSUER',
  OAUTH_RESPONSE_IS_NOT_JSON: 'its response is not JSON; check JOINERY_CONSOLE_OIDC_ISSUER',
  OAUTH_PARSE_ERROR: 'its response is not JSON; check JOINERY_CONSOLE_OIDC_ISSUER',
  OAUTH_KEY_SELECTION_FAILED: 'no key of the provider matches the signature of the ID token',
};

/** Reasons by the claim of the ID token that does not match. */
const claimReasons: Readonly<Record<string, string>> = {
  aud: 'the ID token is for another client than JOINERY_CONSOLE_OIDC_CLIENT_ID',
  iss: 'the ID token has another issuer',
  nonce: 'the ID token belongs to another sign-in',
};

/** Throws a ServiceError: status 503 where the provider cannot be used, 403 where it rejects the sign-in. */
function explain(thrown: unknown): never {
  if (thrown instanceof ServiceError) throw thrown;
  const upstream = causesOf(thrown).find((cause) => cause instanceof UpstreamError);
  if (upstream !== undefined) {
    throw new ServiceError('unexpected', `the provider cannot be reached: ${upstream.message}`, {
      status: 503,
      cause: thrown,
    });
  }
  if (thrown instanceof oidc.AuthorizationResponseError || thrown instanceof oidc.ResponseBodyError) {
    const description = thrown.error_description === undefined ? '' : ` (${thrown.error_description.slice(0, 300)})`;
    throw rejected(`it responded with ${thrown.error.slice(0, 100)}${description}`, thrown);
  }
  const claim = causesOf(thrown).flatMap(claimOf)[0];
  const code = (thrown as { readonly code?: unknown }).code;
  const reason = (claim && claimReasons[claim]) ?? reasons[String(code)];
  throw rejected(reason ?? causesOf(thrown).map(messageOf).join(': ').slice(0, 300), thrown);
}

function rejected(reason: string, cause: unknown): ServiceError {
  return new ServiceError('access-denied', `the provider did not confirm the sign-in: ${reason}`, {
    status: 403,
    cause,
  });
}

/** The error and its causes, the outermost first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let error = thrown; error instanceof Error && found.length < 5; error = error.cause) found.push(error);
  return found;
}

function claimOf(error: unknown): readonly string[] {
  const { claim } = (error as { readonly cause?: { readonly claim?: unknown } }).cause ?? {};
  return typeof claim === 'string' ? [claim] : [];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
