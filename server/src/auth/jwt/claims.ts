/** Converts the claims of a verified token to a session. */

import { RoleName } from '@joinery/metadata/names';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { Session } from '../session.ts';
import type { ClaimPath, JwtSettings, MappedClaim } from './settings.ts';

/** The default namespace, that of Hasura v2. */
const defaultNamespace = 'https://hasura.io/jwt/claims';

type Claims = Readonly<Record<string, unknown>>;

/** The claims of a token, independent of the role that a request chooses. Names of variables are lower case. */
export interface Grant {
  readonly allowedRoles: ReadonlySet<string>;
  readonly defaultRole: string;
  readonly variables: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; undefined for a token without an expiry. */
  readonly expiresAt: number | undefined;
  /** Those of the claims `scope` (RFC 8693) and `scp` (Okta, Microsoft Entra); empty for a token without them. */
  readonly scopes: readonly string[];
}

/** Reads the claims. Throws `jwt-invalid-claims` or `jwt-missing-role-claims`. `prefix` is lower case, such as `x-service-`. */
export function grantOf(token: Claims, settings: JwtSettings, prefix: string): Grant {
  const claims =
    settings.claims_map === undefined ? namespaced(token, settings) : mapped(token, settings.claims_map, prefix);
  const byName = new Map(Object.entries(claims).map(([name, value]) => [name.toLowerCase(), value]));
  const allowed = byName.get(`${prefix}allowed-roles`);
  const defaultRole = byName.get(`${prefix}default-role`);
  if (allowed === undefined) throw missing(`${prefix}allowed-roles`);
  if (defaultRole === undefined) throw missing(`${prefix}default-role`);
  if (!isStringList(allowed)) throw invalid(`claim ${prefix}allowed-roles must be a list of roles`);
  if (typeof defaultRole !== 'string' || defaultRole === '')
    throw invalid(`claim ${prefix}default-role must be a role`);
  const variables = new Map<string, string>();
  for (const [name, value] of byName) {
    if (!name.startsWith(prefix) || name === `${prefix}allowed-roles` || name === `${prefix}default-role`) continue;
    const text = variableText(value);
    if (text !== undefined) variables.set(name, text);
  }
  const { exp, scope, scp } = token;
  return {
    allowedRoles: new Set(allowed),
    defaultRole,
    variables,
    expiresAt: typeof exp === 'number' ? (exp + settings.allowed_skew) * 1000 : undefined,
    scopes: [...scopesOf(scope), ...scopesOf(scp)],
  };
}

/** Reads a list of scopes: a text that spaces separate, or an array. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((one) => one !== '');
  return isStringList(claim) ? claim : [];
}

/** Returns the session for the requested role, or the default role. Throws `access-denied` for a role that is not allowed. */
export function sessionOfGrant(grant: Grant, requested: string | undefined, prefix: string): Session {
  // An empty header requests no role.
  const role = requested === undefined || requested === '' ? grant.defaultRole : requested;
  if (!grant.allowedRoles.has(role)) {
    throw new ServiceError('access-denied', 'Your requested role is not in allowed roles', { status: 400 });
  }
  const variables = new Map(grant.variables).set(`${prefix}role`, role);
  return {
    role: RoleName.parse(role),
    variables,
    scopes: grant.scopes,
    ...(grant.expiresAt !== undefined && { expiresAt: grant.expiresAt }),
  };
}

function namespaced(token: Claims, settings: JwtSettings): Claims {
  const { claims_namespace: name = defaultNamespace, claims_namespace_path: path, claims_format: format } = settings;
  const found = path === undefined ? ownMember(token, name) : at(token, path);
  const place = path?.written ?? name;
  if (found === undefined) throw invalid(`the token has no claims at "${place}"`);
  const claims = format === 'stringified_json' ? parsed(found, place) : found;
  if (!isJsonObject(claims)) {
    const other = format === 'json' ? 'stringified_json' : 'json';
    throw invalid(`the claims at "${place}" are not an object; is claims_format "${other}" meant?`);
  }
  return claims;
}

function parsed(found: unknown, place: string): unknown {
  try {
    if (typeof found === 'string') return JSON.parse(found);
  } catch {
    // Reported below.
  }
  throw invalid(
    `the claims at "${place}" are not a string with a JSON object, which claims_format "stringified_json" requires`,
  );
}

/** Returns the mapped claims. Throws for a claim that is null, or absent without a default; `grantOf` checks the roles. */
function mapped(token: Claims, map: Readonly<Record<string, MappedClaim>>, prefix: string): Claims {
  const roleClaims: ReadonlySet<string> = new Set([`${prefix}allowed-roles`, `${prefix}default-role`]);
  const entries = Object.entries(map).flatMap(([name, claim]): [string, unknown][] => {
    if (typeof claim === 'string' || Array.isArray(claim)) return [[name, claim]];
    const found = at(token, claim.path);
    const value = found === undefined ? claim.default : found;
    const key = name.toLowerCase();
    if (!key.startsWith(prefix) || roleClaims.has(key)) return [[name, value]];
    if (value === undefined) throw invalid(`JWT claim from claims_map, ${name} not found`);
    if (value === null) throw invalid(`JWT claim from claims_map, ${name} is null`);
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** Returns the value at a path, or undefined. */
function at(token: Claims, { steps }: ClaimPath): unknown {
  return steps.reduce<unknown>(
    (value, step) => (typeof step === 'number' ? item(value, step) : ownMember(value, step)),
    token,
  );
}

function ownMember(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function item(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Returns a claim as a session variable; a list becomes a PostgreSQL array literal. */
function variableText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`;
  return JSON.stringify(value);
}

function elementText(value: unknown): string {
  if (value === null) return 'NULL';
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${written.replace(/["\\]/g, '\\$&')}"`;
}

function missing(claim: string): ServiceError {
  return claimError('jwt-missing-role-claims', `the claims of the token lack ${claim}`);
}

function invalid(message: string): ServiceError {
  return claimError('jwt-invalid-claims', message);
}

function claimError(code: ErrorCode, message: string): ServiceError {
  return new ServiceError(code, message);
}
