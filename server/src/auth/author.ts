/** The author of a change, for the audit log. */
import { type Headers, type Session, type SessionSettings, secretIn } from './session.ts';

/** Authors that the service itself names. A token or webhook cannot name them. */
const reserved = /^(?:admin secret$|anonymous$|oidc:|user:)/;

/**
 * Returns the user of the session, `oidc:` with a user who signed in to the console, `admin secret`, or `anonymous` for a
 * caller without any credentials.
 */
export function authorOf(headers: Headers, session: Session, { prefix, adminSecrets }: SessionSettings): string {
  if (session.author !== undefined) return session.author;
  if (adminSecrets.length > 0 && secretIn(headers, prefix) !== undefined) return 'admin secret';
  // Without a secret, callers choose their variables.
  const user = adminSecrets.length > 0 ? session.variables.get(`${prefix}user-id`) : undefined;
  if (user === undefined) return 'anonymous';
  return reserved.test(user) ? `user:${user}` : user;
}
