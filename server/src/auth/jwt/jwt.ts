/** Sessions from JSON Web Tokens: finds the token of a request, verifies it and caches its claims for a minute. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, JWTPayload, JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Headers, Session } from '../session.ts';
import { type Grant, grantOf, sessionOfGrant } from './claims.ts';
import { createJwkSet } from './jwk-set.ts';
import { algorithmsOf, claimsMapError, type JwtSettings, placeOf, type TokenHeader } from './settings.ts';

/** Returns undefined if the request has no token. Rejects with `invalid-headers`, `invalid-jwt` and others. */
export type TokenSession = (headers: Headers) => Session | Promise<Session> | undefined;

interface Verifier {
  readonly settings: JwtSettings;
  readonly key: CryptoKey | KeyObject | JWTVerifyGetKey;
}

/** How long a verified token is cached, at most until its expiry. */
const cacheMs = 60_000;
const maxCached = 5_000;

/**
 * Creates the token authentication. Throws `invalid-configuration` for an invalid key or
 * `claims_map`. `prefix` is lower case, such as `x-service-`.
 */
export async function createTokenSessions(
  all: readonly JwtSettings[],
  prefix: string,
  httpClient: HttpClient,
  now: () => number = Date.now,
): Promise<TokenSession> {
  for (const settings of all) {
    const error = claimsMapError(settings, prefix);
    if (error !== undefined) throw new ServiceError('invalid-configuration', `JOINERY_JWT_SECRET: ${error}`);
  }
  const places = placesOf(await Promise.all(all.map((settings) => verifierOf(settings, httpClient))));

  async function verifiedSession(headers: Headers, requested: string | undefined): Promise<Session> {
    const { token, place, verifier } = await select(headers, places);
    const cached = cachedGrant(place, token, now());
    if (cached !== undefined) return sessionOfGrant(cached, requested, prefix);
    const grant = await verify(token, verifier, prefix);
    const until = Math.min(now() + cacheMs, grant.expiresAt ?? Number.POSITIVE_INFINITY);
    place.cache.set(token, { grant, until });
    return sessionOfGrant(grant, requested, prefix);
  }

  return (headers) => {
    const found = findToken(headers, places);
    if (found === undefined) return undefined;
    const requested = one(headers[`${prefix}role`]);
    const cached = cachedGrant(found.place, found.token, now());
    return cached === undefined ? verifiedSession(headers, requested) : sessionOfGrant(cached, requested, prefix);
  };
}

/** A header or cookie of tokens, with the verifiers that read it and the claims of tokens that one of these has verified. */
interface Place {
  readonly header: TokenHeader;
  readonly verifiers: readonly Verifier[];
  readonly cache: LRUCache<string, { readonly grant: Grant; readonly until: number }>;
}

function placesOf(verifiers: readonly Verifier[]): readonly Place[] {
  const places = new Map<string, Verifier[]>();
  for (const verifier of verifiers) {
    const name = placeOf(verifier.settings);
    places.set(name, [...(places.get(name) ?? []), verifier]);
  }
  return [...places.values()].flatMap((same) => {
    const header = same[0]?.settings.header;
    return header === undefined ? [] : [{ header, verifiers: same, cache: new LRUCache({ max: maxCached }) }];
  });
}

function cachedGrant({ cache }: Place, token: string, now: number): Grant | undefined {
  const cached = cache.get(token);
  return cached !== undefined && cached.until > now ? cached.grant : undefined;
}

async function verifierOf(settings: JwtSettings, httpClient: HttpClient): Promise<Verifier> {
  const { jwk_url: url, key = '' } = settings;
  if (url !== undefined) return { settings, key: createJwkSet(url, httpClient).find };
  return { settings, key: await readKey(key, settings.type ?? '') };
}

async function readKey(key: string, type: string): Promise<CryptoKey | KeyObject> {
  if (type.startsWith('HS')) {
    // With raw bytes, jose would import the key for each token.
    const hmac = { name: 'HMAC', hash: `SHA-${type.slice(2)}` };
    return crypto.subtle.importKey('raw', new TextEncoder().encode(key), hmac, false, ['verify']);
  }
  return publicKey(key, type);
}

/** Kinds of keys, with the curve, by the first two letters of the type. */
const kindsOfKeys: Readonly<Record<string, readonly string[]>> = {
  RS: ['rsa'],
  PS: ['rsa'],
  ES: ['ec prime256v1', 'ec secp384r1', 'ec secp521r1'],
  Ed: ['ed25519'],
};

/** Reads a key in PKCS #1 or SubjectPublicKeyInfo, or that of an X.509 certificate. Throws `invalid-configuration`. */
function publicKey(pem: string, type: string): KeyObject {
  let cause: unknown;
  try {
    // Of a private key, which does not belong in the setting, the public key would be derived.
    if (pem.includes('PRIVATE KEY')) throw new Error('the key is a private key');
    const key = createPublicKey(pem);
    const curve = key.asymmetricKeyDetails?.namedCurve;
    const kind = [key.asymmetricKeyType, ...(curve === undefined ? [] : [curve])].join(' ');
    if (kindsOfKeys[type.slice(0, 2)]?.includes(kind) === true) return key;
    cause = new Error(`the key is of the kind ${kind}`);
  } catch (error) {
    cause = error;
  }
  const message = `JOINERY_JWT_SECRET: "key" must be a public key or certificate in PEM format for ${type}`;
  throw new ServiceError('invalid-configuration', message, { cause });
}

interface Found {
  readonly token: string;
  readonly place: Place;
}

function findToken(headers: Headers, places: readonly Place[]): Found | undefined {
  for (const place of places) {
    const token = tokenIn(headers, place.header);
    if (token !== undefined) return { token, place };
  }
  return undefined;
}

function tokenIn(headers: Headers, header: TokenHeader): string | undefined {
  switch (header.type) {
    case 'Authorization': {
      const sent = one(headers.authorization);
      if (sent === undefined) return undefined;
      const token = /^Bearer +(\S+)$/i.exec(sent)?.[1];
      if (token === undefined)
        throw new ServiceError('invalid-headers', 'Malformed Authorization header; send "Bearer <token>"');
      return token;
    }
    case 'Cookie':
      return cookie(one(headers.cookie) ?? '', header.name);
    case 'CustomHeader':
      return one(headers[header.name.toLowerCase()]);
    default:
      return header satisfies never;
  }
}

function cookie(sent: string, name: string): string | undefined {
  for (const part of sent.split(';')) {
    const [key, ...value] = part.split('=');
    if (key?.trim() === name)
      return value
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

/** Returns the first token that one of the keys of its place is for, and this key. Rejects with `invalid-jwt` if there is none. */
async function select(headers: Headers, places: readonly Place[]): Promise<Found & { readonly verifier: Verifier }> {
  const { decodeJwt } = await import('jose');
  let failed: ServiceError | undefined;
  for (const place of places) {
    const token = tokenIn(headers, place.header);
    if (token === undefined) continue;
    try {
      const verifier = verifierFor(decodeJwt(token).iss, place);
      if (verifier !== undefined) return { token, place, verifier };
      failed ??= notVerified('JWTNotInIssuer', undefined);
    } catch (cause) {
      failed ??= notVerified('it is not a JSON Web Token', cause);
    }
  }
  throw failed ?? notVerified('there is none', undefined);
}

/** Returns the verifier of the issuer, or else the one without an issuer. */
function verifierFor(issuer: string | undefined, { verifiers }: Place): Verifier | undefined {
  return (
    verifiers.find(({ settings }) => settings.issuer === issuer) ??
    verifiers.find(({ settings }) => settings.issuer === undefined)
  );
}

async function verify(token: string, { settings, key }: Verifier, prefix: string): Promise<Grant> {
  const { jwtVerify } = await import('jose');
  const algorithms = algorithmsOf(settings);
  const options = {
    // The setting determines the algorithms, never the token.
    ...(algorithms !== undefined && { algorithms: [...algorithms] }),
    ...(settings.audience !== undefined && { audience: settings.audience }),
    ...(settings.issuer !== undefined && { issuer: settings.issuer }),
    clockTolerance: settings.allowed_skew,
  };
  const verified: { readonly payload: JWTPayload } = await (typeof key === 'function'
    ? jwtVerify(token, key, options)
    : jwtVerify(token, key, options)
  ).catch((cause: unknown) => {
    throw cause instanceof ServiceError ? cause : notVerified(reasonOf(cause), cause);
  });
  return grantOf(verified.payload, settings, prefix);
}

/** Reasons by the code of the library; those that Hasura v2 reports too have its names. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'JWTExpired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'JWSError JWSInvalidSignature',
  ERR_JWKS_NO_MATCHING_KEY: 'no key of the JWK set matches it',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not the one of the key',
};

const claimReasons: Readonly<Record<string, string>> = {
  aud: 'JWTNotInAudience',
  iss: 'JWTNotInIssuer',
  nbf: 'JWTNotYetValid',
};

function reasonOf(error: unknown): string {
  const { code = '', claim } = error as { readonly code?: string; readonly claim?: string };
  if (claim !== undefined && code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    return claimReasons[claim] ?? `its claim "${claim}" is not as expected`;
  }
  return reasons[code] ?? 'it is malformed';
}

function notVerified(reason: string, cause: unknown): ServiceError {
  return new ServiceError('invalid-jwt', `Could not verify JWT: ${reason}`, { cause });
}
