/** Who asks: the role and the session variables of a request, from its headers. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../base/errors.ts';

export interface Session {
  readonly role: RoleName;
  /** By lower-case name with prefix, such as `x-service-user-id`; the role among them, the admin secret never. */
  readonly variables: ReadonlyMap<string, string>;
  /** Came with the secret (or there is none) and asked for the permissions that are for backends only. */
  readonly backend?: true;
  /** Milliseconds since 1970; sockets of the session are closed then. Undefined where it has no end. */
  readonly expiresAt?: number;
}

export interface SessionSettings {
  /** Lower case, such as `x-service-`. */
  readonly prefix: string;
  /** Any of them will do; none: whoever reaches the port is admin unless the role header says otherwise. */
  readonly adminSecrets: readonly string[];
  /** Who a caller without a secret is; undefined refuses such callers. */
  readonly unauthorizedRole: string | undefined;
}

/** Header names are lower case, as node:http gives them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The session that the headers alone make. Throws `access-denied` (401) when a secret is wanted and missing or wrong,
 * and `invalid-headers` for an empty role.
 */
export function sessionOf(headers: Headers, settings: SessionSettings): Session {
  const { prefix, adminSecrets, unauthorizedRole } = settings;
  const sent = headers[`${prefix}admin-secret`];
  if (adminSecrets.length > 0) {
    if (sent === undefined && unauthorizedRole !== undefined) return unauthorizedSession(headers, settings);
    mustFit(sent, settings);
  }
  const variables = variablesIn(headers, prefix);
  const asked = variables.get(`${prefix}role`);
  if (asked === '') throw new ServiceError('invalid-headers', `header "${prefix}role" must not be empty`);
  const role = asked === undefined ? ADMIN_ROLE : RoleName.parse(asked);
  variables.set(`${prefix}role`, role);
  // Who has come so far has the secret, or there is none.
  const backend = variables.get(`${prefix}use-backend-only-permissions`)?.toLowerCase() === 'true';
  return { role, variables, ...(backend && { backend: true as const }) };
}

/** The session of a caller that shows nothing: its variables are what it says, its role is not. */
export function unauthorizedSession(headers: Headers, settings: SessionSettings): Session {
  const { prefix, unauthorizedRole } = settings;
  if (unauthorizedRole === undefined) throw noSecret(prefix);
  const variables = variablesIn(headers, prefix);
  variables.set(`${prefix}role`, unauthorizedRole);
  return { role: RoleName.parse(unauthorizedRole), variables };
}

/** The headers of the prefix, but for the secret. */
function variablesIn(headers: Headers, prefix: string): Map<string, string> {
  const secretHeader = `${prefix}admin-secret`;
  const variables = new Map<string, string>();
  for (const name in headers) {
    if (!name.startsWith(prefix) || name === secretHeader) continue;
    const value = headers[name];
    if (value !== undefined) variables.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return variables;
}

function mustFit(sent: string | readonly string[] | undefined, { prefix, adminSecrets }: SessionSettings): void {
  if (sent === undefined) throw noSecret(prefix);
  // All are compared, so that the time tells nothing of which one fits.
  const fitting = typeof sent === 'string' ? adminSecrets.filter((secret) => sameSecret(sent, secret)) : [];
  if (fitting.length === 0) {
    throw new ServiceError('access-denied', `the value of header "${prefix}admin-secret" is not right`);
  }
}

function noSecret(prefix: string): ServiceError {
  return new ServiceError('access-denied', `header "${prefix}admin-secret" is required, but was not sent`);
}

/** Hashes have one length, so the comparison takes the same time whatever was sent. */
export function sameSecret(sent: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(secret));
}
