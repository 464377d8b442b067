/** Sessions that an admin chooses, to act as another user. */
import { ServiceError } from '../base/errors.ts';
import { isJsonObject } from '../base/json-value.ts';
import { type Headers, type Session, sessionOf } from './session.ts';

/** Returns the session of a trusted caller that sends these session variables. Throws `parse-failed` at `path`. */
export function sessionOfUser(user: unknown, prefix: string, path: string): Session {
  if (!isJsonObject(user)) {
    const message = `"user" is an object of session variables, such as { "${prefix}role": "user" }`;
    throw new ServiceError('parse-failed', message, { path });
  }
  const named = Object.entries(user).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'object') {
      throw new ServiceError('parse-failed', `the session variable "${name}" must be text`, {
        path: `${path}.${name}`,
      });
    }
    return [name.toLowerCase(), String(value)];
  });
  return sessionOf(Object.fromEntries(named) as Headers, { prefix, adminSecrets: [], unauthorizedRole: undefined });
}
