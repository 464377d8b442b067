/** The session of a request: its role and session variables, read from the headers. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../base/errors.ts';

export interface Session {
  readonly role: RoleName;
  /** Values by lower-case name with prefix, such as `x-service-user-id`. Includes the role, never the admin secret. */
  readonly variables: ReadonlyMap<string, string>;
  /** Set if the caller is trusted (by secret, or no secret is configured) and requested backend-only permissions. */
  readonly backend?: true;
  /** The number of events whose targets led to the operation; undefined for an operation that no event runs. */
  readonly eventDepth?: number;
  /** Milliseconds since 1970; websockets of the session are closed then. Undefined without an expiry. */
  readonly expiresAt?: number;
  /** The claims `scope` and `scp` of a token, which restrict the tools for developers; undefined without a token. */
  readonly scopes?: readonly string[];
  /** Who signed in to the console, for the audit log. */
  readonly author?: string;
  /** Values of `Set-Cookie` that the authentication webhook returned, for the response to the caller. */
  readonly cookies?: readonly string[];
}

export interface SessionSettings {
  /** Lower case, such as `x-service-`. */
  readonly prefix: string;
  /** Accepted secrets. If empty, every caller is trusted and chooses its role by header; the default is admin. */
  readonly adminSecrets: readonly string[];
  /** The role of callers without a secret; undefined rejects them. */
  readonly unauthorizedRole: string | undefined;
}

/** Headers by lower-case name, as `node:http` parses them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the session of the headers. Throws `access-denied` (401) for a missing or wrong secret, and `invalid-headers`
 * for an empty role.
 */
export function sessionOf(headers: Headers, settings: SessionSettings): Session {
  const { prefix, adminSecrets, unauthorizedRole } = settings;
  const sent = secretIn(headers, prefix);
  if (adminSecrets.length > 0) {
    if (sent === undefined && unauthorizedRole !== undefined) return unauthorizedSession(headers, settings);
    checkSecret(sent, settings);
  }
  const variables = variablesIn(headers, prefix);
  const requested = variables.get(`${prefix}role`);
  if (requested === '') throw new ServiceError('invalid-headers', `header "${prefix}role" must not be empty`);
  const role = requested === undefined ? ADMIN_ROLE : RoleName.parse(requested);
  variables.set(`${prefix}role`, role);
  // The caller is trusted here: it sent the secret, or none is configured.
  const backend = isTrue(`${prefix}use-backend-only-permissions`, variables);
  return { role, variables, ...(backend && { backend: true as const }) };
}

/** Returns the secret that the caller sent; `access-key` is an older name of the header. */
export function secretIn(headers: Headers, prefix: string): string | readonly string[] | undefined {
  return headers[`${prefix}admin-secret`] ?? headers[`${prefix}access-key`];
}

const flagValues: Readonly<Record<string, boolean>> = {
  ...{ true: true, t: true, yes: true, y: true },
  ...{ false: false, f: false, no: false, n: false },
};

/** Returns the value of a header that is a flag; false if it is absent. Throws `bad-request` for any other text. */
function isTrue(name: string, variables: ReadonlyMap<string, string>): boolean {
  const written = variables.get(name);
  if (written === undefined) return false;
  const key = written.toLowerCase();
  if (!Object.hasOwn(flagValues, key)) {
    throw new ServiceError('bad-request', `header "${name}" must be true or false, not ${JSON.stringify(written)}`);
  }
  return flagValues[key] === true;
}

/** Returns the session of an unauthenticated caller: its headers set the variables, but not the role. */
export function unauthorizedSession(headers: Headers, settings: SessionSettings): Session {
  const { prefix, unauthorizedRole } = settings;
  if (unauthorizedRole === undefined) throw noSecret(prefix);
  const variables = variablesIn(headers, prefix);
  variables.set(`${prefix}role`, unauthorizedRole);
  return { role: RoleName.parse(unauthorizedRole), variables };
}

/** Returns the headers with the prefix, without secrets. */
function variablesIn(headers: Headers, prefix: string): Map<string, string> {
  const secretHeader = `${prefix}admin-secret`;
  const olderHeader = `${prefix}access-key`;
  const variables = new Map<string, string>();
  for (const name in headers) {
    if (!name.startsWith(prefix) || name === secretHeader || name === olderHeader) continue;
    const value = headers[name];
    if (value !== undefined) variables.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return variables;
}

function checkSecret(sent: string | readonly string[] | undefined, { prefix, adminSecrets }: SessionSettings): void {
  if (sent === undefined) throw noSecret(prefix);
  // All secrets are compared, so that the duration does not reveal which one matches.
  const matching = typeof sent === 'string' ? adminSecrets.filter((secret) => sameSecret(sent, secret)) : [];
  if (matching.length === 0) {
    throw new ServiceError('access-denied', `invalid "${prefix}admin-secret"/"${prefix}access-key"`);
  }
}

function noSecret(prefix: string): ServiceError {
  return new ServiceError('access-denied', `${prefix}admin-secret/${prefix}access-key required, but not found`);
}

/** Compares in constant time: hashes have equal lengths. */
export function sameSecret(sent: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(secret));
}
