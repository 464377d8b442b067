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
  /** Undefined: whoever reaches the port is admin unless the role header says otherwise. */
  readonly adminSecret: string | undefined;
  /** Who a caller without a secret is; undefined refuses such callers. */
  readonly unauthorizedRole: string | undefined;
}

/** Header names are lower case, as node:http gives them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The session of a request. Throws `access-denied` (401) when a secret is wanted and missing or wrong, and
 * `invalid-headers` for an empty role.
 */
export function sessionOf(headers: Headers, settings: SessionSettings): Session {
  const secretHeader = `${settings.prefix}admin-secret`;
  const roleHeader = `${settings.prefix}role`;
  const variables = new Map<string, string>();
  for (const name in headers) {
    if (!name.startsWith(settings.prefix) || name === secretHeader) continue;
    const value = headers[name];
    if (value !== undefined) variables.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  const role = admit(headers[secretHeader], variables.get(roleHeader), settings);
  variables.set(roleHeader, role);
  const proven = settings.adminSecret === undefined || headers[secretHeader] !== undefined;
  const backend = proven && variables.get(`${settings.prefix}use-backend-only-permissions`)?.toLowerCase() === 'true';
  return { role, variables, ...(backend && { backend: true as const }) };
}

function admit(
  sent: string | readonly string[] | undefined,
  asked: string | undefined,
  settings: SessionSettings,
): RoleName {
  if (settings.adminSecret !== undefined) {
    if (sent === undefined) {
      if (settings.unauthorizedRole !== undefined) return RoleName.parse(settings.unauthorizedRole);
      throw new ServiceError('access-denied', `header "${settings.prefix}admin-secret" is required, but was not sent`);
    }
    if (typeof sent !== 'string' || !sameSecret(sent, settings.adminSecret)) {
      throw new ServiceError('access-denied', `the value of header "${settings.prefix}admin-secret" is not right`);
    }
  }
  if (asked === undefined) return ADMIN_ROLE;
  if (asked === '') throw new ServiceError('invalid-headers', `header "${settings.prefix}role" must not be empty`);
  return RoleName.parse(asked);
}

/** Hashes have one length, so the comparison takes the same time whatever was sent. */
function sameSecret(sent: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(secret));
}
